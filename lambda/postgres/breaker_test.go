package postgres_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/breaker"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const service, sentence = "gpt-test", "model provider failed (HTTP 503)"

type breakers struct {
	*postgres.Breakers
	*postgrestest.Fixture
}

func newBreakers(t *testing.T) *breakers {
	t.Helper()
	clock, url := postgrestest.WithClock(t, postgrestest.URL(t), time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC))
	db := postgrestest.Open(t, url)
	return &breakers{db.Breakers(), &postgrestest.Fixture{DB: db, Conn: postgrestest.Conn(t, url), Clock: clock, T: t}}
}

func (b *breakers) fail(row byte) breaker.State {
	b.T.Helper()
	return must.Get(b.Breakers.Count(b.T.Context(), service, breaker.FailedCall{Row: uuid.UUID{row}, Sentence: sentence}))(b.T)
}

func (b *breakers) open() breaker.State {
	b.T.Helper()
	b.fail(1)
	b.fail(2)
	return must.Get(b.Open(b.T.Context(), service, time.Minute))(b.T)
}

func (b *breakers) probe() bool {
	b.T.Helper()
	return must.Get(b.Probe(b.T.Context(), service, breaker.Lease))(b.T)
}

func (b *breakers) close(row byte) breaker.State {
	b.T.Helper()
	return must.Get(b.Close(b.T.Context(), service, uuid.UUID{row}))(b.T)
}

// told returns the notifications, kind and text.
func (b *breakers) told() (list []string) {
	b.T.Helper()
	rows, _ := b.Conn.Query(b.T.Context(), `SELECT kind || ': ' || (payload->>'error') FROM notification
		WHERE subject = 'service' AND payload->>'service' = $1 ORDER BY created_at`, service)
	return must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(b.T)
}

func TestCountFailedCalls(t *testing.T) {
	t.Parallel()
	b := newBreakers(t)
	for _, tc := range []struct {
		after  time.Duration
		row    byte
		closes bool
		want   breaker.State
	}{
		{row: 1, want: breaker.State{Failures: 1, Rows: 1}},
		{after: time.Second, row: 1, want: breaker.State{Failures: 2, Rows: 1, Lasted: time.Second}},
		{after: time.Second, row: 2, want: breaker.State{Failures: 3, Rows: 2, Lasted: 2 * time.Second}},
		{closes: true, want: breaker.State{Error: sentence}},
		{row: 3, want: breaker.State{Failures: 1, Rows: 1}},
		{after: time.Hour, row: 4, want: breaker.State{Failures: 1, Rows: 1}}, // a succession ends
	} {
		b.Advance(tc.after)
		tc.want.Phase, tc.want.Error = breaker.Closed, sentence
		happen := b.fail
		if tc.closes {
			happen = b.close
		}
		if got := happen(tc.row); got != tc.want {
			t.Errorf("row %d: got %+v, want %+v", tc.row, got, tc.want)
		}
	}
	if other := must.Get(b.Look(t.Context(), "gpt-other"))(t); other != (breaker.State{Phase: breaker.Closed}) {
		t.Errorf("another service: got %+v", other)
	}
}

// Many callers fail at once, and then wait for the probe: one opens, one probes.
func TestOneOpensOneProbes(t *testing.T) {
	t.Parallel()
	b := newBreakers(t)
	var taken atomic.Int32
	var all sync.WaitGroup
	each := func(f func(row byte)) {
		for i := range 20 {
			all.Go(func() { f(byte(i)) })
		}
		all.Wait()
	}
	each(func(row byte) {
		b.fail(row)
		must.Get(b.Open(t.Context(), service, time.Minute))(t)
	})
	each(func(byte) {
		if b.probe() {
			t.Error("a probe before it is due")
		}
	})
	b.Advance(time.Minute)
	each(func(byte) {
		if b.probe() {
			taken.Add(1)
		}
	})
	if told := b.told(); taken.Load() != 1 || len(told) != 1 {
		t.Errorf("%d probes, notifications %q; want one each", taken.Load(), told)
	}
	b.Advance(breaker.Lease) // the prober died
	if s := must.Get(b.Look(t.Context(), service))(t); s.Phase != breaker.HalfOpen || !s.Due || !b.probe() {
		t.Errorf("got %+v, want another probe", s)
	}
}

