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

// reserve is the time that must be left after a wait: with less, a try could
// not end well.
const reserve = 5 * time.Second

// Retry repeats a call that failed with a transient kind. The zero Retry is
// ready: three tries, with waits of 2 s and 4 s.
//
// It waits only if the wait fits the time left. A longer wait that the provider
// asks for is left to the queue: the error is returned at once and still
// carries the wait.
type Retry struct {
	Base  time.Duration // the first wait; each one after is twice as long; 0 is 2 s
	Tries int           // the largest number of tries, the first included; 0 is 3
	// Within bounds the time from the first try to the beginning of the last; 0: no bound.
	Within time.Duration
	Sleep  func(context.Context, time.Duration) error // nil is a timer
	// Jitter is in [0, 1): the part of a quarter of the wait that is added; nil is random.
	Jitter func() float64
	// Repeats is called before each wait for another try, with the wait and the
	// part of it that the provider asked for; may be nil.
	Repeats func(wait, retryAfter time.Duration)
}

// Do calls try until it succeeds, fails permanently, has failed Tries times, or
// the next wait would not fit: beyond the context's deadline less a reserve of
// 5 s, or after the context has ended.
//
// A wait is Base, 2*Base ..., or the RetryAfter of the error if that is longer,
// plus up to a quarter of the former, so that callers that failed together do
// not come back together. The error returned is a *failure.Error with the kind,
// the sentence and the RetryAfter of the last try, and with the number of
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

// pause waits, or returns false if waiting makes no sense.
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

// afterTries adds the number of tries to a failure.
func afterTries(f failure.Failure, n int) error {
	times := fmt.Sprintf("%d times", n)
	switch n {
	case 0:
		times = "not once"
	case 1:
		times = "once"
	}
	sentence := fmt.Sprintf("%s (tried %s)", f.Text, times)
	return &failure.Error{Kind: f.Kind, Sentence: sentence, RetryAfter: f.RetryAfter, Refused: f.Refused}
}
