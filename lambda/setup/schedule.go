package setup

import (
	"context"
	"log/slog"

	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/telemetry"
)

// Schedule opens the scheduler of match offers, and returns a run of it. close
// releases what was opened.
func Schedule(ctx context.Context, c Config, log *slog.Logger) (
	run func(context.Context) (offer.ScheduleReport, error), close func(), err error) {
	queue, err := OpenQueue(ctx, manifest.Offer.QueueEnv(), c.QueueURL)
	if err != nil {
		return nil, nil, err
	}
	db, err := openDatabase(ctx, c, manifest.Schedule.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	s := &offer.Scheduler{Store: db.Offers(), Sender: queue, CatchUp: c.CatchUp, Log: log}
	go warnNewer(db, log)
	return func(ctx context.Context) (offer.ScheduleReport, error) {
		report, err := s.Run(ctx)
		telemetry.CountSchedule(c.Metrics, report)
		return report, err
	}, db.Close, nil
}
