package review_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// standstill is the longest time from an accepted cancellation to the end of the
// last call in flight: the period of the watch. It is far below the timeout of one
// call.
const standstill = time.Second

// cancelled is a review at the moment of its cancellation.
type cancelled struct {
	at       time.Time
	findings int
}

// Reviews are cancelled at random moments, while processes are killed. They stand
// still at once, every state has its reason, and started again they are complete
// without a second payment. 200 of them with -thorough.
func TestCancelledAtRandom(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]time.Duration{"quiet": 0, "killed": 5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			s := asDeployed(seed, testenv.Size(4, 200), fewChunks)
			s.kill = kill
			synctest.Test(t, s.cancels)
		})
	}
}

func (s simulation) cancels(t *testing.T) {
	w := s.start(t)
	ideal := simMean * time.Duration(s.reviews*(fewChunks+2)) / time.Duration(s.workers*s.callsInFlight)
	moments := make([]cancelled, len(w.ids))
	for n, id := range w.ids {
		moment := time.Duration(draw(s.seed, "cancel", id[:], n) * 1.2 * float64(ideal))
		time.AfterFunc(moment, func() {
			if !w.store.Job(id).Status.Over() {
				w.store.Cancel(id)
				w.mu.Lock()
				defer w.mu.Unlock()
				moments[n] = cancelled{time.Now(), len(w.store.Findings(id))}
			}
		})
	}
	w.untilOver(t)
	stopped, longest := 0, time.Duration(0)
	w.mu.Lock()
	met := slices.Clone(moments)
	w.mu.Unlock()
	for n, id := range w.ids {
		if w.store.Job(id).Status != record.Cancelled {
			continue // it was done before its moment
		}
		stopped++
		late := w.model.last[fmt.Sprintf("contract %d", n)].Sub(met[n].at)
		longest = max(longest, late)
		if found := len(w.store.Findings(id)); late > standstill || found != met[n].findings || w.store.Ends[id] != 1 {
			t.Errorf("review %d: calls %s after it was cancelled, %d findings of %d, ended %d times",
				n, late, found, met[n].findings, w.store.Ends[id])
		}
		w.wantStopped(t, id)
		if _, err := w.queue.Send(t.Context(), w.store.Retry(id)); err != nil {
			t.Error(err)
		}
	}
	w.untilOver(t)
	for n, id := range w.ids {
		if gaps, named := w.missing(id); !named || gaps > 0 && s.kill == 0 {
			t.Errorf("review %d is %s after it was started again: %d gaps", n, w.store.Job(id).Status, gaps)
		}
	}
	if twice := w.model.twice(); twice > 0 || stopped == 0 {
		t.Errorf("%d reviews were cancelled, %d answers bought twice", stopped, twice)
	}
	t.Logf("%d of %d reviews were cancelled in time; calls ended %s after it at the latest; %d processes were killed",
		stopped, len(w.ids), longest, w.kills)
}

// untilOver runs the workers until all reviews have their end.
func (w *world) untilOver(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 48*time.Hour)
	defer stop()
	var running sync.WaitGroup
	for n := range w.workers {
		running.Go(func() { w.work(ctx, n, stop) })
	}
	running.Go(func() { w.sweep(ctx, stop) })
	running.Wait()
}

var stoppedAt = regexp.MustCompile(`^cancelled-at-stage-\d+$`)

// wantStopped wants each chunk of a cancelled review to be read, or to name the
// stage at which it stopped.
func (w *world) wantStopped(t *testing.T, review uuid.UUID) {
	t.Helper()
	for _, c := range w.store.Chunks(review) {
		waited := c.Attempt == 0
		if c.Status != job.StatusSucceeded && (c.Status != job.StatusCancelled || !waited && !stoppedAt.MatchString(c.Stage)) {
			t.Errorf("chunk %d is %s, %q, %q", c.Position, c.Status, c.Stage, c.Error)
		}
	}
}
