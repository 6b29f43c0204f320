package setup

import (
	"context"
	"log/slog"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"
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
	store := db.Offers()
	s := &offer.Scheduler{Store: store, Sender: queue, CatchUp: c.CatchUp, Log: log}
	go warnNewer(db, log)
	return func(ctx context.Context) (offer.ScheduleReport, error) {
		report, err := s.Run(ctx)
		telemetry.CountSchedule(c.Metrics, report)
		if unread := countDuplicates(ctx, c, store); err == nil {
			err = unread
		}
		return report, err
	}, db.Close, nil
}

// countDuplicates measures the duplicates in the sets of today and of yesterday, which
// are all that a zone may still complete in time.
func countDuplicates(ctx context.Context, c Config, store *postgres.Offers) error {
	now, err := store.Now(ctx)
	if err != nil {
		return failure.At("read the time", err)
	}
	n, err := store.DuplicateOffers(ctx, day.Of(now.UTC())-1)
	if err == nil {
		c.Metrics.Measure(manifest.MetricDuplicateOffers, float64(n))
	}
	return err
}
