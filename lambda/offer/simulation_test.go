package offer_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"

	"github.com/google/uuid"
)

// simulation lets days of match offers pass, minute by minute, with the real scheduler,
// work and ranking: messages come late, twice or never, schedulers and workers die, users
// travel, and for hours nothing runs. It examines each promise by records of its own.
type simulation struct {
	t               testing.TB
	start, end, now time.Time
	rand            *rand.Rand
	plans           map[int64][]func() // by minute
	moved           func()             // is called when the clock has moved
	store           simStore
	rankings        offer.Rankings
	schedulers      [2]offer.Scheduler
	version         int             // of the ranking, for new rosters
	outages         [2][2]time.Time // without schedulers, workers and sweeps
	people          []*simPerson
	byID            map[uuid.UUID]*simPerson
	frozen          map[day.Date]time.Time      // when a date's roster was
	answers         map[[2]uuid.UUID]simAnswers // by pair, the lesser id first
	recent          []map[uuid.UUID][]uuid.UUID // candidates by user, of the dates before
	counts          map[string]int
}

// simStore is fakeStore, or the real store.
type simStore interface {
	offer.Store
	offer.ScheduleStore
	Claim(ctx context.Context, ds []job.Delivery, lease time.Duration, suspects bool) ([]job.Claim, error)
	Release(ctx context.Context, f job.Attempt, r job.Release) (bool, error)
	Republish(ctx context.Context, w sweep.Waits, limit int) ([]sweep.Republished, error)
	JobsOf(ctx context.Context, tenant uuid.UUID, date day.Date) ([]offer.Record, error)
	Put(u offer.User)
	Answer(f offer.Feedback)
	Forget(date day.Date)
}

const (
	aDay = 24 * time.Hour
	over = 10 // days after which nothing of a date is under way
)

var quiet = slog.New(slog.DiscardHandler)

func newSimulation(t testing.TB, from string, days int, seed uint64) *simulation {
	t.Helper()
	t.Logf("%d days from %s, %d time zones, seed %d", days, from, len(day.Zones()), seed)
	start := must.Get(time.Parse(time.DateOnly, from))(t)
	s := &simulation{t: t, start: start, end: start.AddDate(0, 0, days), now: start, rand: rand.New(rand.NewPCG(seed, 16)),
		plans: map[int64][]func(){}, moved: func() {}, version: ranking.Current - 1, byID: map[uuid.UUID]*simPerson{},
		frozen: map[day.Date]time.Time{}, answers: map[[2]uuid.UUID]simAnswers{}, counts: map[string]int{}}
	s.store = newFakeStore(func() time.Time { return s.now })
	return s
}

// at plans an event; one of the past runs at once.
func (s *simulation) at(t time.Time, run func()) {
	minute := later(t, s.now).Unix() / 60
	s.plans[minute] = append(s.plans[minute], run)
}

func (s *simulation) after(d time.Duration, run func()) { s.at(s.now.Add(d), run) }

func (s *simulation) draw(most time.Duration) time.Duration {
	return time.Duration(s.rand.Int64N(int64(most)))
}

// every plans an event for all periods until end.
func (s *simulation) every(period time.Duration, first, end time.Time, run func()) {
	for t := first; t.Before(end); t = t.Add(period) {
		s.at(t, run)
	}
}

