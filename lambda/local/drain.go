package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"matchbook/lambda/job/sweep"
)

// Idle reports whether the stack is quiescent: no message is visible, and every mapping worker
// is long-polling its queue.
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

// Advance moves the clocks of queues and database forward.
func (s *Stack) Advance(ctx context.Context, d time.Duration) error {
	if err := s.dbClock.Advance(ctx, d); err != nil {
		return fmt.Errorf("advance the database's clock: %w", err)
	}
	s.Clock.Advance(d)
	return nil
}

// Jump advances the clocks until the next message becomes visible in any queue, or waits if Wait
// is set. It returns false when every queue is empty.
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
	d := next.Sub(s.Clock.Now())
	if s.Wait != nil {
		return true, s.Wait(ctx, d)
	}
	return true, s.Advance(ctx, d)
}

// Sweep runs the sweep over all workloads once.
func (s *Stack) Sweep(ctx context.Context) (sweep.Report, error) { return s.sweeper.Run(ctx) }

// Unfinished counts the pending and in-progress rows of all workloads.
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

// Drain processes everything due and skips the waits until the queues are empty and unfinished
// returns 0; use Unfinished, or a narrower count. If the queues run empty earlier, it runs the
// sweep, each time after advancing by the longest visibility timeout. It gives up on rows if their
// service stays away, and leaves them parked.
func (s *Stack) Drain(ctx context.Context, unfinished func(context.Context) (int, error)) error {
	var sweepErr error // the next sweep makes up for a failed one
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
		parked, err := s.parked(ctx)
		if err != nil {
			return err
		}
		if sweeps++; sweeps > maxSweeps {
			if parked >= n {
				return nil // their service stays away; the rows say so
			}
			return errors.Join(fmt.Errorf("%d rows still unfinished after %d sweeps", n, maxSweeps), sweepErr)
		}
		if err := s.elapse(ctx, parked > 0); err != nil {
			return err
		}
		_, sweepErr = s.Sweep(ctx)
	}
}

// parked counts the rows of all workloads that wait for a service.
func (s *Stack) parked(ctx context.Context) (n int, err error) {
	for _, w := range s.Consumers {
		if w.row.Rowless {
			continue
		}
		g, err := w.Jobs.Gauges(ctx, nil)
		if err != nil {
			return 0, err
		}
		n += g.Parked
	}
	return n, nil
}

// elapse lets the time pass until rows without a message are overdue. Rows parked for a real
// model need real time.
func (s *Stack) elapse(ctx context.Context, parked bool) error {
	if parked && s.Wait != nil {
		return s.Wait(ctx, time.Minute)
	}
	return s.Advance(ctx, s.visibility()+time.Second)
}

// Repair publishes lost rows and rows of dead processes: it advances the clocks by the longest
// visibility timeout and sweeps. Call it before the first message is sent.
func (s *Stack) Repair(ctx context.Context) error {
	if err := s.Advance(ctx, s.visibility()+time.Second); err != nil {
		return err
	}
	_, err := s.Sweep(ctx)
	return err
}

// visibility returns the longest visibility timeout of the queues.
func (s *Stack) visibility() (longest time.Duration) {
	for _, w := range s.Consumers {
		longest = max(longest, w.row.Visibility())
	}
	return longest
}
