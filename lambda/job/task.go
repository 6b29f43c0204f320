package job

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
)

// Work does the work of the claimed rows of a batch, and must end each Task. It may end some
// while others go on, since the runtime settles a row as soon as its task has ended. Use Each
// for work that doesn't need to know its batch.
type Work func(ctx context.Context, batch []*Task)

// Each makes a Work of f, which does the work of one row. All rows of a batch run at once.
func Each(f func(ctx context.Context, f Attempt) error) Work {
	return func(_ context.Context, batch []*Task) {
		var running sync.WaitGroup
		for _, t := range batch {
			running.Go(func() {
				if t.Try(func(ctx context.Context) error { return f(ctx, t.Attempt) }) {
					t.End(nil)
				}
			})
		}
		running.Wait()
	}
}

// All does the work of attempts without a Runtime, for tests, and returns their ends.
func (w Work) All(ctx context.Context, fences ...Attempt) []error {
	tasks, errs := make([]*Task, len(fences)), make([]error, len(fences))
	for i, f := range fences {
		tasks[i] = newTask(ctx, f)
	}
	w.run(ctx, tasks)
	for i, t := range tasks {
		errs[i] = t.err
	}
	return errs
}

// One is All for one attempt.
func (w Work) One(ctx context.Context, f Attempt) error { return w.All(ctx, f)[0] }

var errNotEnded error = &failure.Error{Kind: failure.Permanent, Sentence: "work ended without a result"}

// run ends the tasks that the work forgot. A panic of the work is the end of the tasks still
// open.
func (w Work) run(ctx context.Context, batch []*Task) {
	err := failure.Guard(func() error { w(ctx, batch); return errNotEnded })
	for _, t := range batch {
		t.End(err)
	}
}

// Task is the work on a claimed row.
type Task struct {
	Attempt

	ctx  context.Context
	once sync.Once
	done chan struct{} // closed when err is set
	err  error
}

func newTask(ctx context.Context, f Attempt) *Task {
	return &Task{Attempt: f, ctx: context.WithValue(ctx, attemptKey{}, f), done: make(chan struct{})}
}

// End ends the work on the row. Use nil once its results are committed together with
// StatusSucceeded, under the fence of the attempt. The runtime settles any error: use
// ErrFenceLost if another attempt or a publish took over, and a Partial if there are results
// to keep. Only the first end counts.
func (t *Task) End(err error) {
	t.once.Do(func() {
		t.err = err
		close(t.done)
	})
}

// Ended reports whether the work on the row has ended, perhaps because the runtime abandoned it.
func (t *Task) Ended() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// Try runs a step of the work on the row. The step's context ends with the time of the batch,
// or when the row is lost. An error of the step, or a panic in it, ends the task; Try then
// returns false.
func (t *Task) Try(step func(ctx context.Context) error) (ok bool) {
	if t.Ended() {
		return false
	}
	err := failure.Guard(func() error { return step(t.ctx) })
	if err != nil {
		t.End(err)
	}
	return err == nil && !t.Ended()
}

// wait returns the end of a task. Work still running after its time is abandoned; its fence
// keeps it from writing later.
func (t *Task) wait() error {
	select {
	case <-t.done:
		return t.err
	case <-t.ctx.Done():
	}
	late := time.NewTimer(abandonAfter)
	defer late.Stop()
	select {
	case <-t.done:
	case <-late.C:
		t.End(failure.At("work did not stop", context.DeadlineExceeded))
	}
	return t.err
}

// Tasks are values with a Task each.
type Tasks interface {
	comparable
	Try(step func(ctx context.Context) error) bool
	Ended() bool
	End(err error)
	fence() Attempt
}

func (t *Task) fence() Attempt { return t.Attempt }

// Fences lists the attempts of tasks.
func Fences[T Tasks](tasks []T) []Attempt {
	fences := make([]Attempt, len(tasks))
	for i, t := range tasks {
		fences[i] = t.fence()
	}
	return fences
}

// Together runs a write that ends several tasks, or none if it returns an error. If it fails
// or panics, each task is written alone, so that an error of one isn't the others'.
func Together[T Tasks](ctx context.Context, tasks []T, write func(ctx context.Context, tasks []T) error) {
	if len(tasks) == 0 || len(tasks) > 1 && failure.Guard(func() error { return write(ctx, tasks) }) == nil {
		return
	}
	for _, t := range tasks {
		t.Try(func(ctx context.Context) error { return write(ctx, []T{t}) })
	}
}

// Commit is Together for a write that returns the fences that held. It ends the tasks.
func Commit[T Tasks](ctx context.Context, tasks []T, write func(ctx context.Context, tasks []T) (held []Attempt, err error)) {
	Together(ctx, tasks, func(ctx context.Context, tasks []T) error {
		held, err := write(ctx, tasks)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			if slices.Contains(held, t.fence()) {
				t.End(nil)
			} else {
				t.End(ErrFenceLost)
			}
		}
		return nil
	})
}

// patience is the longest wait of a task for others of its batch. It is much longer than a
// step without a model takes, and much shorter than a slow answer of one.
const patience = time.Second

// Waves runs a step for all tasks at once, and calls next for the tasks with a good end of it,
// as many together as possible: usually all, but a wave doesn't wait for a slow task longer
// than patience. Waves run at the same time. Waves returns when all have ended.
func Waves[T Tasks](tasks []T, step func(ctx context.Context, t T) error, next func(tasks []T)) {
	passed := make(chan []T, len(tasks)) // one or none
	for _, t := range tasks {
		go func() {
			if t.Try(func(ctx context.Context) error { return step(ctx, t) }) {
				passed <- []T{t}
			} else {
				passed <- nil
			}
		}()
	}
	var running sync.WaitGroup
	defer running.Wait()
	for left := len(tasks); left > 0; {
		wave := <-passed
		left--
		for late := time.After(patience); left > 0 && late != nil; {
			select {
			case some := <-passed:
				wave, left = append(wave, some...), left-1
			case <-late:
				late = nil
			}
		}
		running.Go(func() { Split(wave, func(T) struct{} { return struct{}{} }, next) })
	}
}

// Split calls next for the tasks with the same key, for all keys at once. A panic ends the
// tasks still open of its key.
func Split[T Tasks, K comparable](tasks []T, key func(T) K, next func(tasks []T)) {
	groups := map[K][]T{}
	for _, t := range tasks {
		groups[key(t)] = append(groups[key(t)], t)
	}
	var running sync.WaitGroup
	for _, group := range groups {
		running.Go(func() {
			if err := failure.Guard(func() error { next(group); return nil }); err != nil {
				for _, t := range group {
					t.End(err)
				}
			}
		})
	}
	running.Wait()
}

// stopped is the end of work that the heartbeat stopped: its reason, or else err.
func stopped(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if err != nil && (errors.Is(cause, ErrFenceLost) || errors.Is(cause, errLeaseEnds)) {
		return cause
	}
	return err
}
