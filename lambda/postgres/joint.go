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

// gatherFor is how long the first attempt waits for others that are about to come. A
// commit takes longer.
const gatherFor = time.Millisecond

// joint runs a statement of several attempts as one: of those that come within a moment,
// or while the statement before is under way. None waits for work that goes on. If a
// statement fails, it is run for each of its attempts alone: an error of one is not an
// error of the others.
type joint[T any] struct {
	// write writes ends all or nothing, and returns the fences that held. Rows are
	// locked in id order. For a read, results are pointers that it sets.
	write  func(ctx context.Context, ends []end[T]) ([]job.Attempt, error)
	gather func(ctx context.Context) // waits for others
	turn   chan struct{}             // holds a value while ends are gathered and written

	mu    sync.Mutex
	ready []*gathered[T]
}

// end is an attempt that has succeeded, with its result, or comes to a read.
type end[T any] struct {
	job.Attempt
	result T
}

type gathered[T any] struct {
	end[T]
	written chan struct{} // closed when err is set
	err     error
}

var errApart = errors.New("to be written alone")

func newJoint[T any](
	write func(context.Context, []end[T]) ([]job.Attempt, error), gather func(context.Context),
) *joint[T] {
	return &joint[T]{write: write, gather: gather, turn: make(chan struct{}, 1)}
}

// commit returns when the end is written; job.ErrFenceLost if its fence did not
// hold. If ctx ends first, the end may still be written, as long as its fence holds.
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
	<-mine.written // by this turn, or by the one before
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
			held = slices.Delete(held, i, i+1) // of two ends of an attempt one holds
		}
		close(g.written)
	}
}

// writeAll writes ends. A panic is not one of each of them: they are written alone then.
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

// fences returns the ids and attempts of ends, as the arguments of a statement.
func fences[T any](ends []end[T]) (ids []uuid.UUID, attempts []int) {
	for _, e := range ends {
		ids, attempts = append(ids, e.ID), append(attempts, e.Number)
	}
	return ids, attempts
}
