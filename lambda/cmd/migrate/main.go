// Command migrate is the Lambda function that brings the schema up to date
// while a new version is deployed. CloudFormation runs it as a custom
// resource, before the version takes traffic. It may also be run by hand, with
// the event {}.
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

// run reads the configuration anew in every invocation: an error of it has to be
// sent to CloudFormation, which otherwise waits an hour for an answer.
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
