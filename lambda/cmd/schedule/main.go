// Command schedule is the scheduled Lambda function for match offers: it queues them at nine
// in the morning in each time zone.
package main

import (
	"context"
	"errors"
	"os"
	_ "time/tzdata" // because the image may lack time zones

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

func main() { setup.Main(manifest.Schedule.Name, setup.LoadSchedule, open) }

func open(ctx context.Context, c setup.Config, t *telemetry.Telemetry) (handler any, close func(), err error) {
	schedule, close, err := setup.Schedule(ctx, c, t.Log)
	if err != nil {
		return nil, nil, err
	}
	t.Log.Info("time zones", "from", day.Source(os.Stat))
	return t.Handler(func(ctx context.Context) (offer.ScheduleReport, error) {
		report, err := schedule(ctx)
		if err != nil {
			err = errors.New(failure.Of(err).Text) // safe for the log and the response
		}
		return report, err
	}), close, nil
}
