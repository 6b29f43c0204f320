package simulate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

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
	store    *memory.Store
	queue    *queue
	version  int // which algorithm, of all
	people   []*person
	numbers  map[uuid.UUID]int
	members  map[day.Date][]bool // of the rosters, by number
	versions map[day.Date]int    // of the algorithm
	zones    map[string]*time.Location
}

// over is the number of days after which nothing of a date is under way.
const over = 12

// outage is a time without schedulers, workers and sweeps.
type outage struct{ from, until time.Time }

// Run simulates. Its error is that of the options or of ctx.
func Run(ctx context.Context, o Options) (*Result, error) {
	s, err := newSimulation(o)
	if err != nil {
		return nil, err
	}
	s.plan()
	for s.step(s.end) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return s.Result, nil
}

func newSimulation(o Options) (*simulation, error) {
	start := o.From.Time()
	s := &simulation{loop: &loop{now: start}, Result: newResult(o), tenant: uuid.NewSHA1(uuid.Nil, []byte("simulated")),
		rand: rand.New(rand.NewPCG(o.Seed, 16)), start: start, end: start.AddDate(0, 0, o.Days), catchUp: offer.CatchUp,
		numbers: map[uuid.UUID]int{},
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
	s.store = memory.New(func() time.Time { return s.now })
	s.queue = &queue{loop: s.loop, rand: s.rand, skew: 2 * time.Minute, wake: func() {}}
	return s, nil
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
	s.every(s.start.Add(time.Minute), manifest.Schedule.Every, s.end, func() { s.tick(3 * time.Minute) })
	s.every(s.start.Add(8*time.Minute), manifest.Schedule.Every, s.end, func() { s.tick(-2 * time.Minute) })
	s.at(s.part(0.5), func() { s.version++ })
	s.outage(0.25, 8*time.Hour)
	if s.Days > 10 {
		s.outage(0.6, 72*time.Hour)
	}
}

func (s *simulation) outage(share float64, d time.Duration) {
	o := outage{s.part(share), s.part(share).Add(d)}
	s.outages = append(s.outages, o)
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

// broken notes that a promise was broken.
func (s *simulation) broken(format string, args ...any) {
	if s.Broken++; len(s.Problems) < 20 {
		s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
	}
}