// run lets the days pass, and the ones after them in which all jobs end. It returns what
// was counted.
func (s *simulation) run(users int) map[string]int {
	s.t.Helper()
	half, last := s.start.Add(s.end.Sub(s.start)/2), s.end.Add((over+2)*aDay)
	s.outages[0] = [2]time.Time{half.Add(-8 * time.Hour), half}
	if s.end.Sub(s.start) > over*aDay {
		s.outages[1] = [2]time.Time{half.Add(2 * aDay), half.Add(5 * aDay)}
	}
	s.rankings = &offer.Cache{Rosters: s.store}
	for range users {
		s.join()
	}
	s.every(aDay, s.start, s.end, s.plot)
	s.every(manifest.Schedule.Every/2, s.start, s.end, s.tick)
	s.every(time.Hour, s.start, last, s.sweep)
	s.every(aDay, s.start, last, func() { s.close(day.Of(s.now) - over) })
	s.every(30*aDay, s.start.Add(30*aDay), s.end, func() { s.t.Log(day.Of(s.now), s.counts) })
	s.at(half, func() { s.version = len(ranking.Versions()) })
	for ; s.now.Before(last); s.now = s.now.Add(time.Minute) {
		minute := s.now.Unix() / 60
		if len(s.plans[minute]) > 0 {
			s.moved()
		}
		for i := 0; i < len(s.plans[minute]); i++ { //nolint:intrange // it grows while it is read
			s.plans[minute][i]()
		}
		delete(s.plans, minute)
	}
	s.judge()
	s.t.Log(s.counts)
	return s.counts
}

// down reports whether nothing runs.
func (s *simulation) down() bool {
	return slices.ContainsFunc(s.outages[:], func(o [2]time.Time) bool { return !s.now.Before(o[0]) && s.now.Before(o[1]) })
}

// must reports an error where there is no fault.
func (s *simulation) must(err error) {
	s.t.Helper()
	if err != nil {
		s.broken("%v", err)
	}
}

// broken reports a promise that was broken.
func (s *simulation) broken(format string, args ...any) {
	s.t.Helper()
	if s.counts["broken"]++; s.counts["broken"] <= 20 {
		s.t.Errorf(format, args...)
	}
}

// tick runs a scheduler, which sometimes dies before or after a call of the store;
// sometimes the other one runs between two calls.
func (s *simulation) tick() {
	if s.down() {
		return
	}
	dies, turn := s.rand.IntN(500), s.rand.IntN(200)
	s.schedule(0, &steps{ScheduleStore: s.store, before: func(call int) error {
		if call == turn {
			s.schedule(1, s.store)
		}
		return map[int]error{dies: errCrash}[2*call]
	}, after: func(call int) error { return map[int]error{dies: errCrash}[2*call+1] }})
	for date := day.Of(s.now) - 3; date <= day.Of(s.now)+2; date++ {
		s.enroll(date)
	}
}

// schedule runs an instance, which keeps what it has read.
func (s *simulation) schedule(instance int, store offer.ScheduleStore) {
	o := &s.schedulers[instance]
	o.Store, o.Sender, o.Log, o.Shard, o.Algorithm = store, s, quiet, 10, s.version
	if _, err := o.Run(s.t.Context()); errors.Is(err, errCrash) {
		s.counts["killed schedulers"]++
	} else {
		s.must(err)
	}
}

// enroll notes who is active, by the simulation's record, when a date has its roster.
func (s *simulation) enroll(date day.Date) {
	f, err := s.store.Roster(s.t.Context(), tenants[0], date)
	if _, known := s.frozen[date]; err != nil || known {
		return
	}
	s.frozen[date] = s.now
	for _, p := range s.people {
		if p.Active {
			p.fate(date).member = true
			f.Users--
		}
	}
	if f.Users != 0 {
		s.broken("the roster of %s has %d users too many", date, f.Users)
	}
}

// Send is the queue: a message comes in minutes or hours, twice, or never.
func (s *simulation) Send(_ context.Context, stamped []job.Stamped) ([]uuid.UUID, error) {
	for _, m := range stamped {
		late, count := time.Hour/20, 1
		if s.rand.IntN(50) == 0 {
			late, count = aDay/4, s.rand.IntN(3)
			s.counts[fmt.Sprintf("sent %d times", count)]++
		}
		for range count {
			s.after(s.draw(late), func() { s.deliver(m) })
		}
	}
	return nil, nil
}

// deliver receives a message.
func (s *simulation) deliver(m job.Stamped) {
	if s.down() {
		s.after(time.Hour, func() { s.deliver(m) })
		return
	}
	claims, err := s.store.Claim(s.t.Context(), []job.Delivery{{ID: m.ID, Count: 1, SentAt: m.PublishedAt,
		PublishedAt: m.PublishedAt}}, manifest.Offer.Timeout, true)
	s.must(err)
	switch c := claims[0]; c.Found {
	case job.Claimed:
		s.attempt(m, c.Attempt)
	case job.Held:
		s.after(c.Wait, func() { s.deliver(m) })
	}
}

