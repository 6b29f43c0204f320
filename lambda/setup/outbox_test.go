package setup

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

func TestInvalidReceiver(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t, postgrestest.URL(t))
	for want, c := range map[string]ReceiverConfig{
		"":                      {},
		"OFFERS_WEBHOOK_URL":    {URL: "http://example.com/PLANTED", Secret: "PLANTED-PLANTED-PLANTED"},
		"secret must be whsec_": {URL: "https://example.com/PLANTED", Secret: "PLANTED-PLANTED-PLANTED"},
	} {
		relays, err := newOutboxRelays(Config{Offers: c}, db, slog.New(slog.DiscardHandler))
		if (err != nil) != (want != "") || relays != nil {
			t.Errorf("%q: got %v, %v", want, relays, err)
		}
		if err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PLANTED")) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A completed set is sent when its batch has ended, and by the sweep.
func TestSetsAreSent(t *testing.T) {
	t.Parallel()
	var got atomic.Int32
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	t.Cleanup(receiver.Close)
	url := postgrestest.URL(t)
	db, conn := postgrestest.Open(t, url), postgrestest.Conn(t, url)
	tenant := uuid.New()
	complete := func() {
		t.Helper()
		for _, sql := range []string{
			"INSERT INTO tenant VALUES ($1, 'Testers') ON CONFLICT DO NOTHING",
			"INSERT INTO offer_user (id, tenant_id, timezone) SELECT gen_random_uuid(), $1, 'UTC'",
			`INSERT INTO matchmaking_job
				(id, tenant_id, date, timezone, user_id, job_status, offers, input_digest, offered_at, expires_at)
				SELECT id, $1, '2026-03-02', 'UTC', id, 'succeeded', '[]', '\x01', now(), now() FROM offer_user WHERE tenant_id = $1
				ON CONFLICT DO NOTHING`,
			"INSERT INTO offer_delivery (job_id) SELECT id FROM matchmaking_job WHERE tenant_id = $1 ON CONFLICT DO NOTHING",
		} {
			must.Get(conn.Exec(t.Context(), sql, tenant))(t)
		}
	}
	c := Config{Offers: ReceiverConfig{URL: receiver.URL, Secret: "whsec_YS1zZWNyZXQtZm9yLXRlc3RzLW9ubHkh"}}
	relays := must.Get(newOutboxRelays(c, db, slog.New(slog.DiscardHandler)))(t)
	complete()
	batch := ended{func() {
		if n := got.Load(); n != 0 {
			t.Errorf("%d sets were sent before the batch had ended", n)
		}
	}}
	if ends := (withOutboxes{batch, relays, nil}).Run(t.Context(), nil, nil); len(ends) != 1 || got.Load() != 1 {
		t.Errorf("got %d ends, %d sets", len(ends), got.Load())
	}
	complete()
	notified := false
	outboxes(func(context.Context) { notified = true }, relays)(t.Context())
	if !notified || got.Load() != 2 {
		t.Errorf("notified: %t, %d sets", notified, got.Load())
	}
}

// ended is a runner with one end.
type ended struct{ run func() }

func (e ended) Run(context.Context, []job.Delivery, job.Messages) []job.Settlement {
	e.run()
	return make([]job.Settlement, 1)
}

// endless has sets without end, which a receiver does not answer.
type endless struct{}

func (endless) Claim(_ context.Context, n int, _ time.Duration) ([]outbox.Parcel, error) {
	return make([]outbox.Parcel, n), nil
}
func (endless) Delivered(context.Context, []uuid.UUID) error { return nil }
func (endless) Release(ctx context.Context, _ []outbox.Return) error {
	<-ctx.Done() // the database does not answer either
	return ctx.Err()
}
func (endless) Send(ctx context.Context, _ outbox.Parcel) error {
	<-ctx.Done()
	return ctx.Err()
}

// A receiver and a database that do not answer leave a batch the time to respond, and
// the sweep the time that it has for measuring.
func TestDeliveryEndsInTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		invocation, most time.Duration
		run              func(context.Context, *outbox.Relay)
	}{
		"a batch":                   {time.Minute, 13 * time.Second, runBatch},
		"a batch that took long":    {13 * time.Second, 11 * time.Second, runBatch},
		"a batch without time left": {12 * time.Second, 0, runBatch},
		"the sweep": {time.Minute, time.Minute + manifest.NotifyReserve, func(ctx context.Context, c *outbox.Relay) {
			outboxes(nil, []*outbox.Relay{c})(ctx)
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tc.invocation)
			defer cancel()
			began := time.Now()
			tc.run(ctx, &outbox.Relay{Outbox: endless{}, Receiver: endless{}, Log: slog.New(slog.DiscardHandler)})
			if took := time.Since(began); took > tc.most {
				t.Errorf("%s took %s, want at most %s", name, took, tc.most)
			}
		})
	}
}

// accepting takes 800 ms for each round of sets: no round ends at the same moment as
// the time does.
type accepting struct{ endless }

func (accepting) Send(context.Context, outbox.Parcel) error {
	<-time.After(800 * time.Millisecond)
	return nil
}

// A receiver that is slow, but up, does not hold up the next batch; the sweep goes on.
func TestDeliveryIsShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &outbox.Relay{Outbox: endless{}, Receiver: accepting{}, Log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		runBatch(ctx, c)
		if took := time.Since(began); took != 3200*time.Millisecond { // the round that is on when 3 s are over ends
			t.Errorf("after a batch: %s", took)
		}
		began = time.Now()
		outboxes(nil, []*outbox.Relay{c})(ctx)
		if took := time.Since(began); took != 52*time.Second { // of 56.8, less the five that a send may take: 51.8
			t.Errorf("in the sweep: %s", took)
		}
	})
}

func runBatch(ctx context.Context, c *outbox.Relay) {
	withOutboxes{ended{func() {}}, []*outbox.Relay{c}, nil}.Run(ctx, nil, nil)
}
