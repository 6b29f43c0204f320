package llm

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
)

// reserve is the time required after a wait; with less, a try could hardly succeed.
const reserve = 5 * time.Second

// Retry repeats a call after transient failures. Use the zero Retry for three tries, with
// waits of 2 s and 4 s.
//
// It waits only within the time left. If the provider asks for a longer wait, Do returns the
// error at once, with the wait, so that the queue can do the waiting.
type Retry struct {
	Base  time.Duration // the first wait, doubled for each further one; 0 is 2 s
	Tries int           // the maximum of tries, including the first; 0 is 3
	// Within limits the time from the first try to the start of the last; 0 is no limit.
	Within time.Duration
	Sleep  func(context.Context, time.Duration) error // nil uses a timer
	// Jitter returns the share, in [0, 1), of a quarter of the wait to add; nil is random.
	Jitter func() float64
	// Repeats is called before each wait for another try, with the wait and the wait requested
	// by the provider. It may be nil.
	Repeats func(wait, retryAfter time.Duration)
}

// Do calls try until it succeeds, fails permanently or has failed Tries times, or until the
// next wait is too long: the context must leave at least 5 s after it.
//
// A wait is Base, 2*Base ..., or the error's RetryAfter if longer, plus up to a quarter of the
// former, so that callers that failed together don't come back together. Do returns a
// *failure.Error with the kind, sentence and RetryAfter of the last try, and the number of
// tries.
func (r Retry) Do(ctx context.Context, try func(context.Context) error) error {
	tries, wait := cmp.Or(r.Tries, 3), cmp.Or(r.Base, 2*time.Second)
	if err := ctx.Err(); err != nil {
		return afterTries(failure.Of(err), 0)
	}
	began := time.Now()
	for n := 1; ; n, wait = n+1, 2*wait {
		err := try(ctx)
		if err == nil {
			return nil
		}
		f := failure.Of(err)
		if f.Kind != failure.Transient || n >= tries || !r.pause(ctx, began, wait, f.RetryAfter) {
			return afterTries(f, n)
		}
	}
}

// pause waits, or returns false if it must not wait.
func (r Retry) pause(ctx context.Context, began time.Time, wait, retryAfter time.Duration) bool {
	jitter, sleep := r.Jitter, r.Sleep
	if jitter == nil {
		jitter = rand.Float64
	}
	if sleep == nil {
		sleep = backoff.Sleep
	}
	pause := max(wait, retryAfter) + time.Duration(jitter()*float64(wait)/4)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline)-reserve < pause {
		return false
	}
	if ctx.Err() != nil || r.Within > 0 && time.Since(began)+pause > r.Within {
		return false
	}
	if r.Repeats != nil {
		r.Repeats(pause, retryAfter)
	}
	return sleep(ctx, pause) == nil
}

func afterTries(f failure.Failure, n int) error {
	if f.Kind == failure.Parked {
		return f.Error(f.Text)
	}
	times := fmt.Sprintf("%d times", n)
	switch n {
	case 0:
		times = "not once"
	case 1:
		times = "once"
	}
	return f.Error(fmt.Sprintf("%s (tried %s)", f.Text, times))
}
