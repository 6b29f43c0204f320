package llm

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"matchbook/lambda/failure"
)

// reserve is what must be left of the time after a wait: with less, a try
// could not end well.
const reserve = 5 * time.Second

// Retry repeats what failed with a transient kind. The zero Retry is ready:
// three tries, waiting 2 s, then 4 s.
//
// It waits only where waiting fits the time left. A provider that asks for
// more gets it from the queue: the error comes back at once and still says
// how long.
type Retry struct {
	Base   time.Duration                              // the first wait; each one after is twice as long; 0 is 2 s
	Tries  int                                        // at most so many, the first included; 0 is 3
	Sleep  func(context.Context, time.Duration) error // nil is a timer
	Jitter func() float64                             // in [0, 1): how much of a quarter of the wait is added; nil is random
}

// Do calls try until it succeeds, fails permanently, has failed Tries times,
// or the next wait would not fit: beyond the context's deadline less a reserve
// of 5 s, or after the context has ended.
//
// A wait is Base, 2*Base ..., or the RetryAfter of the error if that is
// longer, plus up to a quarter of the former, so that those who failed
// together do not come back together. The error returned is a *failure.Error
// with the kind, the sentence and the RetryAfter of the last try, and with how
// often was tried.
func (r Retry) Do(ctx context.Context, try func(context.Context) error) error {
	tries, wait := cmp.Or(r.Tries, 3), cmp.Or(r.Base, 2*time.Second)
	if err := ctx.Err(); err != nil {
		return tried(failure.Of(err), 0)
	}
	for n := 1; ; n, wait = n+1, 2*wait {
		err := try(ctx)
		if err == nil {
			return nil
		}
		f := failure.Of(err)
		if f.Kind != failure.Transient || n >= tries || !r.pause(ctx, wait, f.RetryAfter) {
			return tried(f, n)
		}
	}
}

// pause waits, or says that there is no point in it.
func (r Retry) pause(ctx context.Context, wait, retryAfter time.Duration) bool {
	jitter, sleep := r.Jitter, r.Sleep
	if jitter == nil {
		jitter = rand.Float64
	}
	if sleep == nil {
		sleep = sleepUntil
	}
	pause := max(wait, retryAfter) + time.Duration(jitter()*float64(wait)/4)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline)-reserve < pause {
		return false
	}
	return ctx.Err() == nil && sleep(ctx, pause) == nil
}

func sleepUntil(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func tried(f failure.Failure, n int) error {
	times := fmt.Sprintf("%d times", n)
	switch n {
	case 0:
		times = "not once"
	case 1:
		times = "once"
	}
	return &failure.Error{Kind: f.Kind, Sentence: fmt.Sprintf("%s (tried %s)", f.Text, times), RetryAfter: f.RetryAfter, Refused: f.Refused}
}
