package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"matchbook/lambda/job/sweep"
)

// Idle reports whether nothing is under way: no message is visible, and every
// worker of the mappings waits at its queue for the next one.
func (s *Stack) Idle() bool {
	stats := s.SQS.AllStats()
	for _, w := range s.Consumers {
		if q := stats[w.row.Name]; q.Visible > 0 || q.Polls < w.workers {
			return false
		}
	}
	return true
}

// WaitIdle waits until the stack is idle.
func (s *Stack) WaitIdle(ctx context.Context) error {
	ticker := time.NewTicker(idlePoll)
	defer ticker.Stop()
	for !s.Idle() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

// Advance moves the clocks of queues and database.
func (s *Stack) Advance(ctx context.Context, d time.Duration) error {
	if err := s.dbClock.Advance(ctx, d); err != nil {
		return fmt.Errorf("advance the database's clock: %w", err)
	}
	s.Clock.Advance(d)
	return nil
}

// Jump moves the clocks to the moment at which the next message of any queue
// becomes visible. It reports false when no message waits.
func (s *Stack) Jump(ctx context.Context) (bool, error) {
	var next time.Time
	stats := s.SQS.AllStats()
	for _, w := range s.Consumers {
		if at := stats[w.row.Name].NextVisible; !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if next.IsZero() {
		return false, nil
	}
	return true, s.Advance(ctx, next.Sub(s.Clock.Now()))
}

// Sweep runs the sweep over all workloads once.
func (s *Stack) Sweep(ctx context.Context) (sweep.Report, error) { return s.sweeper.Run(ctx) }

// Unfinished counts the rows of all workloads that are pending or in progress.
func (s *Stack) Unfinished(ctx context.Context) (n int, err error) {
	for _, w := range s.Consumers {
		if w.row.Rowless {
			continue
		}
		g, err := w.Jobs.Gauges(ctx, nil)
		if err != nil {
			return 0, err
		}
		n += g.Pending + g.InProgress
	}
	return n, nil
}

// Drain lets everything happen that is due, jumping over the waits, until the
// queues are empty and unfinished, such as Unfinished, counts no row any more.
// Where the queues are empty before that, the sweep runs, each time the longest
// visibility timeout later.
func (s *Stack) Drain(ctx context.Context, unfinished func(context.Context) (int, error)) error {
	var sweepErr error // a sweep that failed is made good by the next one
	for sweeps := 0; ; {
		if err := s.WaitIdle(ctx); err != nil {
			return err
		}
		jumped, err := s.Jump(ctx)
		if err != nil {
			return err
		}
		if jumped {
			continue
		}
		n, err := unfinished(ctx)
		if err != nil || n == 0 {
			return err
		}
		if sweeps++; sweeps > maxSweeps {
			return errors.Join(fmt.Errorf("%d rows are unfinished after %d sweeps", n, maxSweeps), sweepErr)
		}
		if err := s.Advance(ctx, s.visibility()+time.Second); err != nil {
			return err
		}
		_, sweepErr = s.Sweep(ctx)
	}
}

// visibility returns the longest visibility timeout of the queues.
func (s *Stack) visibility() (longest time.Duration) {
	for _, w := range s.Consumers {
		longest = max(longest, w.row.Visibility())
	}
	return longest
}
