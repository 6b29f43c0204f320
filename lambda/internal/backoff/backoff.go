// Package backoff waits between the tries of a call that failed, each time
// longer. The retry plan of messages is job.Backoff.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Waits are the waits between tries: First, then twice as long each time up to
// Longest. Each is shortened at random, by half at most, so that callers that
// failed together do not try in step.
type Waits struct {
	First, Longest time.Duration

	last time.Duration // 0 before the first wait
}

// Next waits, and reports false when ctx ended first.
func (w *Waits) Next(ctx context.Context) bool {
	w.last = min(max(2*w.last, w.First), w.Longest)
	return Sleep(ctx, w.last/2+rand.N(w.last/2)) == nil
}

// Sleep waits for d. It returns the error of ctx if that ended first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Every calls do at each interval until stop is called, which waits for a call that
// runs. The context of do ends then, and with ctx.
func Every(ctx context.Context, interval time.Duration, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		every := time.NewTicker(interval)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
				do(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
