package postgres_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/postgres"
)

// An event that was refused once is not given up by an outage days later.
func TestOutageGivesUpNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.putEvents([2]int{1, 2})
	f.release(f.wantFree("refused", ids[0])[0], time.Hour, true)
	f.advance(100 * time.Hour)
	f.release(f.wantFree("an outage", ids[0])[0], time.Hour, false)
	f.wantEventGauges(postgres.EventGauges{Waiting: 1, Oldest: 100 * time.Hour})
}

// Events that another sender has leave a claim its whole room.
func TestClaimSkipsSending(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.putEvents([2]int{1, 2}, [2]int{3, 4}, [2]int{5, 6})
	for _, want := range ids {
		if got := f.claimEvents(1); len(got) != 1 || got[0].ID != want {
			t.Errorf("claimed %v, want %s", jobsOf(got), want)
		}
	}
}

// An event that another sender takes between the two statements of a claim is left to it.
func TestLateSenderSkipsEvent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putEvents([2]int{1, 2})
	tx := must.Get(f.conn.Begin(t.Context()))(t)
	defer func() { _ = tx.Rollback(t.Context()) }() // nothing after the commit

	// The first statement reads, and the second one waits.
	must.Get(tx.Exec(t.Context(), "LOCK TABLE event IN EXCLUSIVE MODE"))(t)
	var claimed []outbox.Parcel
	claim := f.meanwhile(func() (err error) {
		claimed, err = f.Events().Claim(t.Context(), 10, time.Minute)
		return err
	})
	must.Get(tx.Exec(t.Context(), "UPDATE event SET tries = tries + 1, claimed_until = now() + interval '1 minute'"))(t)
	must.OK(t, tx.Commit(t.Context()))
	if err := claim(); len(claimed) > 0 || err != nil {
		t.Errorf("claimed %v, %v", jobsOf(claimed), err)
	}
}
