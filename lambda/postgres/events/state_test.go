package events_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"

	"github.com/google/uuid"
)

func (f *fixture) wantStates(when string, read func(context.Context, events.Filter) ([]events.State, error),
	filter events.Filter, want ...events.State) {
	f.T.Helper()
	if got, err := read(f.T.Context(), filter); !slices.Equal(got, want) || err != nil {
		f.T.Errorf("%s: got %+v, %v, want %+v", when, got, err, want)
	}
}

// Events that were given up, or that wait for their next try, are sent again as they
// were; a dry run, a filter and a claim leave them alone.
func TestRequeuedEventsKeepID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	store := events.New(f.DB)
	ids := f.putEvents([2]int{1, 2}, [2]int{3, 4}, [2]int{5, 6}, [2]int{7, 8}, [2]int{1, 9})
	first := f.wantFree("at first", ids[0], ids[1], ids[2], ids[3])
	f.Exec("UPDATE event SET refused_at = now() - interval '4 days' WHERE id = $1", ids[0])
	f.release(first[0], time.Hour, true)  // given up
	f.release(first[1], time.Hour, true)  // refused
	f.release(first[2], time.Hour, false) // the receiver was down
	f.Advance(time.Minute)                // and first[3] is claimed no more
	f.wantFree("then", ids[3], ids[4])
	f.Advance(10 * time.Second)

	const why = "not \uFFFDnow"
	all := events.State{Tenant: tenant, Kind: "match.created", Waiting: 4, Oldest: 70, Refused: 1, Dead: 1, Error: why}
	late := all
	late.Waiting = 2
	f.wantStates("all", store.States, events.Filter{}, all)
	f.wantStates("late", store.Late, events.Filter{}, late)
	for _, none := range []events.Filter{{Tenant: otherTenant}, {ID: uuid.New()}, {ID: ids[3]}, {Within: time.Minute},
		{Since: start.Add(time.Minute)}} {
		f.wantStates(fmt.Sprintf("%+v", none), store.Late, none)
		f.wantStates(fmt.Sprintf("%+v", none), store.Requeue, none)
	}
	f.wantFree("a count changes nothing")
	refused := events.State{Tenant: tenant, Kind: "match.created", Waiting: 1, Oldest: 70, Refused: 1, Error: why}
	f.wantStates("one", store.Requeue, events.Filter{ID: ids[1], Tenant: tenant, Within: time.Hour}, refused)
	again := f.wantFree("the one", ids[1])
	if again[0].Tries != 2 || string(again[0].Body) != string(first[1].Body) {
		t.Errorf("try %d: %s, before %s", again[0].Tries, again[0].Body, first[1].Body)
	}
	late.Waiting, late.Refused = 1, 0
	f.wantStates("the rest, without the one that is claimed", store.Requeue, events.Filter{Since: start}, late)
	given := f.wantFree("the rest", ids[0], ids[2])
	if string(given[0].Body) != string(first[0].Body) {
		t.Errorf("%s, before %s", given[0].Body, first[0].Body)
	}
	f.release(given[0], time.Hour, true)
	f.wantStates("it has three days again", store.States, events.Filter{ID: ids[0]},
		events.State{Tenant: tenant, Kind: "match.created", Waiting: 1, Oldest: 70, Refused: 1, Error: why})
}

func TestRecordedSince(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if since, err := events.New(f.DB).RecordedSince(t.Context()); since != nil || err != nil {
		t.Errorf("without a receiver: %v, %v", since, err)
	}
	must.OK(t, events.New(f.DB).Record(t.Context()))
	if since, err := events.New(f.DB).RecordedSince(t.Context()); err != nil || since == nil {
		t.Errorf("with one: %v, %v", since, err)
	}
}

// brokenFor is a receiver that fails for one event, and accepts the others.
type brokenFor struct {
	broken   uuid.UUID
	accepted chan uuid.UUID
}

func (r brokenFor) Send(_ context.Context, p outbox.Parcel) error {
	if p.ID == r.broken {
		return &failure.Error{Kind: failure.Transient, Sentence: "receiver failed"}
	}
	r.accepted <- p.ID
	return nil
}

// An event for which the receiver fails for ever holds up the later ones of its two
// documents only, and is not given up. The others wait for a new try of the process.
func TestBadEventBlocksFew(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.putEvents([2]int{1, 2}, [2]int{3, 4}, [2]int{2, 5}, [2]int{5, 6}, [2]int{7, 8})
	r := brokenFor{ids[0], make(chan uuid.UUID, len(ids))}
	for range 4 { // each sender starts fresh, as after its pause for a receiver
		c := &outbox.Relay{Parcels: "events", Outbox: events.New(f.DB), Receiver: r, Log: slog.New(slog.DiscardHandler)}
		c.Run(t.Context())
		f.Advance(25 * time.Hour)
	}
	close(r.accepted)
	var got []uuid.UUID
	for id := range r.accepted {
		got = append(got, id)
	}
	if want := []uuid.UUID{ids[1], ids[4]}; len(got) != 2 || !slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
		t.Errorf("accepted %v, want %v", got, want)
	}
	f.wantEventGauges(postgres.EventGauges{Waiting: 3, Oldest: 100 * time.Hour})
}

// An event that was refused once is not given up by an outage days later.
func TestOutageGivesUpNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.putEvents([2]int{1, 2})
	f.release(f.wantFree("refused", ids[0])[0], time.Hour, true)
	f.Advance(100 * time.Hour)
	f.release(f.wantFree("an outage", ids[0])[0], time.Hour, false)
	f.wantEventGauges(postgres.EventGauges{Waiting: 1, Oldest: 100 * time.Hour})
}

// Events that another sender has leave a claim its whole room.
func TestClaimSkipsSending(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.putEvents([2]int{1, 2}, [2]int{3, 4}, [2]int{5, 6})
	for _, want := range ids {
		if got := f.claims(1); len(got) != 1 || got[0].ID != want {
			t.Errorf("claimed %v, want %s", jobsOf(got), want)
		}
	}
}

// An event that another sender takes between the two statements of a claim is left to it.
func TestLateSenderSkipsEvent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putEvents([2]int{1, 2})
	tx := must.Get(f.Conn.Begin(t.Context()))(t)
	defer func() { _ = tx.Rollback(t.Context()) }() // nothing after the commit

	// The first statement reads, and the second one waits.
	must.Get(tx.Exec(t.Context(), "LOCK TABLE event IN EXCLUSIVE MODE"))(t)
	var claimed []outbox.Parcel
	claim := f.Meanwhile(func() (err error) {
		claimed, err = events.New(f.DB).Claim(t.Context(), 10, time.Minute)
		return err
	})
	must.Get(tx.Exec(t.Context(), "UPDATE event SET tries = tries + 1, claimed_until = now() + interval '1 minute'"))(t)
	must.OK(t, tx.Commit(t.Context()))
	if err := claim(); len(claimed) > 0 || err != nil {
		t.Errorf("claimed %v, %v", jobsOf(claimed), err)
	}
}
