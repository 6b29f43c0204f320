package events_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

type fixture struct{ *postgrestest.Fixture }

func newFixture(t *testing.T) *fixture { return &fixture{postgrestest.NewFixture(t)} }

func TestMain(m *testing.M) {
	postgrestest.Parallel("8")
	os.Exit(m.Run())
}

var tenant, otherTenant, start, num = postgrestest.Tenant, postgrestest.OtherTenant, postgrestest.Start, postgrestest.Num

// putEvents adds an event for each pair, each in its transaction.
func (f *fixture) putEvents(pairs ...[2]int) (ids []uuid.UUID) {
	f.T.Helper()
	for _, p := range pairs {
		id := uuid.New()
		f.Exec(`INSERT INTO event (id, tenant_id, kind, document_a_id, document_b_id, data, created_at)
			VALUES ($1, $2, 'match.created', $3, $4, '{}', now())`, id, tenant, num(p[0]), num(p[1]))
		ids = append(ids, id)
	}
	return ids
}

func (f *fixture) claims(limit int) []outbox.Parcel {
	f.T.Helper()
	return must.Get(events.New(f.DB).Claim(f.T.Context(), limit, time.Minute))(f.T)
}

func (f *fixture) wantFree(when string, want ...uuid.UUID) (list []outbox.Parcel) {
	f.T.Helper()
	list = f.claims(100)
	if got := jobsOf(list); !slices.Equal(got, want) {
		f.T.Errorf("%s: claimed %v, want %v", when, got, want)
	}
	return list
}

func jobsOf(parcels []outbox.Parcel) (ids []uuid.UUID) {
	for _, p := range parcels {
		ids = append(ids, p.ID)
	}
	return ids
}

func (f *fixture) release(p outbox.Parcel, wait time.Duration, refused bool) {
	f.T.Helper()
	must.OK(f.T, events.New(f.DB).Release(f.T.Context(), []outbox.Return{{ID: p.ID, Tries: p.Tries, Wait: wait,
		Error: "not \x00now", Refused: refused}}))
}

func (f *fixture) deliver(ids ...uuid.UUID) {
	f.T.Helper()
	must.OK(f.T, events.New(f.DB).Delivered(f.T.Context(), ids))
}

// An event waits for the earlier ones of both of its documents, as long as they are
// under way or not due, and other documents go on.
func TestEventsWaitInOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.putEvents([2]int{1, 2}, [2]int{3, 4}, [2]int{2, 3}, [2]int{5, 6}, [2]int{2, 7})
	first := f.wantFree("at first", ids[0], ids[1], ids[3])
	f.wantFree("under way")
	f.deliver(ids[1])
	f.wantFree("one of two is delivered")
	f.release(first[0], 10*time.Second, false)
	f.wantFree("not due")
	f.Advance(10 * time.Second)
	again := f.wantFree("due", ids[0])
	if again[0].Tries != 2 || string(again[0].Body) != string(first[0].Body) {
		t.Errorf("try %d: %s, before %s", again[0].Tries, again[0].Body, first[0].Body)
	}
	f.release(first[0], 0, false) // of a claim that is over
	f.wantFree("claimed again")
	f.deliver(ids[0])
	f.wantFree("delivered", ids[2])
	f.Advance(time.Minute)
	f.wantFree("the claims are over", ids[2], ids[3])
	f.deliver(ids[2], ids[3])
	f.wantFree("the last", ids[4])
}

// An event that the receiver refuses for three days is given up, and what waited for
// it goes on. An outage gives nothing up.
func TestRefusedEventGivenUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.putEvents([2]int{1, 2}, [2]int{2, 3})
	f.release(f.wantFree("an outage", ids[0])[0], time.Hour, false)
	f.Advance(100 * time.Hour)
	f.release(f.wantFree("refused", ids[0])[0], time.Hour, true)
	f.Advance(72*time.Hour - time.Second)
	f.release(f.wantFree("for almost three days", ids[0])[0], time.Second, true)
	want := postgres.EventGauges{Waiting: 2, Oldest: 172*time.Hour - time.Second}
	f.wantEventGauges(want)
	f.Advance(time.Second)
	f.release(f.wantFree("for three days", ids[0])[0], time.Hour, true)
	f.wantEventGauges(postgres.EventGauges{Waiting: 1, Oldest: 172 * time.Hour, Dead: 1})
	f.wantFree("what waited for it", ids[1])
	f.deliver(ids[0]) // by a request with a late answer
	f.wantEventGauges(postgres.EventGauges{Waiting: 1, Oldest: 172 * time.Hour})
}

func (f *fixture) wantEventGauges(want postgres.EventGauges) {
	f.T.Helper()
	if got, err := events.ReadGauges(f.T.Context(), f.DB); got != want || err != nil {
		f.T.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// Thousands of events that wait for one do not hide another document's.
func TestManyWaitingEvents(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Exec(`INSERT INTO event (tenant_id, kind, document_a_id, document_b_id, data, created_at)
		SELECT $1, 'match.created', $2, gen_random_uuid(), '{}', now() FROM generate_series(1, 3000)`, tenant, num(1))
	ids := f.putEvents([2]int{2, 3})
	f.claims(1)
	f.wantFree("behind them", ids...)
}

func TestForgetEvents(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.putEvents([2]int{1, 2}, [2]int{3, 4}, [2]int{5, 6}, [2]int{7, 8})
	f.deliver(ids[0], ids[1])
	f.Advance(time.Second)
	f.deliver(ids[2])
	f.Advance(14 * 24 * time.Hour)
	for _, want := range []int{1, 1, 0} {
		if n, err := events.New(f.DB).Forget(t.Context(), 1); n != want || err != nil {
			t.Errorf("deleted %d, %v, want %d", n, err, want)
		}
	}
	f.Advance(time.Second)
	if n, err := events.New(f.DB).Forget(t.Context(), 100); n != 1 || err != nil {
		t.Errorf("deleted %d, %v, want the third", n, err)
	}
	f.wantFree("what was not delivered", ids[3])
}
