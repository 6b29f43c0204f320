// Package backoff waits between the tries of a failed call, longer each time. For the retries
// of messages, see job.Backoff.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Waits are the waits between tries: First, doubled each time up to Longest. Each is shortened
// at random by up to half, so that callers that failed together don't retry in step.
type Waits struct {
	First, Longest time.Duration

	last time.Duration // 0 before the first wait
}

// Next waits. It returns false if ctx ended first.
func (w *Waits) Next(ctx context.Context) bool {
	w.last = min(max(2*w.last, w.First), w.Longest)
	return Sleep(ctx, w.last/2+rand.N(w.last/2)) == nil
}

// Sleep waits for d. It returns ctx's error if that ended first.
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

// Every calls do at each interval until you call stop. stop cancels do's context, and waits
// for a running call.
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
