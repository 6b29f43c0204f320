package setup

import (
	"context"
	"log/slog"
	"sync"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"
)

// eventRecorder returns a function that turns the recording of events on, once; nil without a
// receiver. It must never turn it off, because a process without the variables would lose the
// events of others.
func eventRecorder(c Config, db *postgres.DB, log *slog.Logger) func(context.Context) {
	if c.Events == (ReceiverConfig{}) {
		return nil
	}
	var mu sync.Mutex
	on := false
	return func(ctx context.Context) {
		mu.Lock()
		defer mu.Unlock()
		if on {
			return
		}
		err := events.New(db).Record(ctx)
		if on = err == nil; !on {
			log.Error("recording of events not turned on; will retry", "reason", failure.Of(err).Text)
		}
	}
}

const forgetMost = 10_000

// recordAndForget returns a function for the sweep. It turns the recording of events on if they
// have a receiver, and deletes old ones.
func recordAndForget(c Config, db *postgres.DB, log *slog.Logger) func(context.Context) {
	record := eventRecorder(c, db, log)
	return func(ctx context.Context) {
		if record != nil {
			record(ctx)
		}
		if _, err := events.New(db).Forget(ctx, forgetMost); err != nil && ctx.Err() == nil {
			log.Error("deleting old events failed", "reason", failure.Of(err).Text)
		}
	}
}
