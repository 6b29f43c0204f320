package main

import (
	"time"

	"matchbook/infra/bootstrap"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// newMigration brings the schema up to date during a deployment. CloudFormation
// calls the function as a custom resource: whenever its bootstrap has changed,
// which has the migrations in it, or the database is another one. Resources
// that depend on the result wait for it, and are not touched if it fails.
func newMigration(s *site) constructs.IDependable {
	task, where := s.facts.Migrate, s.database.secret
	if s.config.MigrateSecret != "" { // the functions go through a pooler, migrations cannot
		where = s.secretOf(s.config.MigrateSecret, "")
	}
	migrate := s.newFunction(task, environment{
		values: map[string]*string{}, secrets: map[string]secret{variable.DatabaseURL: where},
	})
	resource := awscdk.NewCustomResource(s.stack, jsii.String("Schema"), &awscdk.CustomResourceProps{
		ServiceToken: migrate.FunctionArn(),
		ResourceType: jsii.String("Custom::Schema"),
		// CloudFormation would wait for an hour by itself.
		ServiceTimeout: seconds(task.Timeout + time.Minute),
		Properties:     &map[string]any{"Migrations": bootstrap.Fingerprint(s.code[task.Name]), "Database": where.arn},
	})
	called(resource, "Schema")
	s.database.before(resource)
	return resource
}
