package offer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// world is two tenants with users in some zones, at a time of its own.
type world struct {
	t     *testing.T
	now   time.Time
	store *fakeStore
	users int
	sent  []job.Stamped
	down  func(attempt int) (unsent int) // of the queue
	sends int
}

var tenants = []uuid.UUID{
	uuid.MustParse("11111111-0000-4000-8000-000000000000"), uuid.MustParse("22222222-0000-4000-8000-000000000000")}

func newWorld(t *testing.T, now string) *world {
	w := &world{t: t}
	w.store = newFakeStore(func() time.Time { return w.now })
	w.at(now)
	return w
}

func (w *world) at(now string) {
	w.t.Helper()
	var err error
	if w.now, err = time.Parse(time.RFC3339, now); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) add(tenant, n int, zone string) {
	for range n {
		w.users++
		w.store.Put(offer.User{ID: uuid.NewSHA1(tenants[0], []byte{byte(w.users)}), Tenant: tenants[tenant],
			Zone: zone, Active: true, Profile: []byte(`{}`), Preferences: []byte(`{}`)})
	}
}

// Send is a queue's. It refuses the first messages of an attempt, as many as down says.
func (w *world) Send(_ context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	if w.sends++; w.down != nil {
		for _, m := range messages[:min(w.down(w.sends), len(messages))] {
			unsent, err = append(unsent, m.ID), errors.New("down")
		}
	}
	w.sent = append(w.sent, messages[len(unsent):]...)
	return unsent, err
}

func (w *world) scheduler(store offer.ScheduleStore) *offer.Scheduler {
	return &offer.Scheduler{Store: store, Sender: w, Log: slog.New(slog.DiscardHandler), Shard: 2}
}

func (w *world) run() offer.ScheduleReport {
	w.t.Helper()
	return must.Get(w.scheduler(w.store).Run(w.t.Context()))(w.t)
}

func (w *world) jobs(tenant uuid.UUID, date day.Date) []offer.Record {
	w.t.Helper()
	return must.Get(w.store.JobsOf(w.t.Context(), tenant, date))(w.t)
}

// rows returns all that the store has of a few dates: a line for each job, and one for
// each group of users.
func (w *world) rows() []string {
	var lines []string
	for _, tenant := range tenants {
		for d := day.Of(w.now.UTC()) - 5; d <= day.Of(w.now.UTC())+2; d++ {
			for _, j := range w.jobs(tenant, d) {
				lines = append(lines, fmt.Sprintf("%s %s %s %s %s %x %d %s %s %s", j.ID, j.User, j.Date, j.Zone, j.Status,
					j.Digest[:2], j.Algorithm, j.OfferedAt.Format(time.RFC3339), j.ExpiresAt.Format(time.RFC3339), j.Error))
			}
		}
	}
	groups := must.Get(w.store.Waiting(w.t.Context()))(w.t)
	for _, g := range groups {
		through := "-"
		if g.Through != nil {
			through = g.Through.String()
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %d", g.Tenant, g.Zone, through, g.Users))
	}
	return lines
}

// counts returns "date status number" of the jobs in a zone.
func (w *world) counts(zone string) string {
	var lines []string
	for d := day.Of(w.now.UTC()) - 5; d <= day.Of(w.now.UTC())+2; d++ {
		byStatus := map[string]int{}
		for _, tenant := range tenants {
			for _, j := range w.jobs(tenant, d) {
				if j.Zone == zone {
					byStatus[j.Status]++
				}
			}
		}
		for _, s := range []string{pending, skipped} {
			if byStatus[s] > 0 {
				lines = append(lines, fmt.Sprintf("%s %s %d", d, s, byStatus[s]))
			}
		}
	}
	return strings.Join(lines, ", ")
}

func TestQueuedAtLocalNine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "2026-03-29T03:14:59Z")
	w.add(0, 3, "Asia/Kathmandu")
	w.add(0, 2, "Europe/Berlin")
	w.add(1, 1, "Asia/Kathmandu")
	w.run()
	if got, want := w.counts("Asia/Kathmandu"), "2026-03-28 pending 4"; got != want {
		t.Errorf("new users a second before nine have %q, want %q", got, want)
	}
	w.at("2026-03-29T03:15:00Z")
	if r := w.run(); r.Queued != 4 || r.Rosters != 2 || r.Late != 0 {
		t.Errorf("at nine in Kathmandu %+v, want 4 queued from 2 new rosters", r)
	}
	if got, want := w.counts("Asia/Kathmandu"), "2026-03-28 pending 4, 2026-03-29 pending 4"; got != want {
		t.Errorf("Kathmandu has %q, want %q", got, want)
	}
	before := w.rows()
	if r := w.run(); r != (offer.ScheduleReport{}) || !slices.Equal(w.rows(), before) {
		t.Errorf("again %+v, want nothing to do", r)
	}
	w.at("2026-03-29T07:00:00Z") // summer time has begun
	if r := w.run(); r.Queued != 2 || r.Rosters != 0 {
		t.Errorf("at nine in Berlin %+v, want 2 queued from the roster that is there", r)
	}
	ids := map[uuid.UUID]bool{}
	for _, m := range w.sent {
		ids[m.ID] = true
	}
	if len(w.sent) != 12 || len(ids) != 12 {
		t.Errorf("%d messages for %d jobs, want 12", len(w.sent), len(ids))
	}
}

func TestLateUserWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "2026-05-01T09:00:00Z")
	w.add(0, 2, "UTC")
	w.run()
	w.add(0, 1, "UTC") // a newcomer is not in the roster
	if r := w.run(); r.Queued != 0 {
		t.Errorf("%+v, want nothing for the newcomer", r)
	}
	w.at("2026-05-02T09:00:00Z")
	if r := w.run(); r.Queued != 3 {
		t.Errorf("the next day %+v, want 3 queued", r)
	}
}

func TestOutageSkipsDates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "2026-05-01T09:00:00Z")
	w.add(0, 3, "UTC")
	w.add(0, 1, "Mars/Olympus") // PostgreSQL may know a zone that Go does not
	w.run()
	w.at("2026-05-04T10:00:00Z")
	r := w.run()
	if want := (offer.ScheduleReport{Rosters: 2, Queued: 6, Late: 6, TooLate: 3, UnknownZone: 3}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	if got, want := w.counts("UTC"),
		"2026-05-01 pending 3, 2026-05-02 skipped 3, 2026-05-03 pending 3, 2026-05-04 pending 3"; got != want {
		t.Errorf("users have %q, want %q", got, want)
	}
	for _, j := range w.jobs(tenants[0], 20575) { // 2026-05-02
		want := "was not queued within 36h0m0s after 09:00 of the date"
		if j.Zone != "UTC" {
			want = "unknown time zone of the user"
		}
		if j.Error != want {
			t.Errorf("%s: %q, want %q", j.Zone, j.Error, want)
		}
	}
	if before := w.rows(); w.run() != (offer.ScheduleReport{}) || !slices.Equal(before, w.rows()) {
		t.Error("a second run has something to do")
	}
}

// steps counts the calls of a store. before runs ahead of each, and after when it has
// its effect; an error of them is the call's.
type steps struct {
	offer.ScheduleStore
	calls         int
	before, after func(call int) error
}

var errCrash = errors.New("crash")

func step[T any](s *steps, call func() (T, error)) (result T, err error) {
	s.calls++
	n := s.calls
	if err := s.before(n); err != nil {
		return result, err
	}
	result, err = call()
	return result, errors.Join(err, s.after(n))
}

func (s *steps) Now(ctx context.Context) (time.Time, error) {
	return step(s, func() (time.Time, error) { return s.ScheduleStore.Now(ctx) })
}

func (s *steps) Waiting(ctx context.Context) ([]offer.Group, error) {
	return step(s, func() ([]offer.Group, error) { return s.ScheduleStore.Waiting(ctx) })
}

func (s *steps) Eligible(ctx context.Context, tenant uuid.UUID, chosen roster.Settings) ([]roster.Row, error) {
	return step(s, func() ([]roster.Row, error) { return s.ScheduleStore.Eligible(ctx, tenant, chosen) })
}

func (s *steps) Freeze(ctx context.Context, f roster.Frozen) (roster.Frozen, error) {
	return step(s, func() (roster.Frozen, error) { return s.ScheduleStore.Freeze(ctx, f) })
}

func (s *steps) Roster(ctx context.Context, tenant uuid.UUID, date day.Date) (roster.Frozen, error) {
	return step(s, func() (roster.Frozen, error) { return s.ScheduleStore.Roster(ctx, tenant, date) })
}

