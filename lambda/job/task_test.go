package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
)

// A batch is ended task by task: what the work forgets, or drops by a panic, fails, and an end
// before it counts. A row is settled before the others of its batch have ended.
func TestWorkEndsTasks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		last   func()
		reason string
	}{
		"a task is forgotten": {func() {}, "work ended without a result"},
		"the work panics":     {func() { panic("Muster GmbH") }, "panic (string)"},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, pending(0), pending(0), pending(0))
			var first job.Status
			r.all = func(_ context.Context, batch []*job.Task) {
				batch[0].End(errDown)
				batch[0].End(nil) // too late
				batch[1].End(r.store.succeed(batch[1].Attempt))
				synctest.Wait()
				first = r.store.row(1).status
				tc.last()
			}
			got := r.run(delivery(1, 1), delivery(2, 1), delivery(3, 1))
			wantEnds(t, got, writes(job.StatusPending, retry(m5)), ack, writes(job.StatusFailed, ack))
			if reason := r.store.row(3).release.Reason; reason != tc.reason || first != job.StatusPending {
				t.Errorf("failed as %q, want %q; the first row was %q before the work ended", reason, tc.reason, first)
			}
		})
	}
}

// step is a task of which a step takes so many seconds, or fails.
type step struct {
	*job.Task
	name    string
	takes   time.Duration
	does    func(ctx context.Context) error
	written int
}

// steps runs work for tasks made of steps, and returns their ends.
func steps(t *testing.T, all []*step, work func(ctx context.Context, all []*step)) []error {
	t.Helper()
	errs := make([]error, len(all))
	release := make(chan struct{})
	var running sync.WaitGroup
	for i, s := range all {
		running.Go(func() {
			errs[i] = job.Work(func(_ context.Context, batch []*job.Task) {
				s.Task = batch[0]
				<-release
				s.End(nil)
			}).One(t.Context(), job.Attempt{ID: id(i + 1)})
		})
	}
	synctest.Wait() // until each has its task
	work(t.Context(), all)
	close(release)
	running.Wait()
	return errs
}

// A step holds up only its own task: the others go on together, without the one that fails or
// panics, and a slow one follows.
func TestWaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(d time.Duration) *step { return &step{name: fmt.Sprint(d), takes: d} }
		all := []*step{slow(0), slow(300 * time.Millisecond), slow(time.Minute), slow(time.Hour), slow(time.Hour),
			{name: "fails", does: func(context.Context) error { return errDown }},
			{name: "panics", does: func(context.Context) error { panic("x") }}}
		var mu sync.Mutex
		var waves []string
		began := time.Now()
		errs := steps(t, all, func(_ context.Context, all []*step) {
			job.Waves(all, func(ctx context.Context, s *step) error {
				<-time.After(s.takes)
				if s.does != nil {
					return s.does(ctx)
				}
				return nil
			}, func(wave []*step) {
				mu.Lock()
				waves = append(waves, fmt.Sprintf("%d after %s", len(wave), time.Since(began)))
				mu.Unlock()
				<-time.After(2 * time.Hour) // the next ones don't wait for them
			})
		})
		if want := []string{"2 after 1s", "1 after 1m1s", "2 after 1h0m0s"}; !slices.Equal(waves, want) {
			t.Errorf("got the waves %q, want %q", waves, want)
		}
		var p *failure.Panic
		if !errors.Is(errs[5], errDown) || !errors.As(errs[6], &p) || errors.Join(errs[:5]...) != nil {
			t.Errorf("got %v, want errors of the last two", errs)
		}
	})
}

// One bad task fails alone, in whatever way, and the others are written.
func TestTogether(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func() error{
		"error": func() error { return errDown }, "panic": func() error { panic("x") }, "none": func() error { return nil },
	} {
		bubble(t, name, func(t *testing.T) {
			all := []*step{{}, {}, {}}
			var sizes []int
			errs := steps(t, all, func(ctx context.Context, all []*step) {
				job.Together(ctx, all, func(_ context.Context, some []*step) error {
					sizes = append(sizes, len(some))
					if slices.Contains(some, all[1]) {
						if err := bad(); err != nil {
							return err
						}
					}
					for _, s := range some {
						s.written++
					}
					return nil
				})
			})
			want := []int{3, 1, 1, 1}
			if name == "none" {
				want = want[:1]
			}
			if !slices.Equal(sizes, want) || (errs[1] != nil) != (name != "none") || errs[0] != nil || errs[2] != nil {
				t.Errorf("got %v in writes of %d, want %d", errs, sizes, want)
			}
			if all[0].written != 1 || all[2].written != 1 {
				t.Errorf("written %d and %d times", all[0].written, all[2].written)
			}
		})
	}
}
