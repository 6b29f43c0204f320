// Command review is the Lambda function that reads the chunks of contracts
// named by an SQS event.
package main

import (
	"context"
	"log/slog"
	"os"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/review"
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
	telemetry := telemetry.New(env, manifest.Review.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadFunction(env, manifest.Review)
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	w := setup.Workload{Function: manifest.Review, Table: postgres.Tables[manifest.Review.Name]}
	handler, close, err := setup.Function(ctx, config, w, telemetry.Log, work(config))
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(telemetry.Handler(handler.Handle), lambda.WithContext(ctx))
	return nil
}

// work returns the maker of an invocation's work. All invocations of an instance
// share the slots of its calls.
func work(c setup.Config) func(setup.Opened) job.Work {
	shared := review.Reviewer{Slots: make(chan struct{}, c.CallsInFlight), Paused: telemetry.CountPause(c.Metrics)}
	if c.Model != nil {
		shared.Price = c.Model.Price
	}
	return func(o setup.Opened) job.Work {
		r := shared
		r.Store, r.Model, r.Sender, r.Log = o.DB.Reviews(), o.Model, o.Queue, o.Log
		return r.Review
	}
}
