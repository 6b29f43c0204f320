package offer_test

import (
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"

	"github.com/google/uuid"
)

// The roster of the 2nd is frozen at 19:00Z on the 1st, nine on Kiritimati. In Los Angeles the 2nd
// begins at 07:00Z, and is due at 16:00Z.
func TestNewcomersJoinTheDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "2026-05-01T19:00:00Z")
	w.add(0, 1, "Pacific/Kiritimati")
	w.add(0, 2, "America/Los_Angeles")
	w.run()
	const second = day.Date(20_575)
	first := must.Get(w.store.Roster(t.Context(), tenants[0], second))(t)
	for _, at := range []string{"2026-05-01T20:00:00Z", "2026-05-02T06:59:00Z", "2026-05-02T07:00:00Z"} {
		w.at(at)
		w.add(0, 1, "America/Los_Angeles")
		w.run()
	}
	w.at("2026-05-02T16:00:00Z")
	if r := w.run(); r.Queued != 4 || r.Rosters != 0 {
		t.Errorf("%+v, want 2 members and 2 newcomers queued; the third came after the date had begun", r)
	}
	cache, byRoster := offer.Cache{Rosters: w.store}, map[[32]byte][]uuid.UUID{}
	for _, j := range w.jobs(tenants[0], second) {
		byRoster[j.Digest] = append(byRoster[j.Digest], j.User)
		index := must.Get(cache.Index(t.Context(), j.Job))(t)
		must.Get(cache.Offers(t.Context(), j.Job))(t)
		if want := map[bool]int{true: 3, false: 5}[j.Digest == first.Digest]; index.Users() != want {
			t.Errorf("%s has a roster of %d users, want %d", j.User, index.Users(), want)
		}
	}
	if len(byRoster) != 2 || len(byRoster[first.Digest]) != 3 {
		t.Errorf("jobs by roster %v, want 3 of the first one, and 2 of another one", byRoster)
	}
	before := w.rows()
	if r := w.run(); r != (offer.ScheduleReport{}) || len(w.rows()) != len(before) {
		t.Errorf("again %+v, want nothing to do", r)
	}
	w.at("2026-05-03T16:00:00Z")
	if r := w.run(); r.Rosters != 1 || r.Queued != 6 {
		t.Errorf("the next day %+v, want all 6 queued by one roster", r)
	}
}
