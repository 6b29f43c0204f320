package simulate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/memory"

	"github.com/google/uuid"
)

// Options is the size of a simulation.
type Options struct {
	Users int      `json:"users"`
	Days  int      `json:"days"`
	Zones []string `json:"-"`
	From  day.Date `json:"from"`
	Seed  uint64   `json:"seed"`
	// Progress is called when a date is over; it may be nil.
	Progress func(done int, r *Result) `json:"-"`
}

// simulation is a run. All of its fields belong to the loop; a process uses them
// while the loop waits for it.
type simulation struct {
	*loop
	*Result
	tenant   uuid.UUID
	rand     *rand.Rand
	start    time.Time
	end      time.Time
	catchUp  time.Duration
	outages  []outage
	store    store
	checked  int // of so many dates the sets of one are computed again
	queue    *queue
	rankings offer.Rankings
	version  int // which algorithm, of all
	// schedulers are two instances; what one has read it keeps for its next run.
	schedulers [2]offer.Scheduler
	idle       int        // processes that wait for messages
	running    []*process // the slow ones
	people     []*person
	numbers    map[uuid.UUID]int
	members    map[day.Date][]bool // of the rosters, by number
	versions   map[day.Date]int    // of the algorithm
	zones      map[string]*time.Location
	ledger     *ledger
}

// over is the number of days after which nothing of a date is under way.
const over = 12

// outage is a time without schedulers, workers and sweeps.
type outage struct{ from, until time.Time }

// store is memory.Store, or that of a test.
type store interface {
	offer.Store
	offer.ScheduleStore
	job.Store
	job.PublishStore
	sweep.Store
	Insert(u memory.User)
	Update(id uuid.UUID, change func(*memory.User)) error
	Jobs(tenant uuid.UUID, date day.Date) []memory.Job
	JobOf(tenant uuid.UUID, date day.Date, user uuid.UUID) (memory.Job, bool)
	Failed(tenant uuid.UUID, date day.Date) []memory.Job
	Forget(tenant uuid.UUID, date day.Date)
	Open() int
}

// Run simulates. Its error is that of the options or of ctx.
func Run(ctx context.Context, o Options) (*Result, error) {
	s, err := newSimulation(o)
	if err != nil {
		return nil, err
	}
	return s.run(ctx)
}

func (s *simulation) run(ctx context.Context) (*Result, error) {
	s.plan()
	for s.step(s.end) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	s.drain()
	s.judge()
	s.Exposure.top(s.people)
	return s.Result, nil
}

func newSimulation(o Options) (*simulation, error) {
	start := o.From.Time()
	s := &simulation{loop: &loop{now: start}, Result: newResult(o), tenant: uuid.NewSHA1(uuid.Nil, []byte("simulated")),
		rand: rand.New(rand.NewPCG(o.Seed, 16)), start: start, end: start.AddDate(0, 0, o.Days), catchUp: offer.CatchUp,
		idle: manifest.Offer.MaxConcurrency, numbers: map[uuid.UUID]int{},
		members: map[day.Date][]bool{}, versions: map[day.Date]int{}, zones: map[string]*time.Location{}}
	for _, name := range append(append(o.Zones, east...), west...) {
		zone, err := day.Zone(name)
		if err != nil {
			return nil, err
		}
		s.zones[name] = zone
	}
	if o.Users < 1 || o.Days < 1 || len(o.Zones) == 0 {
		return nil, fmt.Errorf("a simulation needs users, days and zones")
	}
	s.queue = &queue{loop: s.loop, rand: s.rand, skew: 2 * time.Minute, wake: s.dispatch}
	s.keep(memory.New(func() time.Time { return s.now }), 10)
	s.ledger = &ledger{simulation: s, digests: map[uuid.UUID][32]byte{}}
	return s, nil
}

// keep sets the store, and how many dates there are for one whose sets are computed again.
func (s *simulation) keep(in store, every int) {
	s.store, s.checked, s.rankings = in, every, &offer.Cache{Rosters: in}
}

func (s *simulation) zone(name string) *time.Location { return s.zones[name] }

// part returns the time after a share of the simulation.
func (s *simulation) part(share float64) time.Time {
	return s.start.Add(time.Duration(share * float64(s.end.Sub(s.start))).Truncate(time.Hour))
}

