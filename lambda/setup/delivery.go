package setup

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"matchbook/lambda/courier"
	"matchbook/lambda/courier/webhook"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry"
)

// newCourier returns the courier of match offers; nil without a receiver.
func newCourier(c Config, db *postgres.DB, log *slog.Logger) (*courier.Courier, error) {
	if c.Offers == (OffersConfig{}) {
		return nil, nil
	}
	to, err := webhook.New(webhook.Config{URL: c.Offers.URL, Secret: c.Offers.Secret})
	if err != nil {
		return nil, fmt.Errorf("configuration:\n%s, %s: %w",
			manifest.EnvOffersWebhookURL, manifest.EnvOffersWebhookSecret, err)
	}
	return &courier.Courier{Parcels: "sets", Outbox: db.Offers().Outbox(), Receiver: telemetry.CountReceiver(to, c.Metrics), Log: log}, nil
}

// delivering sends completed sets at the end of each batch.
type delivering struct {
	sqsjob.Runner
	sets *courier.Courier
}

const (
	// deliverFor bounds the time that a batch adds to its own for sets, so that a
	// slow receiver does not hold up the next batch. The sweep sends the rest.
	deliverFor = 3 * time.Second
	// respondReserve is kept free after that, to respond.
	respondReserve = 2 * time.Second
)

// Run runs the batch. Its messages are settled before the first set is sent.
func (d delivering) Run(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement {
	ends := d.Runner.Run(ctx, deliveries, m)
	limited, cancel := context.WithTimeout(ctx, deliverFor)
	defer cancel()
	deliver(limited, ctx, courier.Reserve+respondReserve, d.sets)
	return ends
}

// deliver runs the courier until ctx ends, or the reserve before the end of whole.
func deliver(ctx, whole context.Context, reserve time.Duration, c *courier.Courier) {
	if deadline, ok := whole.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
		defer cancel()
	}
	c.Run(ctx)
}

// outboxes returns a function that sends what waits for channels and for the
// receiver of match offers; nil without any of them. The sweep allows it
// manifest.NotifyReserve beyond its context.
func outboxes(relay func(context.Context), sets *courier.Courier) func(context.Context) {
	if sets == nil {
		return relay
	}
	return func(ctx context.Context) {
		var both sync.WaitGroup
		if relay != nil {
			both.Go(func() { relay(ctx) })
		}
		deliver(ctx, ctx, courier.Reserve-manifest.NotifyReserve, sets)
		both.Wait()
	}
}
