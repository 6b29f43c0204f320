package setup

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/notify/webhook"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry"
)

// newCouriers returns the couriers of match offers and of events, as far as there are
// receivers.
func newCouriers(c Config, db *postgres.DB, log *slog.Logger) (list []*outbox.Courier, err error) {
	for _, r := range []struct {
		config               ReceiverConfig
		url, secret, refused string
		parcels              string
		outbox               outbox.Outbox
	}{
		{c.Offers, manifest.EnvOffersWebhookURL, manifest.EnvOffersWebhookSecret, manifest.MetricRefusedSets,
			"sets", db.Offers().Outbox()},
		{c.Events, manifest.EnvEventsWebhookURL, manifest.EnvEventsWebhookSecret, manifest.MetricRefusedEvents,
			"events", db.Events()},
	} {
		if r.config == (ReceiverConfig{}) {
			continue
		}
		to, err := webhook.New(webhook.Config{URL: r.config.URL, Secret: r.config.Secret})
		if err != nil {
			return nil, fmt.Errorf("configuration:\n%s, %s: %w", r.url, r.secret, err)
		}
		list = append(list, &outbox.Courier{Parcels: r.parcels, Outbox: r.outbox,
			Receiver: telemetry.CountReceiver(to, c.Metrics, r.refused), Log: log})
	}
	return list, nil
}

// delivering sends completed sets, and events, at the end of each batch.
type delivering struct {
	sqsjob.Runner
	couriers []*outbox.Courier
	// record is called before each batch, so that none of its events is missed.
	record func(context.Context)
}

const (
	// deliverFor bounds the time that a batch adds to its own for parcels, so that a
	// slow receiver does not hold up the next batch. The sweep sends the rest.
	deliverFor = 3 * time.Second
	// respondReserve is kept free after that, to respond.
	respondReserve = 2 * time.Second
)

// Run runs the batch. Its messages are settled before the first parcel is sent.
func (d delivering) Run(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement {
	if d.record != nil {
		d.record(ctx)
	}
	ends := d.Runner.Run(ctx, deliveries, m)
	limited, cancel := context.WithTimeout(ctx, deliverFor)
	defer cancel()
	deliver(limited, ctx, outbox.Reserve+respondReserve, d.couriers)
	return ends
}

// deliver runs the couriers until ctx ends, or the reserve before the end of whole.
func deliver(ctx, whole context.Context, reserve time.Duration, couriers []*outbox.Courier) {
	if deadline, ok := whole.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
		defer cancel()
	}
	var all sync.WaitGroup
	for _, c := range couriers {
		all.Go(func() { c.Run(ctx) })
	}
	all.Wait()
}

// outboxes returns a function that sends what waits for channels and for receivers;
// nil without any of them. The sweep allows it manifest.NotifyReserve beyond its
// context.
func outboxes(relay func(context.Context), couriers []*outbox.Courier) func(context.Context) {
	if len(couriers) == 0 {
		return relay
	}
	return func(ctx context.Context) {
		var both sync.WaitGroup
		if relay != nil {
			both.Go(func() { relay(ctx) })
		}
		deliver(ctx, ctx, outbox.Reserve-manifest.NotifyReserve, couriers)
		both.Wait()
	}
}
