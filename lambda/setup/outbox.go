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
	"matchbook/lambda/postgres/events"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/telemetry"
)

// newOutboxRelays returns the relays of match offers and of events with a configured receiver.
func newOutboxRelays(c Config, db *postgres.DB, log *slog.Logger) (list []*outbox.Relay, err error) {
	for _, r := range []struct {
		config               ReceiverConfig
		url, secret, refused string
		parcels              string
		outbox               outbox.Outbox
	}{
		{c.Offers, variable.OffersWebhookURL, variable.OffersWebhookSecret, metric.RefusedSets,
			"sets", offers.New(db).Outbox()},
		{c.Events, variable.EventsWebhookURL, variable.EventsWebhookSecret, metric.RefusedEvents,
			"events", events.New(db)},
	} {
		if r.config == (ReceiverConfig{}) {
			continue
		}
		to, err := webhook.New(webhook.Config{URL: r.config.URL, Secret: r.config.Secret})
		if err != nil {
			return nil, fmt.Errorf("configuration:\n%s, %s: %w", r.url, r.secret, err)
		}
		list = append(list, &outbox.Relay{Parcels: r.parcels, Outbox: r.outbox,
			Receiver: telemetry.CountReceiver(to, c.Metrics, r.refused), Switch: events.Receiver(db, r.parcels, r.config.URL), Log: log})
	}
	return list, nil
}

// withOutboxes is a Runner that sends due sets and events after each batch. See Function.
type withOutboxes struct {
	sqsjob.Runner
	relays []*outbox.Relay
	// record is called before each batch, so that no event of the batch is missed; see
	// eventRecorder. It may be nil.
	record func(context.Context)
}

const (
	// sendFor limits the time for parcels after a batch, so that a slow receiver doesn't delay
	// the next batch. The sweep sends the rest.
	sendFor = 3 * time.Second
	// respondReserve is kept free after that for the response.
	respondReserve = 2 * time.Second
)

// Run runs the batch. All its rows are settled before the first parcel is sent; the response, after
// it, carries the Acks.
func (d withOutboxes) Run(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement {
	if d.record != nil {
		d.record(ctx)
	}
	ends := d.Runner.Run(ctx, deliveries, m)
	limited, cancel := context.WithTimeout(ctx, sendFor)
	defer cancel()
	sendParcels(limited, ctx, outbox.Reserve+respondReserve, d.relays)
	return ends
}

// sendParcels runs the relays until ctx ends, or until reserve before the end of whole.
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

// outboxes returns a function that sends everything due in the outboxes; nil without channels
// and receivers. The sweep allows it manifest.NotifyReserve beyond its context.
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
