// Command sweep is the scheduled Lambda function for repairs: it publishes or fails work that
// crashed or got lost.
package main

import (
	"context"
	"errors"

	"matchbook/lambda/failure"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

func main() { setup.Main(manifest.Sweep.Name, load, open) }

func load(env setup.Env) (setup.Config, error) { return setup.LoadSweep(env, manifest.Functions()) }

func open(ctx context.Context, c setup.Config, t *telemetry.Telemetry) (handler any, close func(), err error) {
	sweeper, close, err := setup.Sweep(ctx, c, t.Log, setup.Workloads())
	if err != nil {
		return nil, nil, err
	}
	return t.Handler(func(ctx context.Context) (sweep.Report, error) {
		report, err := sweeper.Run(ctx)
		if err != nil {
			err = errors.New(failure.Of(err).Text) // safe for the log and the response
		}
		return report, err
	}), close, nil
}
