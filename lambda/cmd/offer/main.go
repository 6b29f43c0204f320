// Command offer is the Lambda function that composes the match offers of users, one
// job for each user and date, named by an SQS event.
package main

import (
	"context"
	"log/slog"
	"os"
	"sync"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"
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
	telemetry := telemetry.New(env, manifest.Offer.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadFunction(env, manifest.Offer)
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	w := setup.Workload{Function: manifest.Offer, Table: postgres.Tables[manifest.Offer.Name]}
	handler, close, err := setup.Function(ctx, config, w, telemetry.Log, work(config))
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(telemetry.Handler(handler.Handle), lambda.WithContext(ctx))
	return nil
}

// work returns the maker of an invocation's work. All invocations of an instance
// share the rosters that it has read.
func work(c setup.Config) func(setup.Opened) job.Work {
	shared := offer.Offerer{Deliver: c.Offers.URL != ""}
	var once sync.Once
	return func(o setup.Opened) job.Work {
		once.Do(func() {
			store := o.DB.Offers()
			shared.Store, shared.Rankings = store, &offer.Cache{Rosters: store}
		})
		return shared.Offer
	}
}
