// Command migrate is the Lambda function that deployments call. CloudFormation runs it as a custom
// resource, which migrates the schema before a new version takes traffic; CodeDeploy runs it
// before and after the traffic, to check the new version. Use the event {} to migrate by hand.
package main

import (
	"context"
	"os"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/schema"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"
)

func main() { run(context.Background(), os.Getenv) }

// event is CloudFormation's or CodeDeploy's.
type event struct {
	cfn.Event
	DeploymentID string `json:"DeploymentId"`
	ExecutionID  string `json:"LifecycleEventHookExecutionId"`
}

// run reads the configuration in every invocation, because its errors must reach the caller,
// which otherwise waits an hour for an answer.
func run(ctx context.Context, env setup.Env) {
	telemetry := telemetry.New(env, manifest.Migrate.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	migrations := &resource{log: telemetry.Log, migrate: func(ctx context.Context) ([]schema.Migration, error) {
		config, err := setup.LoadMigrate(env)
		if err == nil && env(variable.Rollout) != "" {
			err = reachable(ctx)
		}
		if err != nil {
			return nil, err
		}
		return migrate(ctx, config)
	}}
	rollout := &rollout{log: telemetry.Log, env: env}
	lambda.StartWithOptions(telemetry.Handler(func(ctx context.Context, e event) (any, error) {
		if e.DeploymentID != "" {
			return nil, rollout.handle(ctx, e)
		}
		return migrations.handle(ctx, e.Event)
	}), lambda.WithContext(ctx))
}