// plan plans the events that do not follow from others.
func (s *simulation) plan() {
	for range s.Users {
		s.join(pick(s.rand, s.Zones))
	}
	s.every(s.start, 24*time.Hour, s.end, s.day)
	s.every(s.start, 24*time.Hour, s.end, func() { s.over(day.Of(s.now) - over) })
	s.every(s.start.Add(time.Minute), manifest.Schedule.Every, s.end, func() { s.tick(3 * time.Minute) })
	s.every(s.start.Add(8*time.Minute), manifest.Schedule.Every, s.end, func() { s.tick(-2 * time.Minute) })
	s.every(s.start, manifest.Sweep.Every, s.end.Add(over*24*time.Hour), s.sweep)
	s.every(s.start, time.Hour, s.end, s.rerun)
	s.every(s.start, 6*time.Hour, s.end.Add(over*24*time.Hour), s.requeue)
	s.at(s.part(0.5), func() { s.version++ })
	s.outage(0.25, 8*time.Hour)
	if s.Days > 10 {
		s.outage(0.6, 72*time.Hour)
	}
}

func (s *simulation) outage(share float64, d time.Duration) {
	o := outage{s.part(share), s.part(share).Add(d)}
	s.outages = append(s.outages, o)
	s.at(o.from, func() {
		for _, p := range s.running {
			p.kill()
			s.Killed++
		}
	})
	s.at(o.until, s.dispatch)
}

// down reports whether nothing runs.
func (s *simulation) down() bool {
	for _, o := range s.outages {
		if !s.now.Before(o.from) && s.now.Before(o.until) {
			return true
		}
	}
	return false
}

// dispatch starts processes for the messages that are visible.
func (s *simulation) dispatch() {
	for s.idle > 0 && !s.down() {
		batch := s.queue.receive(manifest.Offer.BatchSize)
		if len(batch) == 0 {
			break
		}
		s.idle--
		s.Deliveries += len(batch)
		s.invoke(batch, func() {
			s.idle++
			s.dispatch()
		})
	}
	if s.idle > 0 && !s.down() {
		s.queue.plan()
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
	s.Repaired += r.Inserted + r.Recovered + r.Republished
	s.dispatch()
}

// rerun publishes jobs of the last days by hand, whatever their state.
func (s *simulation) rerun() {
	var ids []uuid.UUID
	for range 1 + len(s.people)/500 {
		p := pick(s.rand, s.people)
		date := day.Of(s.now) - day.Date(s.rand.IntN(5))
		if j, ok := s.store.JobOf(s.tenant, date, p.id); ok {
			ids = append(ids, j.ID)
		}
	}
	for _, p := range s.running { // what is at work is taken away from it
		ids = append(ids, p.batch[s.rand.IntN(len(p.batch))].ID)
	}
	s.publish(ids)
}

// requeue publishes the jobs that failed for another reason than an unreadable
// profile.
func (s *simulation) requeue() {
	var ids []uuid.UUID
	for date := day.Of(s.now) - over + 2; date <= day.Of(s.now)+1; date++ {
		for _, j := range s.store.Failed(s.tenant, date) {
			if !unreadable(j.Error) {
				ids = append(ids, j.ID)
			}
		}
	}
	s.Requeued += len(ids)
	s.publish(ids)
}

func (s *simulation) publish(ids []uuid.UUID) {
	if len(ids) == 0 || s.down() {
		return
	}
	s.Reruns += len(ids)
	if err := (&job.Publisher{Store: s.store, Sender: s.queue}).Publish(context.Background(), ids); err != nil {
		s.broken("publish: %v", err)
	}
	s.dispatch()
}

// over examines a date of which nothing is under way any more.
func (s *simulation) over(date day.Date) {
	if date < day.Of(s.start)-3 {
		return
	}
	s.ledger.close(date)
	if s.Progress != nil {
		s.Progress(int(date-day.Of(s.start))+1, s.Result)
	}
}

// drain lets the queue run empty when no further date is queued.
func (s *simulation) drain() {
	for date := day.Of(s.end) - over; date <= day.Of(s.end)+1; date++ {
		for (s.queue.waiting > 0 || s.store.Open() > 0) && s.step(date.Time().AddDate(0, 0, over)) {
		}
		s.over(date)
	}
	s.Sent, s.Twice, s.Delayed, s.Dead = s.queue.Sent, s.queue.Twice, s.queue.Delayed, s.queue.Dead
}

// broken notes that a promise was broken.
func (s *simulation) broken(format string, args ...any) {
	if s.Broken++; len(s.Problems) < 20 {
		s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
	}
}
