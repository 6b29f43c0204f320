package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/sweep"
)

// Idle reports whether nothing is under way: no message is visible, and every
// worker of the mapping waits at the queue for the next one.
func (s *Stack) Idle() bool {
	stats, _ := s.SQS.Stats(s.row.Name)
	return stats.Visible == 0 && stats.Polls >= s.workers
}

// Stats are the counts of the queue and of its dead-letter queue.
func (s *Stack) Stats() (queue, dlq sqs.Stats) {
	queue, _ = s.SQS.Stats(s.row.Name)
	dlq, _ = s.SQS.Stats(s.row.Name + dlqSuffix)
	return queue, dlq
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

// Advance moves the clocks of queue and database.
func (s *Stack) Advance(ctx context.Context, d time.Duration) error {
	if err := s.dbClock.Advance(ctx, d); err != nil {
		return fmt.Errorf("advance the database's clock: %w", err)
	}
	s.Clock.Advance(d)
	return nil
}

// Jump moves the clocks to the moment at which the next message becomes
// visible. It reports false when no message waits.
func (s *Stack) Jump(ctx context.Context) (bool, error) {
	stats, _ := s.SQS.Stats(s.row.Name)
	if stats.NextVisible.IsZero() {
		return false, nil
	}
	return true, s.Advance(ctx, stats.NextVisible.Sub(s.Clock.Now()))
}

// Sweep runs the sweep once.
func (s *Stack) Sweep(ctx context.Context) (sweep.Report, error) { return s.sweeper.Run(ctx) }

// Env is the environment of the functions of this stack, KEY=VALUE.
func (s *Stack) Env() []string { return slices.Clone(s.env) }

// Publish publishes rows of the table.
func (s *Stack) Publish() *job.Publisher { return &job.Publisher{Store: s.Jobs, Sender: s.Queue} }

// Drain lets everything happen that is due, jumping over the waits, until the
// queue is empty and unfinished counts no document any more. Where the queue
// is empty before that, the sweep runs, each time a visibility timeout later.
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
			return errors.Join(fmt.Errorf("%d documents are unfinished after %d sweeps", n, maxSweeps), sweepErr)
		}
		if err := s.Advance(ctx, s.row.Visibility()+time.Second); err != nil {
			return err
		}
		_, sweepErr = s.Sweep(ctx)
	}
}
