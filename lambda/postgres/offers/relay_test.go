package offers_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/notify/webhook"
	"matchbook/lambda/postgres/events"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const webhookSecret = "whsec_YS1zZWNyZXQtZm9yLXRlc3RzLW9ubHkh"

// receiver accepts sets over HTTP, checks their signatures, and keeps bodies by key.
type receiver struct {
	t      *testing.T
	url    string
	answer func(n int, job uuid.UUID) int // the status of the nth request; 0 closes the connection; may be nil

	mu     sync.Mutex
	asked  int
	taken  []uuid.UUID // accepted, or answered so that it looked otherwise
	bodies map[uuid.UUID]string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, bodies: map[uuid.UUID]string{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	id, err2 := uuid.Parse(req.Header.Get(webhook.IDHeader))
	err3 := must.Get(standardwebhooks.NewWebhook(webhookSecret))(r.t).Verify(body, req.Header)
	if err != nil || err2 != nil || err3 != nil {
		r.t.Errorf("request %v: %v, %v, %v", req.Header, err, err2, err3)
	}
	status := r.take(id, string(body))
	if status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
}

// take keeps a body, unless it answers that it does not.
func (r *receiver) take(id uuid.UUID, body string) (status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	status = http.StatusAccepted
	if r.answer != nil {
		status = r.answer(r.asked, id)
	}
	if known, ok := r.bodies[id]; ok && known != body {
		r.t.Errorf("job %s was sent as\n%s\nand as\n%s", id, known, body)
	}
	r.bodies[id] = body
	if status/100 == 2 || status == 0 {
		r.taken = append(r.taken, id)
	}
	return status
}

func (r *receiver) answers(answer func(n int, job uuid.UUID) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer, r.asked = answer, 0
}

// got returns the accepted sets, sorted, and the number of requests since answers.
func (r *receiver) got() (ids []uuid.UUID, asked int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids = slices.Clone(r.taken)
	sortIDs(ids)
	return ids, r.asked
}

func sortIDs(ids []uuid.UUID) {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
}

// relay returns the relay of a new process.
func (o *fixture) relay(r *receiver, box outbox.Outbox) *outbox.Relay {
	o.T.Helper()
	to := must.Get(webhook.New(webhook.Config{URL: r.url, Secret: webhookSecret}))(o.T)
	return &outbox.Relay{Parcels: "sets", Outbox: box, Receiver: to, Log: slog.New(slog.DiscardHandler)}
}

func (o *fixture) run(r *receiver) { o.relay(r, o.store.Outbox()).Run(o.T.Context()) }

// A receiver that is gone gets one round of sets, whatever process runs, until it has another URL.
func TestGoneReceiver(t *testing.T) {
	t.Parallel()
	o, r := newFixture(t), newReceiver(t)
	o.completed(100, 20)
	run := func(path string, status int) (asked int) {
		t.Helper()
		r.answers(func(int, uuid.UUID) int { return status })
		relay := o.relay(r, o.store.Outbox())
		relay.Switch = events.Receiver(o.DB, "sets", r.url+path)
		relay.Run(t.Context())
		o.Advance(time.Hour)
		_, asked = r.got()
		return asked
	}
	for i, step := range []struct {
		path   string
		status int
		want   int // requests
	}{
		{"/old", http.StatusServiceUnavailable, 16}, {"/old", http.StatusGone, 16}, {"/old", http.StatusOK, 0},
		{"/new", http.StatusGone, 16}, {"/new", http.StatusOK, 0}, {"/old", http.StatusOK, 20},
	} {
		if got := run(step.path, step.status); got != step.want {
			t.Errorf("step %d, %d at %s: %d requests, want %d", i, step.status, step.path, got, step.want)
		}
	}
	o.wantUndelivered(0, 0)
}

// An outage loses nothing and costs few requests: each process asks with one round of
// sets, and then leaves the receiver alone. The sets that were not tried keep their
// place; all of them arrive once.
func TestReceiverOutage(t *testing.T) {
	t.Parallel()
	o, r := newFixture(t), newReceiver(t)
	jobs := o.completed(100, 50)
	r.answers(func(int, uuid.UUID) int { return http.StatusServiceUnavailable })
	process := o.relay(r, o.store.Outbox())
	for range 5 {
		process.Run(t.Context())
	}
	if ids, asked := r.got(); len(ids) > 0 || asked != 16 {
		t.Errorf("accepted %d of %d requests, want 0 of 16", len(ids), asked)
	}
	o.wantUndelivered(50, 50*time.Second)
	r.answers(nil)
	o.run(r)
	sortIDs(jobs[16:])
	if ids, _ := r.got(); !slices.Equal(ids, jobs[16:]) {
		t.Errorf("accepted %d, want the 34 that were not tried", len(ids))
	}
	o.Advance(29 * time.Second)
	o.run(r)
	o.wantUndelivered(16, 79*time.Second)
	o.Advance(time.Second)
	o.run(r)
	sortIDs(jobs)
	if ids, _ := r.got(); !slices.Equal(ids, jobs) {
		t.Errorf("accepted %d, want each of 50 once", len(ids))
	}
	o.wantUndelivered(0, 0)
}

// A set is sent a second time after a lost answer only, with the same key and bytes.
func TestLostAnswerResendsSet(t *testing.T) {
	t.Parallel()
	o, r := newFixture(t), newReceiver(t)
	jobs := o.completed(100, 3)
	r.answers(func(_ int, job uuid.UUID) int {
		if job == jobs[1] {
			return 0 // accepted, and the connection breaks
		}
		return http.StatusOK
	})
	o.run(r)
	r.answers(nil)
	o.Advance(time.Hour)
	o.run(r)
	want := slices.Concat(jobs, jobs[1:2])
	sortIDs(want)
	if ids, _ := r.got(); !slices.Equal(ids, want) {
		t.Errorf("accepted %v, want %v", ids, want)
	}
}

// dying is the outbox of a process that dies between an answer and its record.
type dying struct{ outbox.Outbox }

func (dying) Delivered(context.Context, []uuid.UUID) error { return context.Canceled }

func TestDeadSenderSets(t *testing.T) {
	t.Parallel()
	o, r := newFixture(t), newReceiver(t)
	jobs := o.completed(100, 3)
	o.relay(r, dying{o.store.Outbox()}).Run(t.Context())
	o.Advance(time.Minute - time.Second)
	o.run(r)
	if ids, asked := r.got(); asked != 3 {
		t.Errorf("accepted %v by %d requests while the claim lasted, want 3", ids, asked)
	}
	o.Advance(time.Second)
	o.run(r)
	want := slices.Concat(jobs, jobs)
	sortIDs(want)
	if ids, _ := r.got(); !slices.Equal(ids, want) {
		t.Errorf("accepted %v, want each of %v twice", ids, jobs)
	}
	o.wantUndelivered(0, 0)
}

// Many senders at once send each set once.
func TestRelaysShareTheSets(t *testing.T) {
	t.Parallel()
	o, r := newFixture(t), newReceiver(t)
	jobs := o.completed(100, 60)
	var all sync.WaitGroup
	for range 4 {
		c := o.relay(r, o.store.Outbox())
		all.Go(func() { c.Run(t.Context()) })
	}
	all.Wait()
	sortIDs(jobs)
	if ids, asked := r.got(); !slices.Equal(ids, jobs) || asked != 60 {
		t.Errorf("accepted %d by %d requests, want each of 60 once", len(ids), asked)
	}
}

// A set that the receiver refuses stays, waits an hour, and holds up no other.
func TestRefusedSetStays(t *testing.T) {
	t.Parallel()
	o, r := newFixture(t), newReceiver(t)
	jobs := o.completed(100, 40)
	refuse := func(_ int, job uuid.UUID) int {
		if slices.Contains(jobs[:20], job) {
			return http.StatusUnprocessableEntity
		}
		return http.StatusNoContent
	}
	r.answers(refuse)
	o.run(r)
	if ids, asked := r.got(); len(ids) != 20 || asked != 40 {
		t.Errorf("accepted %d by %d requests, want 20 by 40", len(ids), asked)
	}
	o.Advance(time.Hour - time.Second)
	o.run(r)
	o.wantUndelivered(20, time.Hour-time.Second+40*time.Second)
	o.lists("SELECT job_id, error FROM offer_delivery WHERE delivered_at IS NULL ORDER BY job_id LIMIT 1", []string{
		jobs[0].String() + " receiver refused the request (HTTP 422)"})
	r.answers(nil)
	o.Advance(time.Second)
	o.run(r)
	if ids, asked := r.got(); len(ids) != 40 || asked != 20 {
		t.Errorf("accepted %d, the last by %d requests, want 40, 20", len(ids), asked)
	}
}

// BenchmarkOutboxRelay measures claims, requests over HTTP to this machine, and records.
func BenchmarkOutboxRelay(b *testing.B) {
	for _, answer := range []time.Duration{0, 100 * time.Millisecond} {
		b.Run(answer.String(), func(b *testing.B) {
			url := postgrestest.URL(b)
			conn := postgrestest.Conn(b, url)
			for _, sql := range []string{
				`INSERT INTO tenant VALUES ($1, 'Testers')`,
				`INSERT INTO offer_user (id, tenant_id, timezone)
				SELECT gen_random_uuid(), $1, 'UTC' FROM generate_series(1, 2000)`,
				`INSERT INTO matchmaking_job
				(id, tenant_id, date, timezone, user_id, job_status, offers, input_digest, offered_at, expires_at)
				SELECT id, $1, '2026-03-02', 'UTC', id, 'succeeded', (SELECT jsonb_agg(jsonb_build_object(
					'candidate_id', gen_random_uuid(), 'rank', n, 'score', 100 - n)) FROM generate_series(1, 10) AS n),
				'\x01', now(), now() FROM offer_user`,
				`INSERT INTO offer_delivery (job_id) SELECT id FROM matchmaking_job WHERE tenant_id = $1`,
			} {
				must.Get(conn.Exec(b.Context(), sql, tenant))(b)
			}
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-time.After(answer) }))
			b.Cleanup(server.Close)
			to := must.Get(webhook.New(webhook.Config{URL: server.URL, Secret: webhookSecret}))(b)
			c := outbox.Relay{Outbox: offers.New(postgrestest.Open(b, url)).Outbox(), Receiver: to, Log: slog.New(slog.DiscardHandler)}
			for b.Loop() {
				must.Get(conn.Exec(b.Context(), "UPDATE offer_delivery SET delivered_at = NULL"))(b)
				c.Run(b.Context())
			}
			b.ReportMetric(2000*float64(b.N)/b.Elapsed().Seconds(), "sets/s")
		})
	}
}
