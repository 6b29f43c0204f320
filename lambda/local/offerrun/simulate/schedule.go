package simulate

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// mostSkew bounds the errors of clocks.
const mostSkew = 4 * time.Minute

// Shares of the scheduler's runs.
const (
	dies        = 0.02 // it dies at a call of the store, or between a commit and its messages
	interrupted = 0.05 // the other one runs in the middle
)

var quiet = slog.New(slog.DiscardHandler)

var errDead = errors.New("the scheduler died")

// scheduler is one run of a scheduler: its clock is wrong, it may die at any call,
// and another one may run between two calls.
type scheduler struct {
	*simulation
	offer.ScheduleStore
	of    *offer.Scheduler // its instance
	skew  time.Duration
	calls int
	death int    // the call at which it dies; 0: it lives
	other func() // runs at call number otherAt
	at    int
}

// tick runs a scheduler.
func (s *simulation) tick(skew time.Duration) {
	if s.down() {
		return
	}
	run := &scheduler{simulation: s, ScheduleStore: s.store, of: &s.schedulers[0], skew: skew}
	if s.rand.Float64() < dies {
		run.death = 1 + s.rand.IntN(12)
	}
	if s.rand.Float64() < interrupted {
		other := &scheduler{simulation: s, ScheduleStore: s.store, of: &s.schedulers[1], skew: -skew}
		run.at, run.other = 1+s.rand.IntN(8), func() { s.schedule(other) }
	}
	s.schedule(run)
}

func (s *simulation) schedule(run *scheduler) {
	run.of.Store, run.of.Sender, run.of.CatchUp, run.of.Log, run.of.Shard = run, run, s.catchUp, quiet, shard
	report, err := run.of.Run(context.Background())
	s.Rosters += report.Rosters
	switch {
	case run.death > 0 && run.calls >= run.death:
		s.DeadSchedulers++
	case err != nil:
		s.broken("the scheduler: %v", err)
	}
}

// shard is small, so that a scheduler dies between two of them as well.
const shard = 200

// call is called before each call of the store or of the queue.
func (s *scheduler) call() error {
	s.calls++
	if s.other != nil && s.calls >= s.at {
		other := s.other
		s.other = nil
		other()
	}
	if s.death > 0 && s.calls >= s.death {
		return errDead
	}
	return nil
}

// Now implements offer.ScheduleStore.
func (s *scheduler) Now(ctx context.Context) (time.Time, error) {
	now, err := s.ScheduleStore.Now(ctx)
	return now.Add(s.skew), err
}

// Freeze implements offer.ScheduleStore. A date has the algorithm that is current
// when its roster is frozen.
func (s *scheduler) Freeze(ctx context.Context, f roster.Frozen) (roster.Frozen, error) {
	if err := s.call(); err != nil {
		return f, err
	}
	all := ranking.Versions()
	if version := all[min(s.version, len(all)-1)].Version; version != f.Algorithm {
		r, err := f.Thaw()
		if err != nil {
			return f, err
		}
		r.Algorithm = version
		if f, err = r.Freeze(); err != nil {
			return f, err
		}
	}
	if s.members[f.Date] == nil {
		s.enroll(f.Date, f.Users)
		s.versions[f.Date] = f.Algorithm
	}
	return s.ScheduleStore.Freeze(ctx, f)
}

// enroll notes who is active, by the simulation's own record.
func (s *simulation) enroll(date day.Date, users int) {
	members, active := make([]bool, len(s.people)), 0
	for _, p := range s.people {
		if members[p.number] = p.active; p.active {
			active++
		}
	}
	if s.members[date] = members; active != users {
		s.broken("the roster of %s has %d users, and %d are active", date, users, active)
	}
}

// Queue implements offer.ScheduleStore.
func (s *scheduler) Queue(ctx context.Context, sh offer.Shard) (stamped []job.Stamped, users int, err error) {
	if err := s.call(); err != nil {
		return nil, 0, err
	}
	return s.ScheduleStore.Queue(ctx, sh)
}

// Skip implements offer.ScheduleStore.
func (s *scheduler) Skip(ctx context.Context, sh offer.Shard, reason string) (int, error) {
	if err := s.call(); err != nil {
		return 0, err
	}
	return s.ScheduleStore.Skip(ctx, sh, reason)
}

// Send implements job.Sender.
func (s *scheduler) Send(ctx context.Context, stamped []job.Stamped) ([]uuid.UUID, error) {
	if err := s.call(); err != nil {
		unsent := make([]uuid.UUID, len(stamped))
		for i, m := range stamped {
			unsent[i] = m.ID
		}
		return unsent, err
	}
	return s.queue.Send(ctx, stamped)
}
