// Command inbox is the Lambda function that starts an ingestion for each file
// that is laid into the inbox.
package main

import (
	"context"
	"log/slog"
	"os"

	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	if err := run(context.Background(), os.Getenv); err != nil {
		slog.Error("cannot start", "reason", err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, env setup.Env) error {
	telemetry := telemetry.New(env, manifest.Inbox.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadFunction(env, manifest.Inbox)
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	handler, close, err := open(ctx, config, telemetry.Log)
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(telemetry.Handler(handler.Handle), lambda.WithContext(ctx))
	return nil
}