// worker is the store of an attempt.
type worker struct {
	offer.Store
	*simulation
	fault int
}

// attempt works on a job. After a fault half of the messages come again; the others are
// left to the sweep.
func (s *simulation) attempt(m job.Stamped, f job.Attempt) {
	w := worker{s.store, s, s.rand.IntN(100)}
	if w.fault < 3 {
		s.counts["faults"]++
		if s.rand.IntN(2) == 0 {
			s.after(manifest.Offer.Visibility(), func() { s.deliver(m) })
		}
	}
	s.settle(f, job.Work(offer.Offerer{Store: w, Rankings: s.rankings}.Offer).One(s.t.Context(), f))
}

func (w worker) Complete(ctx context.Context, sets []offer.Completed, deliver bool) ([]job.Attempt, error) {
	f := sets[0].Fence
	commit := func() error {
		held, err := w.Store.Complete(ctx, sets, deliver)
		switch {
		case err == nil && len(held) == 0:
			err = job.ErrFenceLost
		case err == nil:
			w.completed(sets[0].Set)
		}
		return err
	}
	switch w.fault {
	case 0: // it dies before the commit
		return nil, errCrash
	case 1: // it dies after the commit
		return nil, cmp.Or(commit(), errCrash)
	case 2: // it stalls until long after its lease has ended
		w.after(w.draw(4*time.Hour), func() { w.settle(f, commit()) })
		return []job.Attempt{f}, nil
	}
	return []job.Attempt{f}, commit()
}

// settle ends an attempt as the runtime does, unless the worker is dead.
func (s *simulation) settle(f job.Attempt, err error) {
	switch {
	case err == nil, errors.Is(err, errCrash):
	case errors.Is(err, job.ErrFenceLost):
		s.counts["fences lost"]++
	default:
		_, err := s.store.Release(s.t.Context(), f, job.Release{Status: job.StatusFailed, Reason: failure.Of(err).Text,
			Kind: failure.Of(err).Kind.String(), Delivery: 1})
		s.must(err)
	}
}

// sweep publishes the jobs again that wait in vain.
func (s *simulation) sweep() {
	if s.down() {
		return
	}
	again, err := s.store.Republish(s.t.Context(),
		sweep.Waits{Visibility: manifest.Offer.Visibility(), Lapses: 1000, Times: 1000, Drained: true, Idle: true}, 1000)
	s.must(err)
	for _, r := range again {
		s.counts["repaired"]++
		_, err = s.Send(s.t.Context(), []job.Stamped{r.Stamped})
		s.must(err)
	}
}

func TestNoDateMissedOrDoubled(t *testing.T) {
	t.Parallel()
	counts := newSimulation(t, "2026-03-20", 20, 1).run(200)
	for _, what := range []string{completed, "late", skipped, failed, "sent 0 times", "sent 1 times", "sent 2 times",
		"killed schedulers", "faults", "blocked", "declined", "fences lost", "repaired", "moves", "computed again", "explained"} {
		if counts[what] == 0 {
			t.Errorf("%s: 0, so that the test shows little", what)
		}
	}
}

func TestSeedDecidesAll(t *testing.T) {
	t.Parallel()
	first, again := newSimulation(t, "2026-10-20", 4, 2).run(30), newSimulation(t, "2026-10-20", 4, 2).run(30)
	if !maps.Equal(first, again) {
		t.Errorf("a seed has %v, then %v", first, again)
	}
}

var (
	users = flag.Int("users", 10_000, "users of the simulated year")
	days  = flag.Int("days", 365, "days of the simulated year")
	seed  = flag.Uint64("seed", 16, "seed of the simulated year")
)

func TestAYear(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "lets a year pass, which takes minutes")
	s := newSimulation(t, "2026-01-01", *days, *seed)
	s.version = ranking.Current // which remembers answers, all the year
	s.run(*users)
}
