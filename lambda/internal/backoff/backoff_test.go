package backoff_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/internal/backoff"
)

func TestWaitsDouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := backoff.Waits{First: 50 * time.Millisecond, Longest: 300 * time.Millisecond}
		for _, ms := range []int{50, 100, 200, 300, 300} {
			full := time.Duration(ms) * time.Millisecond
			began := time.Now()
			if !w.Next(t.Context()) {
				t.Fatal("a wait was cut short")
			}
			if got := time.Since(began); got < full/2 || got >= full {
				t.Errorf("waited %s, want %s to %s", got, full/2, full)
			}
		}
	})
}

func TestWaitEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		w := backoff.Waits{First: time.Minute, Longest: time.Hour}
		if w.Next(ctx) || time.Since(began) != time.Second {
			t.Errorf("went on after %s, want the end of the context after 1s", time.Since(began))
		}
		if err := backoff.Sleep(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the error of the context", err)
		}
	})
}
