package setup

import (
	"context"
	"log/slog"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/telemetry"
)

// Schedule opens the scheduler of match offers, and returns a function for one run. You must
// call close.
func Schedule(ctx context.Context, c Config, log *slog.Logger) (
	run func(context.Context) (offer.ScheduleReport, error), close func(), err error) {
	queue, err := c.OpenQueue(ctx, manifest.Offer.QueueEnv(), c.QueueURL)
	if err != nil {
		return nil, nil, err
	}
	db, err := openDatabase(ctx, c, manifest.Schedule.PoolSize)
	if err != nil {
		return nil, nil, err
	}
	go warnNewer(db, log)
	return schedule(c, offers.New(db), queue, log), db.Close, nil
}

// schedule returns a function for one run of the scheduler, with counts.
func schedule(c Config, store *offers.Store, queue job.Sender, log *slog.Logger) func(context.Context) (
	offer.ScheduleReport, error) {
	s := &offer.Scheduler{Store: store, Sender: queue, CatchUp: c.CatchUp, Log: log}
	return func(ctx context.Context) (offer.ScheduleReport, error) {
		report, err := s.Run(ctx)
		telemetry.CountSchedule(c.Metrics, report)
		if unread := countDuplicates(ctx, c, store); err == nil {
			err = unread
		}
		return report, err
	}
}

// countDuplicates measures the duplicates in today's and yesterday's sets, since no zone
// completes older ones in time.
func countDuplicates(ctx context.Context, c Config, store *offers.Store) error {
	now, err := store.Now(ctx)
	if err != nil {
		return failure.At("read the time", err)
	}
	n, err := store.DuplicateOffers(ctx, day.Of(now.UTC())-1)
	if err == nil {
		c.Metrics.Measure(metric.DuplicateOffers, float64(n))
	}
	return err
}
