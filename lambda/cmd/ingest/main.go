// Command ingest is the Lambda function that reads the files named by an
// SQS event.
package main

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"

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
	// A file of a few bytes can unpack to hundreds of MB, which are garbage soon.
	// Without a limit the collector waits until as much again was allocated. The
	// last quarter is for memory that it does not know.
	debug.SetMemoryLimit(int64(manifest.Ingest.MemoryMB) << 20 / 4 * 3)
	telemetry := telemetry.New(env, manifest.Ingest.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadFunction(env, manifest.Ingest)
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
