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
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/notify/webhook"
	"matchbook/lambda/postgres"
	"matchbook/lambda/telemetry"
)

// newOutboxRelays returns the relays of match offers and of events, as far as there are
// receivers.
func newOutboxRelays(c Config, db *postgres.DB, log *slog.Logger) (list []*outbox.Relay, err error) {
	for _, r := range []struct {
		config               ReceiverConfig
		url, secret, refused string
		parcels              string
		outbox               outbox.Outbox
	}{
		{c.Offers, variable.OffersWebhookURL, variable.OffersWebhookSecret, metric.RefusedSets,
			"sets", db.Offers().Outbox()},
		{c.Events, variable.EventsWebhookURL, variable.EventsWebhookSecret, metric.RefusedEvents,
			"events", db.Events()},
	} {
		if r.config == (ReceiverConfig{}) {
			continue
		}
		to, err := webhook.New(webhook.Config{URL: r.config.URL, Secret: r.config.Secret})
		if err != nil {
			return nil, fmt.Errorf("configuration:\n%s, %s: %w", r.url, r.secret, err)
		}
		list = append(list, &outbox.Relay{Parcels: r.parcels, Outbox: r.outbox,
			Receiver: telemetry.CountReceiver(to, c.Metrics, r.refused), Log: log})
	}
	return list, nil
}

// sending sends completed sets, and events, at the end of each batch.
type sending struct {
	sqsjob.Runner
	relays []*outbox.Relay
	// record is called before each batch, so that none of its events is missed.
	record func(context.Context)
}

const (
	// sendFor bounds the time that a batch adds to its own for parcels, so that a
	// slow receiver does not hold up the next batch. The sweep sends the rest.
	sendFor = 3 * time.Second
	// respondReserve is kept free after that, to respond.
	respondReserve = 2 * time.Second
)

// Run runs the batch. Its messages are settled before the first parcel is sent.
func (d sending) Run(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement {
	if d.record != nil {
		d.record(ctx)
	}
	ends := d.Runner.Run(ctx, deliveries, m)
	limited, cancel := context.WithTimeout(ctx, sendFor)
	defer cancel()
	sendParcels(limited, ctx, outbox.Reserve+respondReserve, d.relays)
	return ends
}

// sendParcels runs the relays until ctx ends, or the reserve before the end of whole.
func sendParcels(ctx, whole context.Context, reserve time.Duration, relays []*outbox.Relay) {
	if deadline, ok := whole.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
		defer cancel()
	}
	var all sync.WaitGroup
	for _, c := range relays {
		all.Go(func() { c.Run(ctx) })
	}
	all.Wait()
}

// outboxes returns a function that sends what waits for channels and for receivers;
// nil without any of them. The sweep allows it manifest.NotifyReserve beyond its
// context.
func outboxes(notify func(context.Context), relays []*outbox.Relay) func(context.Context) {
	if len(relays) == 0 {
		return notify
	}
	return func(ctx context.Context) {
		var both sync.WaitGroup
		if notify != nil {
			both.Go(func() { notify(ctx) })
		}
		sendParcels(ctx, ctx, outbox.Reserve-manifest.NotifyReserve, relays)
		both.Wait()
	}
}
