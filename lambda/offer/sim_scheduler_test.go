package offer_test

import (
	"context"
	"log/slog"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Shares of the scheduler's runs.
const (
	dies        = 0.02 // at a call of the store, or between a commit and its messages
	interrupted = 0.05 // the other one runs in the middle
)

// mostSkew bounds the errors of clocks.
const mostSkew = 4 * time.Minute

// simScheduler is one run of a scheduler: its clock is wrong, it may die at any call,
// and another one may run between two calls.
type simScheduler struct {
	*simulation
	offer.ScheduleStore
	skew  time.Duration
	calls int
	death int    // the call at which it dies; 0: it lives
	other func() // runs before call number turn
	turn  int
}

var quiet = slog.New(slog.DiscardHandler)

// tick runs a scheduler.
func (s *simulation) tick(skew time.Duration) {
	if s.down() {
		return
	}
	run := &simScheduler{simulation: s, ScheduleStore: s.store, skew: skew}
	if s.rand.Float64() < dies {
		run.death = 1 + s.rand.IntN(12)
	}
	if s.rand.Float64() < interrupted {
		run.turn, run.other = 1+s.rand.IntN(8), func() {
			s.schedule(&s.schedulers[1], &simScheduler{simulation: s, ScheduleStore: s.store, skew: -skew})
		}
	}
	s.schedule(&s.schedulers[0], run)
}

// schedule runs an instance, which keeps what it has read. Its shards are small, so that
// it dies between two of them as well.
func (s *simulation) schedule(instance *offer.Scheduler, run *simScheduler) {
	instance.Store, instance.Sender, instance.Log, instance.Shard = run, run, quiet, 200
	_, err := instance.Run(context.Background())
	switch {
	case run.death > 0 && run.calls >= run.death:
		s.count("killed schedulers", 1)
	case err != nil:
		s.broken("the scheduler: %v", err)
	}
}

// call is called before each call of the store or of the queue.
func (s *simScheduler) call() error {
	s.calls++
	if s.other != nil && s.calls >= s.turn {
		other := s.other
		s.other = nil
		other()
	}
	if s.death > 0 && s.calls >= s.death {
		return errCrash
	}
	return nil
}

func (s *simScheduler) Now(ctx context.Context) (time.Time, error) {
	now, err := s.ScheduleStore.Now(ctx)
	return now.Add(s.skew), err
}

// Freeze gives a date the algorithm that is current when its roster is frozen.
func (s *simScheduler) Freeze(ctx context.Context, f roster.Frozen) (roster.Frozen, error) {
	if err := s.call(); err != nil {
		return f, err
	}
	r, err := f.Thaw()
	if err != nil {
		return f, err
	}
	r.Algorithm = s.algorithm.Version
	if f, err = r.Freeze(); err != nil {
		return f, err
	}
	if s.members[f.Date] == nil {
		s.enroll(f.Date, f.Users)
	}
	return s.ScheduleStore.Freeze(ctx, f)
}

// enroll notes who is active, by the simulation's record.
func (s *simulation) enroll(date day.Date, users int) {
	members, active := make([]bool, len(s.people)), 0
	for n, p := range s.people {
		if members[n] = p.Active; p.Active {
			active++
		}
	}
	if s.members[date], s.limits[date] = members, s.algorithm.Exposure; active != users {
		s.broken("the roster of %s has %d users, and %d are active", date, users, active)
	}
}

func (s *simScheduler) Queue(ctx context.Context, sh offer.Shard) (stamped []job.Stamped, users int, err error) {
	if err := s.call(); err != nil {
		return nil, 0, err
	}
	return s.ScheduleStore.Queue(ctx, sh)
}

func (s *simScheduler) Skip(ctx context.Context, sh offer.Shard, reason string) (int, error) {
	if err := s.call(); err != nil {
		return 0, err
	}
	return s.ScheduleStore.Skip(ctx, sh, reason)
}

func (s *simScheduler) Send(ctx context.Context, stamped []job.Stamped) ([]uuid.UUID, error) {
	if err := s.call(); err != nil {
		unsent := make([]uuid.UUID, len(stamped))
		for i, m := range stamped {
			unsent[i] = m.ID
		}
		return unsent, err
	}
	return s.queue.Send(ctx, stamped)
}

// nextVersion makes the next version of the ranking current, where there is one.
func (s *simulation) nextVersion() {
	all := ranking.Versions()
	s.algorithm = all[min(1, len(all)-1)]
}
