// Command example is an example of a workload, whole: a row like those of the manifest, a table, a store
// with one write, the work, and this main. The tests beside it run it in the local stack; nothing
// deploys it.
package main

import (
	"context"
	"log/slog"
	"os"

	"matchbook/lambda/job"
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
	telemetry := telemetry.New(env, lamps.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadFunction(env, lamps.Function)
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	handler, close, err := setup.Function(ctx, config, lamps, telemetry.Log, func(o setup.Opened) job.Work {
		return lamp{store{o.Jobs}}.Light
	})
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(telemetry.Handler(handler.Handle), lambda.WithContext(ctx))
	return nil
}