func (s *steps) Newcomers(
	ctx context.Context, of roster.Key, zone string, before time.Time, chosen roster.Settings,
) ([]roster.Row, error) {
	return step(s, func() ([]roster.Row, error) { return s.ScheduleStore.Newcomers(ctx, of, zone, before, chosen) })
}

func (s *steps) Change(ctx context.Context, c roster.Change) (roster.Change, error) {
	return step(s, func() (roster.Change, error) { return s.ScheduleStore.Change(ctx, c) })
}

func (s *steps) Queue(ctx context.Context, shard offer.Shard) (stamped []job.Stamped, users int, err error) {
	users, err = step(s, func() (n int, err error) {
		stamped, n, err = s.ScheduleStore.Queue(ctx, shard)
		return n, err
	})
	return stamped, users, err
}

func (s *steps) Skip(ctx context.Context, shard offer.Shard, reason string) (int, error) {
	return step(s, func() (int, error) { return s.ScheduleStore.Skip(ctx, shard, reason) })
}

// afterOutage is a world with all kinds of work: two tenants, several shards, skipped
// dates, a zone that is not known.
func afterOutage(t *testing.T) *world {
	w := newWorld(t, "2026-05-01T12:00:00Z")
	w.add(0, 5, "UTC")
	w.add(0, 3, "Asia/Kathmandu")
	w.add(0, 1, "Mars/Olympus")
	w.add(1, 3, "Pacific/Kiritimati")
	w.run()
	w.add(1, 2, "Pacific/Pago_Pago")
	w.at("2026-05-04T05:00:00Z")
	w.sent = nil
	return w
}

// undisturbed returns the rows after a run without a disturbance, and its calls.
func undisturbed(t *testing.T) (rows []string, calls int) {
	t.Helper()
	w := afterOutage(t)
	none := func(int) error { return nil }
	s := &steps{ScheduleStore: w.store, before: none, after: none}
	must.Get(w.scheduler(s).Run(t.Context()))(t)
	return w.rows(), s.calls
}

