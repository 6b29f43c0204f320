// Command sweep is the scheduled Lambda function that repairs what crashed or
// got lost.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"matchbook/lambda/failure"
	"matchbook/lambda/job/sweep"
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
	telemetry := telemetry.New(env, manifest.Sweep.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadSweep(env, manifest.Functions())
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	sweeper, close, err := setup.Sweep(ctx, config, telemetry.Log, setup.Workloads())
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(telemetry.Handler(func(ctx context.Context) (sweep.Report, error) {
		report, err := sweeper.Run(ctx)
		if err != nil {
			err = errors.New(failure.Of(err).Text) // it is logged, and part of the response
		}
		return report, err
	}), lambda.WithContext(ctx))
	return nil
}
