package memory

import (
	"errors"
	"testing"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"

	"github.com/google/uuid"
)

var (
	tenant = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	person = uuid.MustParse("00000000-0000-4000-8000-000000000002")
)

// fixture is a store with one user in Pago Pago and a clock that stands still.
func fixture(t *testing.T) (s *Store, now *time.Time) {
	t.Helper()
	clock := time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
	s = New(func() time.Time { return clock })
	s.Insert(User{ID: person, Tenant: tenant, Zone: "Pacific/Pago_Pago", Active: true})
	return s, &clock
}

func groups(t *testing.T, s *Store) []offer.Group {
	t.Helper()
	list, err := s.Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// queue queues a date for all users of the only group.
func queue(t *testing.T, s *Store, date day.Date) []job.Stamped {
	t.Helper()
	stamped, _, err := s.Queue(t.Context(), offer.Shard{Group: groups(t, s)[0], Date: date, Limit: 10, Digest: [32]byte{1}})
	if err != nil {
		t.Fatal(err)
	}
	return stamped
}

func TestAUserHasOneJobADate(t *testing.T) {
	t.Parallel()
	s, _ := fixture(t)
	if n := len(queue(t, s, 20514)); n != 1 {
		t.Fatalf("%d jobs, want 1", n)
	}
	if err := s.Update(person, func(u *User) { u.Zone = "Europe/Berlin" }); err != nil {
		t.Fatal(err)
	}
	if n := len(queue(t, s, 20514)); n != 0 {
		t.Errorf("%d jobs of the date in the other zone, want none", n)
	}
	if n := len(s.Jobs(tenant, 20514)); n != 1 {
		t.Errorf("%d jobs of the date, want 1", n)
	}
}

func TestFlightOverTheDateLineSkipsADate(t *testing.T) {
	t.Parallel()
	s, _ := fixture(t) // 23:30 of March 1 in Pago Pago, 0:30 of March 3 in Kiritimati
	if err := s.Update(person, func(u *User) { u.Zone = "Pacific/Kiritimati" }); err != nil {
		t.Fatal(err)
	}
	g := groups(t, s)[0]
	if g.FlownFrom.String() != "2026-03-02" || g.FlownTo.String() != "2026-03-03" {
		t.Errorf("flown from %s to before %s, want 2 March alone", g.FlownFrom, g.FlownTo)
	}
	if err := s.Update(person, func(u *User) { u.Zone = "Europe/Berlin" }); err != nil {
		t.Fatal(err)
	}
	if g := groups(t, s)[0]; g.FlownFrom != g.FlownTo {
		t.Errorf("after another move: flown from %s to before %s, want none", g.FlownFrom, g.FlownTo)
	}
}

// A date that was flown over is looked at again when the user flies back into it, also
// if the next date is queued.
func TestFlightBackIntoADate(t *testing.T) {
	t.Parallel()
	s, now := fixture(t)
	if err := s.Update(person, func(u *User) { u.Zone = "Pacific/Kiritimati" }); err != nil {
		t.Fatal(err)
	}
	queue(t, s, 20515) // March 3
	if g := groups(t, s)[0]; g.FlownFrom != g.FlownTo || g.Through.String() != "2026-03-03" {
		t.Errorf("%+v, want the flown dates forgotten", g)
	}
	*now = now.Add(10 * time.Hour) // 10:30 on Kiritimati, 9:30 of March 2 in Pago Pago
	if err := s.Update(person, func(u *User) { u.Zone = "Pacific/Pago_Pago" }); err != nil {
		t.Fatal(err)
	}
	if g := groups(t, s)[0]; g.Through.String() != "2026-03-01" {
		t.Errorf("the user waits for the dates after %s, want those after 1 March", g.Through)
	}
}

func TestUserWhoBecomesActiveBeginsAnew(t *testing.T) {
	t.Parallel()
	s, _ := fixture(t)
	queue(t, s, 20514)
	for _, active := range []bool{false, true} {
		if err := s.Update(person, func(u *User) { u.Active = active }); err != nil {
			t.Fatal(err)
		}
	}
	if g := groups(t, s); len(g) != 1 || g[0].Through != nil {
		t.Errorf("groups %+v, want one without a date", g)
	}
}

func TestCompletedSetStays(t *testing.T) {
	t.Parallel()
	s, now := fixture(t)
	first := queue(t, s, 20514)[0]
	f := take(t, s, first)
	if _, err := s.Publish(t.Context(), []uuid.UUID{first.ID}); err != nil {
		t.Fatal(err)
	}
	if err := s.Complete(t.Context(), f, offer.Set{}, true); !errors.Is(err, job.ErrFenceLost) {
		t.Fatalf("after a publish: %v, want the fence lost", err)
	}
	set := offer.Set{Offers: []ranking.Offer{{Candidate: tenant, Rank: 1}}}
	f = take(t, s, job.Stamped{ID: first.ID})
	if err := s.Complete(t.Context(), f, set, true); err != nil {
		t.Fatal(err)
	}
	*now = now.Add(time.Hour)
	again, err := s.Publish(t.Context(), []uuid.UUID{first.ID})
	if err != nil || !again[0].PublishedAt.After(first.PublishedAt) {
		t.Fatalf("published as %+v, %v", again, err)
	}
	c, err := s.Claim(t.Context(), []job.Delivery{{ID: first.ID, PublishedAt: again[0].PublishedAt}}, time.Hour, true)
	if err != nil || c[0].Found != job.Done {
		t.Errorf("its message found %v, %v; want it done", c[0].Found, err)
	}
	if got := s.Jobs(tenant, 20514)[0]; got.Status != job.StatusSucceeded || len(got.Offers) != 1 {
		t.Errorf("the job is %s with %d offers, want it as it was", got.Status, len(got.Offers))
	}
}

func take(t *testing.T, s *Store, m job.Stamped) job.Attempt {
	t.Helper()
	c, err := s.Claim(t.Context(), []job.Delivery{{ID: m.ID, PublishedAt: m.PublishedAt}}, time.Hour, true)
	if err != nil || c[0].Found != job.Claimed || c[0].Suspect {
		t.Fatalf("claimed %+v, %v", c, err)
	}
	return c[0].Attempt
}
