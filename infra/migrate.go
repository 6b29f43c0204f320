package main

import (
	"time"

	"matchbook/infra/bootstrap"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// newMigration migrates the schema during a deployment. CloudFormation calls the function as
// a custom resource whenever its bootstrap, which contains the migrations, or the database
// has changed. Make resources depend on the result, so that they change only if it succeeds.
func newMigration(s *site) constructs.IDependable {
	task, database := s.facts.Migrate, s.database
	secrets := map[string]secret{variable.DatabaseURL: database.owner}
	properties := map[string]any{"Migrations": bootstrap.Fingerprint(s.code[task.Name]), "Database": database.owner.arn}
	if database.made {
		secrets[variable.AppDatabaseURL], properties["Functions"] = database.secret, database.secret.arn
	}
	migrate := s.newFunction(task, environment{values: map[string]*string{}, secrets: secrets})
	resource := awscdk.NewCustomResource(s.stack, jsii.String("Schema"), &awscdk.CustomResourceProps{
		ServiceToken: migrate.FunctionArn(),
		ResourceType: jsii.String("Custom::Schema"),
		// Otherwise CloudFormation waits for an hour.
		ServiceTimeout: seconds(task.Timeout + time.Minute),
		Properties:     &properties,
	})
	called(resource, "Schema")
	s.database.before(resource)
	return resource
}
