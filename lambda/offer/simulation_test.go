package offer_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"

	"github.com/google/uuid"
)

// simOptions is the size of a simulation, and the seed of all that is random in it.
type simOptions struct {
	Users, Days int
	From        day.Date
	Seed        uint64
}

// simulation lets days of match offers pass: the real scheduler, runtime and ranking, over
// a store with a simulated clock, a queue that is as bad as a queue may be, processes that
// die, users who travel, and outages. It examines each promise by records that it keeps.
// All of its fields belong to the loop; a process uses them while the loop waits for it.
type simulation struct {
	*simLoop
	ledger
	simOptions
	t          testing.TB
	tenant     uuid.UUID
	rand       *rand.Rand
	start, end time.Time
	outages    []outage
	store      simStore
	checked    int // one date in so many has its sets computed again
	queue      *simQueue
	rankings   offer.Rankings
	algorithm  ranking.Algorithm
	schedulers [2]offer.Scheduler
	idle       int           // processes that wait for messages
	running    []*simProcess // the slow ones
	people     []*simPerson
	numbers    map[uuid.UUID]int   // places in people
	members    map[day.Date][]bool // of the rosters, by number
	limits     map[day.Date]int    // how often a candidate may be shown
	writes     sync.Mutex          // of the jobs of a batch
	counting   sync.Mutex
	counts     map[string]int
}

// over is the number of days after which nothing of a date is under way.
const over = 12

// outage is a time without schedulers, workers and sweeps.
type outage struct{ from, until time.Time }

// simStore is fakeStore, or the real store.
type simStore interface {
	offer.Store
	offer.ScheduleStore
	job.Store
	job.PublishStore
	sweep.Store
	Put(offer.User)
	Jobs(tenant uuid.UUID, date day.Date) []*fakeJob // by user
	Forget(tenant uuid.UUID, date day.Date)
	Open() int // jobs that wait or are at work
}

func newSimulation(t testing.TB, from string, o simOptions) *simulation {
	t.Helper()
	var err error
	if o.From, err = day.Parse(from); err != nil {
		t.Fatal(err)
	}
	start := o.From.Time()
	s := &simulation{simLoop: &simLoop{now: start}, simOptions: o, t: t, tenant: uuid.NewSHA1(uuid.Nil, []byte("simulated")),
		rand: rand.New(rand.NewPCG(o.Seed, 16)), start: start, end: start.AddDate(0, 0, o.Days),
		idle: manifest.Offer.MaxConcurrency, algorithm: ranking.Versions()[0], numbers: map[uuid.UUID]int{},
		members: map[day.Date][]bool{}, limits: map[day.Date]int{}, counts: map[string]int{},
		ledger: ledger{digests: map[uuid.UUID][32]byte{}}}
	s.queue = &simQueue{simLoop: s.simLoop, rand: s.rand, count: s.count, wake: s.dispatch}
	s.keep(newFakeStore(func() time.Time { return s.now }), 10)
	return s
}

// keep sets the store, and the number of dates of which one has its sets computed again.
func (s *simulation) keep(in simStore, every int) {
	s.store, s.checked, s.rankings = in, every, &offer.Cache{Rosters: in}
}

// run lets the days pass, and returns what was counted.
func (s *simulation) run() map[string]int {
	s.t.Helper()
	s.t.Logf("%d users, %d days from %s, %d time zones, seed %d", s.Users, s.Days, s.From, len(day.Zones()), s.Seed)
	s.plan()
	for s.step(s.end) {
	}
	for date := day.Of(s.end) - over; date <= day.Of(s.end)+1; date++ { // the queue runs empty
		for (s.queue.waiting > 0 || s.store.Open() > 0) && s.step(date.Time().AddDate(0, 0, over)) {
		}
		s.over(date)
	}
	s.judge()
	s.t.Log(s.counts)
	return s.counts
}

// plan plans the events that do not follow from others.
func (s *simulation) plan() {
	for range s.Users {
		s.join()
	}
	s.every(s.start, 24*time.Hour, s.end, s.plot)
	s.every(s.start, 24*time.Hour, s.end, func() { s.over(day.Of(s.now) - over) })
	s.every(s.start.Add(time.Minute), manifest.Schedule.Every, s.end, func() { s.tick(3 * time.Minute) })
	s.every(s.start.Add(8*time.Minute), manifest.Schedule.Every, s.end, func() { s.tick(-2 * time.Minute) })
	s.every(s.start, manifest.Sweep.Every, s.end.Add(over*24*time.Hour), s.sweep)
	s.every(s.start, time.Hour, s.end, s.rerun)
	s.every(s.start, 12*time.Hour, s.end.Add(over*24*time.Hour), s.requeue)
	s.at(s.part(0.5), s.nextVersion)
	s.outage(0.25, 8*time.Hour)
	if s.Days > 10 {
		s.outage(0.6, 72*time.Hour)
	}
}

