package setup

import (
	"context"
	"log/slog"
	"os"

	"matchbook/lambda/job"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambda"
)

// Opener opens a function: handler serves Lambda's invocations, and close closes its adapters.
type Opener func(ctx context.Context, c Config, t *telemetry.Telemetry) (handler any, close func(), err error)

// Main is the main function of the named Lambda function. It reads the environment, opens the
// function and serves its invocations. If that fails, it logs the reason and exits with 1.
func Main(function string, load func(Env) (Config, error), open Opener) {
	if err := serve(context.Background(), os.Getenv, function, load, open); err != nil {
		slog.Error("start failed", "reason", err.Error())
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
	t.Trace(config.Trace)
	handler, close, err := open(ctx, config, t)
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(probed(handler, config), lambda.WithContext(ctx))
	return nil
}

// Main is the main function of a function fed by a queue. It calls work once per process; see
// Function for its result.
func (w Workload) Main(work func(Config) func(Opened) job.Work) {
	load := func(env Env) (Config, error) { return LoadFunction(env, w.Function) }
	Main(w.Name, load, w.Opener(work))
}

// Opener returns the opener of a function that needs only the adapters in Opened.
func (w Workload) Opener(work func(Config) func(Opened) job.Work) Opener {
	return func(ctx context.Context, c Config, t *telemetry.Telemetry) (any, func(), error) {
		h, close, err := Function(ctx, c, w, t.Log, work(c))
		if err != nil {
			return nil, nil, err
		}
		return t.Handler(h.Handle), close, nil
	}
}