func TestSchedulerCrashes(t *testing.T) {
	t.Parallel()
	want, calls := undisturbed(t)
	if calls < 30 {
		t.Fatalf("only %d calls: the world has too little to do", calls)
	}
	for crash := 1; crash <= 2*calls; crash++ {
		w := afterOutage(t)
		ctx, dies := context.WithCancel(t.Context())
		// The process is gone before the effect of a call, or after it.
		s := &steps{ScheduleStore: w.store, before: func(n int) error {
			if n == crash {
				dies()
			}
			return ctx.Err()
		}, after: func(n int) error {
			if n+calls == crash {
				dies()
			}
			return ctx.Err()
		}}
		if _, err := w.scheduler(s).Run(ctx); err == nil {
			t.Fatalf("crash %d of %d was not noticed", crash, calls)
		}
		w.run()
		if got := w.rows(); !slices.Equal(got, want) {
			t.Errorf("after a crash at step %d of %d:\n%s\nwant\n%s", crash, calls, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
}

func TestTwoSchedulers(t *testing.T) {
	t.Parallel()
	want, calls := undisturbed(t)
	for interrupted := 1; interrupted <= calls; interrupted++ {
		w := afterOutage(t)
		none := func(int) error { return nil }
		s := &steps{ScheduleStore: w.store, after: none, before: func(n int) error {
			if n == interrupted {
				w.run() // another scheduler does all that is left
			}
			return nil
		}}
		if _, err := w.scheduler(s).Run(t.Context()); err != nil {
			t.Errorf("the other one at step %d: %v", interrupted, err)
		}
		ids := map[uuid.UUID]bool{}
		for _, m := range w.sent {
			ids[m.ID] = true
		}
		if got := w.rows(); !slices.Equal(got, want) || len(ids) != len(w.sent) {
			t.Errorf("the other one at step %d: %d messages for %d jobs, rows\n%s\nwant\n%s", interrupted, len(w.sent),
				len(ids), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestFirstStoredRosterWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "2026-05-01T09:00:00Z")
	w.add(0, 3, "UTC")
	none := func(int) error { return nil }
	s := &steps{ScheduleStore: w.store, before: none, after: none}
	s.after = func(n int) error {
		if n == 4 { // the users are read: one more comes, and another scheduler is faster
			w.add(0, 1, "UTC")
			crashes := &steps{ScheduleStore: w.store, after: none, before: func(n int) error {
				return map[int]error{6: errCrash}[n] // before it queues
			}}
			if _, err := w.scheduler(crashes).Run(t.Context()); !errors.Is(err, errCrash) {
				t.Error(err)
			}
		}
		return nil
	}
	must.Get(w.scheduler(s).Run(t.Context()))(t)
	stored, err := w.store.Roster(t.Context(), tenants[0], 20574)
	if err != nil || stored.Users != 4 {
		t.Fatalf("a roster of %d users, %v; want that of the faster one, with 4", stored.Users, err)
	}
	jobs := w.jobs(tenants[0], 20574)
	for _, j := range jobs {
		if j.Digest != stored.Digest || j.Algorithm != stored.Algorithm {
			t.Errorf("a job by the roster %x, want %x", j.Digest[:4], stored.Digest[:4])
		}
	}
	if len(jobs) != 4 {
		t.Errorf("%d jobs, want 4", len(jobs))
	}
}

// failing fails for one tenant.
type failing struct {
	*fakeStore
	tenant uuid.UUID
}

func (f failing) Roster(ctx context.Context, tenant uuid.UUID, date day.Date) (roster.Frozen, error) {
	if tenant == f.tenant {
		return roster.Frozen{}, errCrash
	}
	return f.fakeStore.Roster(ctx, tenant, date)
}

func TestOtherTenantsGoOn(t *testing.T) {
	t.Parallel()
	for i, tenant := range tenants {
		w := newWorld(t, "2026-05-01T09:00:00Z")
		w.add(0, 2, "UTC")
		w.add(1, 2, "UTC")
		r, err := w.scheduler(failing{w.store, tenant}).Run(t.Context())
		if !errors.Is(err, errCrash) || !strings.Contains(err.Error(), tenant.String()) || r.Queued != 2 {
			t.Errorf("%d: %+v, %v; want 2 queued, and the error of %s", i, r, err, tenant)
		}
		if r := w.run(); r.Queued != 2 {
			t.Errorf("%d: then %+v, want the other 2", i, r)
		}
	}
}

func TestUnsentLeftToSweep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		unsent          func(int) int
		queued, unsents int // by the first run
		failed          bool
	}{
		{"one is refused", func(n int) int { return map[int]int{1: 1}[n] }, 6, 1, false},
		{"the queue is down", func(int) int { return 10 }, 2, 2, true},
	} {
		w := newWorld(t, "2026-05-01T09:00:00Z")
		w.add(0, 5, "UTC")
		w.add(1, 1, "UTC")
		w.down = c.unsent
		r, err := w.scheduler(w.store).Run(t.Context())
		if r.Queued != c.queued || r.Unsent != c.unsents || (err != nil) != c.failed {
			t.Errorf("%s: %+v, %v; want %d queued and %d unsent", c.name, r, err, c.queued, c.unsents)
		}
		w.down = nil
		if r := w.run(); r.Queued != 6-c.queued || r.Unsent != 0 {
			t.Errorf("%s: then %+v, want the rest", c.name, r)
		}
		if got := w.counts("UTC"); got != "2026-05-01 pending 6" || len(w.sent) != 6-c.unsents {
			t.Errorf("%s: %q, %d messages", c.name, got, len(w.sent))
		}
	}
}

// countdown is a context whose time is up after some looks at its deadline.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Deadline() (time.Time, bool) {
	if c.looks--; c.looks < 0 {
		return time.Now().Add(time.Second), true
	}
	return time.Now().Add(time.Hour), true
}

func TestOutOfTimeBetweenShards(t *testing.T) {
	t.Parallel()
	want, _ := undisturbed(t)
	w := afterOutage(t)
	runs, queued := 0, 0
	for r := (offer.ScheduleReport{Unfinished: true}); r.Unfinished; runs++ {
		var err error
		if r, err = w.scheduler(w.store).Run(&countdown{t.Context(), 3}); err != nil {
			t.Fatal(err)
		}
		queued += r.Queued
	}
	if runs < 10 || queued != len(w.sent) {
		t.Errorf("%d runs queued %d jobs and sent %d messages; want many short runs", runs, queued, len(w.sent))
	}
	if got := w.rows(); !slices.Equal(got, want) {
		t.Errorf("after %d runs:\n%s\nwant\n%s", runs, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
