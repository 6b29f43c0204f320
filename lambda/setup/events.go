package setup

import (
	"context"
	"log/slog"
	"sync"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"
)

// recording returns a function that has events recorded where they have a receiver,
// once; nil without a receiver. It never ends the record: a process without the
// variables must not lose the events of others.
func recording(c Config, db *postgres.DB, log *slog.Logger) func(context.Context) {
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
		err := db.Events().Record(ctx)
		if on = err == nil; !on {
			log.Error("events are not recorded yet", "reason", failure.Of(err).Text)
		}
	}
}

// forgetMost bounds the delivered events that a sweep deletes.
const forgetMost = 10_000

// recordAndForget returns a function of the sweep: it has events recorded, where they
// have a receiver, and deletes old ones.
func recordAndForget(c Config, db *postgres.DB, log *slog.Logger) func(context.Context) {
	record := recording(c, db, log)
	return func(ctx context.Context) {
		if record != nil {
			record(ctx)
		}
		if _, err := db.Events().Forget(ctx, forgetMost); err != nil && ctx.Err() == nil {
			log.Error("cannot delete old events", "reason", failure.Of(err).Text)
		}
	}
}
