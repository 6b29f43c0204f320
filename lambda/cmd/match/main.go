// Command match is the Lambda function that matches the documents named by an
// SQS event.
package main

import (
	"context"
	"log/slog"
	"os"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/match"
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
	telemetry := telemetry.New(env, manifest.Match.Name, os.Stdout, os.Stderr)
	telemetry.SetDefault()
	config, err := setup.LoadFunction(env, manifest.Match)
	if err != nil {
		return err
	}
	config.Metrics = telemetry.Metrics
	w := setup.Workload{Function: manifest.Match, Table: postgres.Tables[manifest.Match.Name]}
	handler, close, err := setup.Function(ctx, config, w, telemetry.Log, func(o setup.Opened) job.Work {
		m := &match.Matcher{Store: o.DB, Log: o.Log, Model: o.Model, Embeddings: o.Embeddings, Sender: o.Queue}
		return m.Match
	})
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(telemetry.Handler(handler.Handle), lambda.WithContext(ctx))
	return nil
}
