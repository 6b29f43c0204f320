package main

import (
	"maps"
	"slices"
	"time"

	"matchbook/infra/bootstrap"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// migration is the function that migrates the schema, and the custom resource that calls it.
type migration struct {
	function awslambda.Function
	resource awscdk.CustomResource
}

// newMigration migrates the schema during a deployment. CloudFormation calls the function as
// a custom resource whenever its bootstrap, which contains the migrations, the database or the
// ARN of a secret has changed. Make resources depend on the result, so that they change only if
// it succeeds.
func newMigration(s *site) migration {
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
	return migration{migrate, resource}
}

// checkSecrets lets the migrations read all functions' secrets, so that a wrong ARN fails the
// deployment before a new version starts without its secret. Call it after the last function.
func (s *site) checkSecrets() {
	checked := s.schema.resource.Node().DefaultChild().(awscdk.CfnResource)
	for _, name := range slices.Sorted(maps.Keys(s.secrets)) {
		secret := s.secrets[name]
		if name == variable.DatabaseURL {
			if name = variable.FunctionsDatabaseURL; s.database.made || *secret.arn == *s.database.owner.arn {
				continue // the migrations use it anyway
			}
		}
		s.schema.function.AddEnvironment(jsii.String(name+variable.SecretSuffix), secret.arn, nil)
		s.allowRead(s.schema.function.Role(), secret)
		checked.AddPropertyOverride(jsii.String("Secrets."+name), secret.arn)
	}
}
