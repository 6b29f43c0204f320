package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// gatherFor is the longest wait of the first attempt for others about to arrive. A commit
// takes longer.
const gatherFor = time.Millisecond

// joint combines the same statement of several attempts into one. Attempts share it if they
// arrive within a moment of each other, or while the previous statement is running. No caller
// waits for another's work, only for its arrival. If the shared statement fails, each attempt
// runs it alone, so that one attempt's error isn't another's.
type joint[T any] struct {
	// write writes ends all or nothing, and returns the fences that held. It must lock rows in
	// id order. For a read, it sets the results, which are pointers.
	write  func(ctx context.Context, ends []end[T]) ([]job.Attempt, error)
	gather func(ctx context.Context) // waits for other attempts
	turn   chan struct{}             // holds a value while ends are gathered and written

	mu    sync.Mutex
	ready []*gathered[T]
}

// end is a succeeded attempt with its result, or an attempt that has arrived at a read.
type end[T any] struct {
	job.Attempt
	result T
}

type gathered[T any] struct {
	end[T]
	written chan struct{} // closed when err is set
	err     error
}

var errApart = errors.New("must be written alone")

func newJoint[T any](
	write func(context.Context, []end[T]) ([]job.Attempt, error), gather func(context.Context),
) *joint[T] {
	return &joint[T]{write: write, gather: gather, turn: make(chan struct{}, 1)}
}

// commit returns once the end is written, or job.ErrFenceLost if its fence didn't hold. If ctx
// ends first, the end may still be written while its fence holds, so the caller must not touch
// the result.
func (j *joint[T]) commit(ctx context.Context, f job.Attempt, result T) error {
	mine := &gathered[T]{end: end[T]{f, result}, written: make(chan struct{})}
	j.mu.Lock()
	j.ready = append(j.ready, mine)
	j.mu.Unlock()
	select {
	case j.turn <- struct{}{}:
		j.writeReady(ctx)
		<-j.turn
	case <-mine.written:
	case <-ctx.Done():
		return ctx.Err()
	}
	<-mine.written // by this turn or an earlier one
	if errors.Is(mine.err, errApart) {
		return steadily(ctx, func() error { return j.writeAlone(ctx, mine.end) })
	}
	return mine.err
}

func (j *joint[T]) writeReady(ctx context.Context) {
	j.gather(ctx)
	j.mu.Lock()
	ready := j.ready
	j.ready = nil
	j.mu.Unlock()
	if len(ready) == 0 {
		return
	}
	ends := make([]end[T], len(ready))
	for i, g := range ready {
		ends[i] = g.end
	}
	held, err := j.writeAll(ctx, ends)
	for _, g := range ready {
		i := slices.Index(held, g.Attempt)
		switch {
		case err != nil:
			g.err = errApart
		case i < 0:
			g.err = job.ErrFenceLost
		default:
			held = slices.Delete(held, i, i+1) // an attempt listed twice holds once
		}
		close(g.written)
	}
}

// writeAll turns a panic into an error, so that each end is written alone and only its own
// attempt panics.
func (j *joint[T]) writeAll(ctx context.Context, ends []end[T]) (held []job.Attempt, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return j.write(ctx, ends)
}

func (j *joint[T]) writeAlone(ctx context.Context, e end[T]) error {
	held, err := j.write(ctx, []end[T]{e})
	if err == nil && len(held) == 0 {
		err = job.ErrFenceLost
	}
	return err
}

// fences splits ends into ids and attempts.
func fences[T any](ends []end[T]) (ids []uuid.UUID, attempts []int) {
	for _, e := range ends {
		ids, attempts = append(ids, e.ID), append(attempts, e.Number)
	}
	return ids, attempts
}

func split(fences []job.Attempt) (ids []uuid.UUID, attempts []int) {
	for _, f := range fences {
		ids, attempts = append(ids, f.ID), append(attempts, f.Number)
	}
	return ids, attempts
}
