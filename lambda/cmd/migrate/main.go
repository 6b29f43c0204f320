// Command migrate is the Lambda function for schema migrations. CloudFormation runs it as a
// custom resource before a new version takes traffic. Use the event {} to run it by hand.
package main

import (
	"context"
	"os"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/schema"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() { run(context.Background(), os.Getenv) }

// run reads the configuration in every invocation, because its errors must reach
// CloudFormation, which otherwise waits an hour for an answer.
func run(ctx context.Context, env setup.Env) {
	telemetry := telemetry.New(env, manifest.Migrate.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	r := &resource{log: telemetry.Log, migrate: func(ctx context.Context) ([]schema.Migration, error) {
		config, err := setup.LoadMigrate(env)
		if err != nil {
			return nil, err
		}
		return setup.Migrate(ctx, config)
	}}
	lambda.StartWithOptions(telemetry.Handler(r.handle), lambda.WithContext(ctx))
}