// part returns the time after a share of the simulation.
func (s *simulation) part(share float64) time.Time {
	return s.start.Add(time.Duration(share * float64(s.end.Sub(s.start))).Truncate(time.Hour))
}

func (s *simulation) outage(share float64, d time.Duration) {
	o := outage{s.part(share), s.part(share).Add(d)}
	s.outages = append(s.outages, o)
	s.at(o.from, func() {
		for _, p := range s.running {
			p.dead = true
		}
	})
	s.at(o.until, s.dispatch)
}

// down reports whether nothing runs.
func (s *simulation) down() bool {
	return slices.ContainsFunc(s.outages, func(o outage) bool { return !s.now.Before(o.from) && s.now.Before(o.until) })
}

// dispatch starts processes for the messages that are visible.
func (s *simulation) dispatch() {
	for s.idle > 0 && !s.down() {
		batch := s.queue.receive(manifest.Offer.BatchSize)
		if len(batch) == 0 {
			return
		}
		s.count("deliveries", len(batch))
		s.invoke(batch)
	}
}

// sweep is a run of the sweep.
func (s *simulation) sweep() {
	if s.down() || s.store.Open() == 0 {
		return
	}
	w := sweep.Target{Name: manifest.Offer.Name, Store: s.store, Queue: s.queue, Visibility: manifest.Offer.Visibility()}
	r, err := (&sweep.Sweeper{Targets: []sweep.Target{w}, Log: quiet}).Run(context.Background())
	if err != nil {
		s.broken("the sweep: %v", err)
	}
	s.count("repaired", r.Inserted+r.Recovered+r.Republished)
}

// rerun publishes jobs of the last days by hand, whatever their state, and takes away
// what is at work.
func (s *simulation) rerun() {
	var ids []uuid.UUID
	for range 1 + len(s.people)/500 {
		p := pick(s.rand, s.people)
		id := offer.JobID(s.tenant, day.Of(s.now)-day.Date(s.rand.IntN(5)), p.Zone, p.ID)
		if _, err := s.store.Find(context.Background(), id); err == nil {
			ids = append(ids, id)
		}
	}
	for _, p := range s.running {
		ids = append(ids, pick(s.rand, p.batch).ID)
	}
	s.publish("reruns", ids)
}

// requeue publishes the jobs that failed for another reason than an unreadable profile.
func (s *simulation) requeue() {
	var ids []uuid.UUID
	for date := day.Of(s.now) - over + 2; date <= day.Of(s.now)+1; date++ {
		for _, j := range s.store.Jobs(s.tenant, date) {
			if j.Status == job.StatusFailed && !theirFault(j) {
				ids = append(ids, j.ID)
			}
		}
	}
	s.publish("requeued", ids)
}

func (s *simulation) publish(what string, ids []uuid.UUID) {
	if s.down() {
		return
	}
	s.count(what, len(ids))
	if err := (&job.Publisher{Store: s.store, Sender: s.queue}).Publish(context.Background(), ids); err != nil {
		s.broken("publish: %v", err)
	}
}

// over examines a date of which nothing is under way any more.
func (s *simulation) over(date day.Date) {
	if date >= s.From-3 {
		s.close(date)
	}
}

// count counts what happened, and returns how often it did.
func (s *simulation) count(what string, n int) int {
	s.counting.Lock()
	defer s.counting.Unlock()
	s.counts[what] += n
	return s.counts[what]
}

// broken reports a promise that was broken.
func (s *simulation) broken(format string, args ...any) {
	s.t.Helper()
	if s.count("broken", 1) <= 20 {
		s.t.Errorf(format, args...)
	}
}

func TestNoDateIsMissedOrDoubled(t *testing.T) {
	t.Parallel()
	counts := newSimulation(t, "2026-03-20", simOptions{Users: 200, Days: 20, Seed: 1}).run()
	for _, what := range []string{"sets", "late", "skipped", "sent twice", "delayed", "killed workers", "killed schedulers",
		"faults", "fences lost", "repaired", "reruns", "moves", "computed again"} {
		if counts[what] == 0 {
			t.Errorf("%s: 0, so that the test shows little", what)
		}
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
	newSimulation(t, "2026-01-01", simOptions{Users: *users, Days: *days, Seed: *seed}).run()
}