// A service that comes and goes is one outage, and its end is told once it has been calm.
func TestOnePairOfMessages(t *testing.T) {
	t.Parallel()
	b := newBreakers(t)
	for range 10 {
		b.open()
		b.Advance(time.Minute)
		if !b.probe() {
			t.Fatal("no probe")
		}
		s := must.Get(b.Reopen(t.Context(), service, breaker.FailedCall{Row: uuid.UUID{3}, Sentence: sentence, Wait: time.Minute}))(t)
		if s.Phase != breaker.Open || s.Probes != 1 || s.Rows != 3 || s.Due {
			t.Fatalf("after the probe: got %+v", s)
		}
		b.Advance(2 * time.Minute)
		b.probe()
		b.close(3)
		b.Advance(breaker.Calm)
		must.OK(t, b.EndOutages(t.Context()))
	}
	b.Advance(time.Second)
	for range 2 {
		must.OK(t, b.EndOutages(t.Context()))
	}
	want := []string{
		"outage: 2 calls in a row failed since 2026-03-02 10:00:00 UTC, the last one with: " + sentence +
			". Work that needs the service waits, and goes on by itself once the service is back. Nothing fails and nothing is lost.",
		"outage over: It was away from 2026-03-02 10:00 to 2026-03-02 12:00 UTC. 0 rows waited when it came back; " +
			"the sweep publishes them little by little.",
	}
	if got := b.told(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if s := must.Get(b.Look(t.Context(), service))(t); !s.Since.IsZero() || s.Phase != breaker.Closed {
		t.Errorf("got %+v", s)
	}
}

// A row that alone failed while others succeeded opens the breaker no more.
func TestPoisonRowIsKnown(t *testing.T) {
	t.Parallel()
	for success, want := range map[byte]bool{1: false, 2: true} {
		b := newBreakers(t)
		b.fail(1)
		must.Get(b.Open(t.Context(), service, time.Minute))(t)
		b.close(success)
		if s := b.fail(1); s.Alone != want {
			t.Errorf("success of %d: got %+v", success, s)
		}
		if s := b.fail(2); s.Alone {
			t.Errorf("two rows: got %+v", s)
		}
	}
}

// park claims a new document for a tenant, and parks it, after a call that was asked to wait.
func (b *breakers) park(tenant uuid.UUID, service string, wait time.Duration) (id uuid.UUID) {
	b.T.Helper()
	id = uuid.New()
	postgrestest.Exec(b.T, b.Conn, `INSERT INTO tenant VALUES ($1, 'Testers') ON CONFLICT DO NOTHING`, tenant)
	postgrestest.Exec(b.T, b.Conn, `INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_due_at,
		matching_published_at) VALUES ($1, $2, 'invoice', '{}', 'pending', now(), now())`, id, tenant)
	claims := must.Get(b.DB.Claim(b.T.Context(), []job.Delivery{{ID: id, Count: 1}}, time.Minute, false))(b.T)
	ok := must.Get(b.DB.Release(b.T.Context(), claims[0].Attempt,
		job.Release{Status: job.StatusPending, Reason: "waiting", Due: job.ParkedFor + wait, Service: service}))(b.T)
	if !ok {
		b.T.Fatal("not parked")
	}
	return id
}

// Parked rows are published once their service is back: some of each tenant first.
func TestUnpark(t *testing.T) {
	t.Parallel()
	b := newBreakers(t)
	large, small := uuid.New(), uuid.New()
	b.open()
	for range 5 {
		b.park(large, service, 0)
		b.Advance(time.Second)
	}
	last := b.park(small, service, 0)
	b.park(small, "gpt-unknown", 0) // nobody knows it: it waits until it is overdue
	unpark := func(most, want int) []job.Stamped {
		t.Helper()
		list := must.Get(b.DB.Unpark(t.Context(), most))(t)
		if len(list) != want {
			t.Fatalf("published %d rows, want %d", len(list), want)
		}
		return list
	}
	unpark(100, 0)
	b.Advance(time.Minute)
	unpark(100, 1) // for the probe
	b.probe()
	unpark(100, 0)
	b.close(1)
	if list := unpark(2, 2); list[0].ID != last && list[1].ID != last {
		t.Errorf("got %v, want a row of each tenant", list)
	}
	postgrestest.Exec(t, b.Conn, `UPDATE document SET matching_republished = 2`)
	unpark(100, 3)
	if n := postgrestest.Value[int](t, b.Conn, `SELECT count(*) FROM document WHERE matching_republished = 0`); n != 3 {
		t.Errorf("%d rows count their publications from none, want 3", n)
	}
	unpark(100, 0)
	b.park(small, service, 20*time.Minute)
	b.Advance(20*time.Minute - time.Second)
	unpark(100, 0)
	b.Advance(2 * time.Second)
	unpark(100, 1)
	claims := must.Get(b.DB.Claim(t.Context(), []job.Delivery{{ID: last, Count: 1}}, time.Minute, false))(t)
	if claims[0].Found != job.Claimed || claims[0].Attempt.Number != 2 {
		t.Errorf("got %+v", claims[0])
	}
}

// A service that nobody calls any more, because another one was configured, holds up nothing.
func TestUnusedService(t *testing.T) {
	t.Parallel()
	b := newBreakers(t)
	b.open()
	for range 3 {
		b.park(uuid.Nil, service, 0)
	}
	b.Advance(time.Minute + breaker.Unused + time.Second)
	if list := must.Get(b.DB.Unpark(t.Context(), 100))(t); len(list) != 3 {
		t.Errorf("published %d rows, want 3", len(list))
	}
	b.Advance(breaker.LongCalm)
	must.OK(t, b.EndOutages(t.Context()))
	if told := b.told(); len(told) != 2 {
		t.Errorf("got %q", told)
	}
}

// The sweep neither counts parked rows as overdue nor fails them as lost.
func TestParkedIsNotLost(t *testing.T) {
	t.Parallel()
	f := newBreakers(t)
	f.open()
	f.park(uuid.Nil, service, 0)
	for range 5 {
		f.Advance(time.Hour)
		if n := must.Get(f.DB.Overdue(t.Context(), parkedWaits, 100))(t); n != 0 {
			t.Fatalf("%d rows are overdue", n)
		}
		lost, crashed, err := f.DB.GiveUp(t.Context(), parkedWaits, 100)
		if must.OK(t, err); lost+crashed > 0 {
			t.Fatalf("%d lost, %d crashed", lost, crashed)
		}
	}
}

var parkedWaits = sweep.Waits{Visibility: 18 * time.Minute, Grace: time.Minute, Lapses: 3, Times: 3, Drained: true, Idle: true}
