package setup

import (
	"context"
	"log/slog"
	"os"

	"matchbook/lambda/job"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambda"
)

// Opener opens a function. handler is what Lambda invokes; close closes the
// adapters.
type Opener func(ctx context.Context, c Config, t *telemetry.Telemetry) (handler any, close func(), err error)

// Main is the main of the Lambda function with this name: it reads the
// environment, opens the function and serves its invocations. It logs why a
// function cannot start, and exits with 1.
func Main(function string, load func(Env) (Config, error), open Opener) {
	if err := serve(context.Background(), os.Getenv, function, load, open); err != nil {
		slog.Error("cannot start", "reason", err.Error())
		os.Exit(1)
	}
}

func serve(ctx context.Context, env Env, function string, load func(Env) (Config, error), open Opener) error {
	t := telemetry.New(env, function, os.Stdout, os.Stderr)
	t.SetDefault()
	config, err := load(env)
	if err != nil {
		return err
	}
	config.Metrics = t.Metrics
	handler, close, err := open(ctx, config, t)
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(handler, lambda.WithContext(ctx))
	return nil
}

// Main is the main of a function that a queue feeds. work runs once in a
// process, and returns the maker of an invocation's work, as Function takes it.
func (w Workload) Main(work func(Config) func(Opened) job.Work) {
	load := func(env Env) (Config, error) { return LoadFunction(env, w.Function) }
	Main(w.Name, load, func(ctx context.Context, c Config, t *telemetry.Telemetry) (any, func(), error) {
		h, close, err := Function(ctx, c, w, t.Log, work(c))
		if err != nil {
			return nil, nil, err
		}
		return t.Handler(h.Handle), close, nil
	})
}
