package llm_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"
)

func transient(retryAfter time.Duration) error {
	return &failure.Error{Kind: failure.Transient, Sentence: "busy", RetryAfter: retryAfter}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	const s, forever = time.Second, time.Duration(0)
	for name, tc := range map[string]struct {
		retry llm.Retry
		left  time.Duration // until the deadline
		errs  []error       // of the tries; after the last one they succeed
		waits []time.Duration
		tries int
		want  string
		kind  failure.Kind
		after time.Duration
	}{
		"success": {left: forever, tries: 1},
		"second try": {left: forever, errs: []error{transient(0)},
			waits: []time.Duration{2 * s}, tries: 2},
		"third try": {left: forever, errs: []error{transient(0), transient(0)},
			waits: []time.Duration{2 * s, 4 * s}, tries: 3},
		"never": {left: forever, errs: []error{transient(0), transient(0),
			transient(0)}, waits: []time.Duration{2 * s, 4 * s}, tries: 3, want: "busy (tried 3 times)"},
		"more tries from another base": {retry: llm.Retry{Base: s, Tries: 4}, left: forever, errs: []error{transient(0), transient(0), transient(0)}, waits: []time.Duration{s, 2 * s, 4 * s}, tries: 4},
		"one try": {retry: llm.Retry{Tries: 1}, left: forever,
			errs: []error{transient(s)}, tries: 1, want: "busy (tried once)", after: s},
		"permanent": {left: forever, errs: []error{failure.Permanently("too long")},
			tries: 1, want: "too long (tried once)", kind: failure.Permanent},
		"permanent at last": {left: forever, errs: []error{transient(0), failure.Permanently("too long")}, waits: []time.Duration{2 * s}, tries: 2, want: "too long (tried 2 times)", kind: failure.Permanent},
		"unknown is transient": {left: forever, errs: []error{errors.New("secret")},
			waits: []time.Duration{2 * s}, tries: 2},
		"where it happened is kept": {retry: llm.Retry{Tries: 1}, left: forever,
			errs: []error{failure.At("ask", transient(0))}, tries: 1, want: "ask: busy (tried once)"},
		"asked for more": {left: forever, errs: []error{transient(30 * s)},
			waits: []time.Duration{30 * s}, tries: 2},
		"asked for less": {left: forever, errs: []error{transient(1)},
			waits: []time.Duration{2 * s}, tries: 2},
		"jitter is a quarter of the wait": {retry: llm.Retry{Jitter: func() float64 { return 1 }}, left: forever, errs: []error{transient(0), transient(0)}, waits: []time.Duration{2500 * time.Millisecond, 5 * s}, tries: 3},
		"a little jitter on what was asked for": {retry: llm.Retry{Jitter: func() float64 { return 1 }}, left: forever,
			errs: []error{transient(30 * s)}, waits: []time.Duration{30500 * time.Millisecond}, tries: 2},
		"fits the time left": {left: 60 * s, errs: []error{transient(50 * s)}, waits: []time.Duration{50 * s},
			tries: 2},
		"does not fit": {left: 60 * s, errs: []error{transient(56 * s)}, tries: 1,
			want: "busy (tried once)", after: 56 * s},
		"does not fit with the jitter": {retry: llm.Retry{Jitter: func() float64 { return 1 }}, left: 60 * s,
			errs: []error{transient(55 * s)}, tries: 1, want: "busy (tried once)", after: 55 * s},
		"no time for a second wait": {left: 8 * s, errs: []error{transient(0), transient(0)},
			waits: []time.Duration{2 * s}, tries: 2, want: "busy (tried 2 times)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // a clock that stands still
				ctx := t.Context()
				if tc.left != forever {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.left)
					defer cancel()
				}
				r, tries, waits := tc.retry, 0, []time.Duration(nil)
				r.Sleep = func(_ context.Context, d time.Duration) error {
					waits = append(waits, d)
					return nil
				}
				var reported []time.Duration
				r.Repeats = func(wait, asked time.Duration) {
					reported = append(reported, wait)
					if want := failure.Of(tc.errs[tries-1]).RetryAfter; asked != want || len(waits) == len(reported) {
						t.Errorf("repeat %d was reported as asked for %v after the wait, want %v before it", tries, asked, want)
					}
				}
				if r.Jitter == nil {
					r.Jitter = func() float64 { return 0 }
				}
				err := r.Do(ctx, func(context.Context) error {
					tries++
					if tries > len(tc.errs) {
						return nil
					}
					return tc.errs[tries-1]
				})
				if tries != tc.tries || !slices.Equal(waits, tc.waits) || !slices.Equal(reported, tc.waits) {
					t.Errorf("got %d tries, waits %v, reported %v; want %d, %v", tries, waits, reported, tc.tries, tc.waits)
				}
				check(t, err, tc.want, tc.kind, tc.after)
			})
		})
	}
}

func check(t *testing.T, err error, want string, kind failure.Kind, after time.Duration) {
	t.Helper()
	if (err == nil) != (want == "") {
		t.Fatalf("got %v, want %q", err, want)
	}
	if err == nil {
		return
	}
	if f := failure.Of(err); f.Text != want || f.Kind != kind || f.RetryAfter != after {
		t.Errorf("got %v %q after %v, want %v %q after %v", f.Kind, f.Text, f.RetryAfter, kind, want, after)
	}
}

// In the row above the second wait does not fit 8 s; here the clock runs, and
// the zero Retry sleeps for itself.
func TestRetryDefaultSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, tries := time.Now(), 0
		err := llm.Retry{}.Do(t.Context(), func(context.Context) error { tries++; return transient(0) })
		check(t, err, "busy (tried 3 times)", failure.Transient, 0)
		if took := time.Since(start); tries != 3 || took < 6*time.Second || took >= 7500*time.Millisecond {
			t.Errorf("got %d tries in %v, want 3 in 6 s and up to a quarter more", tries, took)
		}
	})
}

func TestRetryEndsWithContext(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cancelAt time.Duration
		tries    int
		want     string
	}{
		"before the first try": {0, 0, "stopped before it was done (tried not once)"},
		"during a try":         {time.Second, 1, "busy (tried once)"},
		"during the wait":      {2 * time.Second, 1, "busy (tried once)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tc.cancelAt == 0 {
					cancel()
				}
				start, tries := time.Now(), 0
				time.AfterFunc(tc.cancelAt, cancel)
				err := llm.Retry{}.Do(ctx, func(ctx context.Context) error {
					tries++
					<-time.After(time.Second + time.Millisecond) // it does not look at ctx
					return transient(time.Minute)
				})
				after := time.Minute
				if tc.tries == 0 {
					after = 0
				}
				check(t, err, tc.want, failure.Transient, after)
				if took := time.Since(start); tries != tc.tries || took > max(tc.cancelAt, 1001*time.Millisecond) {
					t.Errorf("got %d tries in %v, want %d, no longer than the context", tries, took, tc.tries)
				}
			})
		})
	}
}

// Within bounds the beginning of the last try, whatever the waits are.
func TestRetryWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, last, tries := time.Now(), time.Duration(0), 0
		r := llm.Retry{Base: time.Second, Tries: 9, Within: 30 * time.Second, Jitter: func() float64 { return 0 }}
		err := r.Do(t.Context(), func(context.Context) error {
			tries, last = tries+1, time.Since(began)
			return &failure.Error{Kind: failure.Transient, Sentence: "HTTP 503"}
		})
		if err == nil || tries != 5 || last != 15*time.Second { // at 0, 1, 3, 7 and 15 s; the next would be at 31 s
			t.Errorf("%d tries, the last one after %s: %v", tries, last, err)
		}
	})
}
