package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// writes is a table of rows in progress, as a joint writes it.
type writes struct {
	mu        sync.Mutex
	stale     []job.Attempt // do not hold
	bad       []job.Attempt // cannot be written
	last      int           // of a write: the time it takes, in seconds
	sizes     []int         // of the statements, in order
	succeeded []job.Attempt
}

var errBad = errors.New("cannot be written")

func (w *writes) write(ctx context.Context, ends []end[int]) (held []job.Attempt, err error) {
	select {
	case <-time.After(time.Duration(w.last) * time.Second):
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sizes = append(w.sizes, len(ends))
	for _, e := range ends {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case slices.Contains(w.bad, e.Attempt):
			return nil, errBad
		case slices.Contains(held, e.Attempt), slices.Contains(w.stale, e.Attempt), slices.Contains(w.succeeded, e.Attempt):
		default:
			held = append(held, e.Attempt)
		}
	}
	w.succeeded = append(w.succeeded, held...)
	return held, nil
}

// aMoment gathers all that are ready.
func aMoment(context.Context) { <-time.After(gatherFor) }

// fenceOf is the first attempt of a row.
func fenceOf(n byte) job.Attempt { return job.Attempt{ID: uuid.UUID{15: n}, Number: 1} }

// commitAll commits the first attempts of rows at the same moment.
func commitAll(ctx context.Context, j *joint[int], rows ...byte) []error {
	errs := make([]error, len(rows))
	var commits sync.WaitGroup
	for i, n := range rows {
		commits.Go(func() { errs[i] = j.commit(ctx, fenceOf(n), 0) })
	}
	commits.Wait()
	return errs
}

func TestEndsShareStatement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &writes{last: 1, stale: []job.Attempt{fenceOf(3)}}
		j := newJoint(w.write, aMoment)
		var later sync.WaitGroup
		later.Go(func() {
			<-time.After(time.Second / 2) // the first statement is under way
			if errs := commitAll(t.Context(), j, 5, 6, 7); !slices.Equal(errs, []error{nil, nil, nil}) {
				t.Errorf("those that come later: %v", errs)
			}
		})
		errs := commitAll(t.Context(), j, 1, 2, 3, 4, 4)
		later.Wait()
		lost := 0
		for i, err := range errs {
			if errors.Is(err, job.ErrFenceLost) {
				lost++
			} else if err != nil || i == 2 {
				t.Errorf("end %d: %v", i, err)
			}
		}
		if lost != 2 || !slices.Equal(w.sizes, []int{5, 3}) {
			t.Errorf("%d lost their fence, statements of %d; want the stale one and one of two, and statements of 5 and 3: %v",
				lost, w.sizes, errs)
		}
	})
}

func TestBadEndFailsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &writes{bad: []job.Attempt{fenceOf(2)}, stale: []job.Attempt{fenceOf(4)}}
		errs := commitAll(t.Context(), newJoint(w.write, aMoment), 1, 2, 3, 4)
		if !slices.Equal(errs, []error{nil, errBad, nil, job.ErrFenceLost}) || !slices.Equal(w.sizes, []int{4, 1, 1, 1, 1}) {
			t.Errorf("%v, in statements of %d; want an error of the second and the lost fence of the fourth", errs, w.sizes)
		}
	})
}

// An attempt that is stopped while it writes for others, or waits for them, takes
// none of them along.
func TestStoppedEndIsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &writes{last: 2}
		j := newJoint(w.write, aMoment)
		stopped, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var first sync.WaitGroup
		first.Go(func() {
			if errs := commitAll(stopped, j, 1); !errors.Is(errs[0], context.DeadlineExceeded) {
				t.Errorf("the one that wrote: %v", errs[0])
			}
		})
		synctest.Wait() // it gathers, and writes for the next ones
		first.Go(func() {
			if errs := commitAll(t.Context(), j, 2, 3); !slices.Equal(errs, []error{nil, nil}) {
				t.Errorf("the others: %v", errs)
			}
		})
		first.Wait()
		var second sync.WaitGroup
		second.Go(func() {
			if errs := commitAll(t.Context(), j, 4); errs[0] != nil {
				t.Errorf("the one that writes: %v", errs[0])
			}
		})
		<-time.After(time.Second)
		soon, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if errs := commitAll(soon, j, 5); !errors.Is(errs[0], context.DeadlineExceeded) {
			t.Errorf("the one that waits: %v", errs[0])
		}
		second.Wait()
	})
}

// A panic belongs to one end: the others are written, and later ones are not held up.
func TestEndPanicsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &writes{}
		j := newJoint(func(ctx context.Context, ends []end[int]) ([]job.Attempt, error) {
			if slices.ContainsFunc(ends, func(e end[int]) bool { return e.Attempt == fenceOf(2) }) {
				panic("boom")
			}
			return w.write(ctx, ends)
		}, aMoment)
		var commits sync.WaitGroup
		commits.Go(func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is lost")
				}
			}()
			_ = j.commit(t.Context(), fenceOf(2), 0)
		})
		errs := commitAll(t.Context(), j, 1, 3)
		commits.Wait()
		if later := commitAll(t.Context(), j, 4); !slices.Equal(append(errs, later...), []error{nil, nil, nil}) {
			t.Errorf("got %v, and later %v", errs, later)
		}
	})
}
