// Command schedule is the scheduled Lambda function that queues match offers, in
// each time zone at nine in the morning.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	_ "time/tzdata" // for machines without a folder of time zones

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
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
	telemetry := telemetry.New(env, manifest.Schedule.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadSchedule(env)
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	schedule, close, err := setup.Schedule(ctx, config, telemetry.Log)
	if err != nil {
		return err
	}
	defer close()
	telemetry.Log.Info("time zones", "from", day.Source(os.Stat))
	lambda.StartWithOptions(telemetry.Handler(func(ctx context.Context) (offer.ScheduleReport, error) {
		report, err := schedule(ctx)
		if err != nil {
			err = errors.New(failure.Of(err).Text) // it is logged, and part of the response
		}
		return report, err
	}), lambda.WithContext(ctx))
	return nil
}
