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
	task, where := s.facts.Migrate, s.database.secret
	if s.config.MigrateSecret != "" { // because migrations can't go through a pooler
		where = s.secretOf(s.config.MigrateSecret, "")
	}
	migrate := s.newFunction(task, environment{
		values: map[string]*string{}, secrets: map[string]secret{variable.DatabaseURL: where},
	})
	resource := awscdk.NewCustomResource(s.stack, jsii.String("Schema"), &awscdk.CustomResourceProps{
		ServiceToken: migrate.FunctionArn(),
		ResourceType: jsii.String("Custom::Schema"),
		// Otherwise CloudFormation waits for an hour.
		ServiceTimeout: seconds(task.Timeout + time.Minute),
		Properties:     &map[string]any{"Migrations": bootstrap.Fingerprint(s.code[task.Name]), "Database": where.arn},
	})
	called(resource, "Schema")
	s.database.before(resource)
	return resource
}
