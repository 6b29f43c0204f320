package breaker_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job/breaker"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

var (
	errAway = &failure.Error{Sentence: "model provider failed (HTTP 503)", Away: true}
	errBad  = failure.Permanently("model provider rejected the request (HTTP 400)")
)

// store is a store that fails, or keeps a state.
type store struct {
	breaker.Store
	err   error
	state breaker.State
	taken bool
	calls []string
	wait  time.Duration // of the last Reopen
}

func (s *store) note(call string) (breaker.State, error) {
	s.calls = append(s.calls, call)
	return s.state, s.err
}

func (s *store) Look(context.Context, string) (breaker.State, error) { return s.note("look") }
func (s *store) Count(ctx context.Context, _ string, _ breaker.FailedCall) (breaker.State, error) {
	if err := ctx.Err(); err != nil {
		return breaker.State{}, err
	}
	return s.note("count")
}
func (s *store) Open(context.Context, string, time.Duration) (breaker.State, error) {
	return s.note("open")
}
func (s *store) Probe(context.Context, string, time.Duration) (bool, error) {
	_, err := s.note("probe")
	return s.taken, err
}
func (s *store) Reopen(_ context.Context, _ string, c breaker.FailedCall) (breaker.State, error) {
	s.wait = c.Wait
	return s.note("reopen")
}
func (s *store) Close(context.Context, string, uuid.UUID) (breaker.State, error) {
	return s.note("close")
}

func guard(s breaker.Store) *breaker.Breaker {
	return &breaker.Breaker{Service: "gpt-test", Store: s, Log: slog.New(slog.DiscardHandler)}
}

// Without its database, a breaker changes nothing: neither the calls nor their errors.
func TestNoDatabaseNoBreaker(t *testing.T) {
	t.Parallel()
	down := errors.New("no database")
	for name, first := range map[string]error{"always": down, "after a call": nil} {
		for _, want := range []error{nil, errAway, errBad} {
			s := &store{err: first, state: breaker.State{Phase: breaker.Closed}}
			b := guard(s)
			called := 0
			got := b.Do(t.Context(), func(context.Context) error {
				s.err = down
				called++
				return want
			})
			if got != want || called != 1 {
				t.Errorf("%s: got %v after %d calls, want %v", name, got, called, want)
			}
		}
	}
}

// A closed database is the real thing: its pool refuses every statement.
func TestClosedDatabase(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t, postgrestest.URL(t))
	b := guard(db.Breakers())
	must.OK(t, b.Do(t.Context(), func(context.Context) error { return nil }))
	db.Close()
	for range 20 {
		if err := b.Do(t.Context(), func(context.Context) error { return errAway }); err != errAway {
			t.Fatalf("got %v", err)
		}
	}
}

func TestOpenMakesNoCall(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 3, 2, 10, 0, 30, 0, time.UTC)
	for name, s := range map[string]*store{
		"open":              {state: breaker.State{Phase: breaker.Open, Since: since, Error: errAway.Sentence}},
		"half-open":         {state: breaker.State{Phase: breaker.HalfOpen, Since: since, Error: errAway.Sentence}},
		"another is faster": {state: breaker.State{Phase: breaker.Open, Due: true, Since: since, Error: errAway.Sentence}},
	} {
		err := guard(s).Do(t.Context(), func(context.Context) error {
			t.Errorf("%s: called", name)
			return nil
		})
		got := failure.Of(failure.At("ask the model", err))
		const want = "ask the model: waiting for gpt-test, away since 2026-03-02 10:00 UTC (model provider failed (HTTP 503))"
		if got.Kind != failure.Parked || got.Service != "gpt-test" || got.Text != want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// Work whose call was asked to wait is parked with that wait.
func TestParkedKeepsWait(t *testing.T) {
	t.Parallel()
	s := &store{state: breaker.State{Phase: breaker.Closed, Since: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)}}
	err := guard(s).Do(t.Context(), func(context.Context) error {
		return &failure.Error{Sentence: errAway.Sentence, Away: true, RetryAfter: 20 * time.Minute}
	})
	if got := failure.Of(err); got.Kind != failure.Parked || got.RetryAfter != 20*time.Minute {
		t.Errorf("got %+v", got)
	}
}

// A healthy service costs no statement for a call. During an outage each call asks the others.
func TestHealthyIsRemembered(t *testing.T) {
	t.Parallel()
	for since, want := range map[time.Time]int{{}: 1, time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC): 100} {
		s := &store{state: breaker.State{Phase: breaker.Closed, Since: since}}
		b := guard(s)
		for range 100 {
			must.OK(t, b.Do(t.Context(), func(context.Context) error { return nil }))
		}
		if len(s.calls) != want {
			t.Errorf("outage since %v: got %d statements, want %d", since, len(s.calls), want)
		}
	}
}

// A call that ends with the deadline of its work is counted all the same.
func TestCountAfterDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &store{state: breaker.State{Phase: breaker.Closed}}
	err := guard(s).Do(ctx, func(context.Context) error { cancel(); return errAway })
	if err != errAway || !slices.Equal(s.calls, []string{"look", "count"}) {
		t.Errorf("got %v, %q", err, s.calls)
	}
}

// Each failed probe doubles the wait for the next one.
func TestProbesBackOff(t *testing.T) {
	t.Parallel()
	for failed, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute} {
		s := &store{state: breaker.State{Phase: breaker.Open, Due: true, Probes: failed}, taken: true}
		_ = guard(s).Do(t.Context(), func(context.Context) error { return errAway })
		if s.wait != want {
			t.Errorf("after %d failed probes: got %v, want %v", failed+1, s.wait, want)
		}
	}
}

// A panic in a probe gives its lease back.
func TestProbePanics(t *testing.T) {
	t.Parallel()
	s := &store{state: breaker.State{Phase: breaker.Open, Due: true}, taken: true}
	err := failure.Guard(func() error {
		return guard(s).Do(t.Context(), func(context.Context) error { panic("secret") })
	})
	if want := []string{"look", "probe", "reopen"}; err == nil || len(s.calls) != 3 || s.calls[2] != want[2] {
		t.Errorf("got %v, %q", err, s.calls)
	}
}

func TestTrips(t *testing.T) {
	t.Parallel()
	outage := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		state breaker.State
		want  bool
	}{
		"no failure":               {breaker.State{Phase: breaker.Closed}, false},
		"five calls of two rows":   {breaker.State{Phase: breaker.Closed, Failures: 5, Rows: 2, Lasted: 10 * time.Second}, true},
		"four calls":               {breaker.State{Phase: breaker.Closed, Failures: 4, Rows: 4, Lasted: time.Minute}, false},
		"a burst":                  {breaker.State{Phase: breaker.Closed, Failures: 50, Rows: 5, Lasted: 9 * time.Second}, false},
		"one row":                  {breaker.State{Phase: breaker.Closed, Failures: 9, Rows: 1, Lasted: 3 * time.Minute}, false},
		"one row, and a retry":     {breaker.State{Phase: breaker.Closed, Failures: 4, Rows: 1, Lasted: 5 * time.Minute}, true},
		"two calls long ago":       {breaker.State{Phase: breaker.Closed, Failures: 2, Rows: 2, Lasted: time.Hour}, false},
		"a row that failed before": {breaker.State{Phase: breaker.Closed, Failures: 9, Rows: 1, Lasted: time.Hour, Alone: true}, false},
		"during an outage":         {breaker.State{Phase: breaker.Closed, Failures: 2, Rows: 2, Since: outage}, true},
		"one row in an outage":     {breaker.State{Phase: breaker.Closed, Failures: 9, Rows: 1, Lasted: time.Hour, Since: outage}, false},
		"open":                     {breaker.State{Phase: breaker.Open, Failures: 50, Rows: 5, Lasted: time.Hour, Since: outage}, false},
		"half-open":                {breaker.State{Phase: breaker.HalfOpen, Failures: 50, Rows: 5, Lasted: time.Hour, Since: outage}, false},
	} {
		if got := tc.state.Trips(0); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	for since, want := range map[time.Time]bool{{}: false, outage: true} { // the wait is granted during an outage
		if got := (breaker.State{Phase: breaker.Closed, Failures: 1, Rows: 1, Since: since}).Trips(time.Minute); got != want {
			t.Errorf("outage since %v: got %t", since, got)
		}
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	const yes, no, away, neither = breaker.Succeeded, breaker.Neither, breaker.Away, breaker.Neither
	for name, tc := range map[string]struct {
		state  breaker.State
		before breaker.Move
		result breaker.Result
		after  breaker.Move
	}{
		"healthy":                 {breaker.State{Phase: breaker.Closed}, breaker.Call, yes, breaker.Pass},
		"a failure":               {breaker.State{Phase: breaker.Closed}, breaker.Call, away, breaker.Count},
		"a bad question":          {breaker.State{Phase: breaker.Closed, Failures: 1}, breaker.Call, neither, breaker.Pass},
		"a success in between":    {breaker.State{Phase: breaker.Closed, Failures: 1}, breaker.Call, yes, breaker.Close},
		"open, an older success":  {breaker.State{Phase: breaker.Open}, breaker.Park, yes, breaker.Close},
		"open, an older failure":  {breaker.State{Phase: breaker.Open}, breaker.Park, away, breaker.Count},
		"probe succeeds":          {breaker.State{Phase: breaker.Open, Due: true}, breaker.Probe, yes, breaker.Close},
		"probe fails":             {breaker.State{Phase: breaker.Open, Due: true}, breaker.Probe, away, breaker.Reopen},
		"probe with a bad key":    {breaker.State{Phase: breaker.Open, Due: true}, breaker.Probe, no, breaker.Reopen},
		"another probe under way": {breaker.State{Phase: breaker.HalfOpen}, breaker.Park, neither, breaker.Pass},
		"a prober died":           {breaker.State{Phase: breaker.HalfOpen, Due: true}, breaker.Probe, yes, breaker.Close},
	} {
		before := tc.state.Before()
		if after := tc.state.After(tc.result, before == breaker.Probe); before != tc.before || after != tc.after {
			t.Errorf("%s: got %d, %d; want %d, %d", name, before, after, tc.before, tc.after)
		}
	}
}

func TestProbesGetRarer(t *testing.T) {
	t.Parallel()
	if short, long := breaker.Wait(0, 20*time.Minute), breaker.Wait(0, 10*time.Hour); short != 20*time.Minute || long != 30*time.Minute {
		t.Errorf("asked to wait: got %v and %v", short, long)
	}
	for n, want := range map[int]time.Duration{0: 30 * time.Second, 1: time.Minute, 2: 2 * time.Minute, 3: 4 * time.Minute,
		4: 5 * time.Minute, 1000: 5 * time.Minute} {
		if got := breaker.Wait(n, time.Second); got != want {
			t.Errorf("%d: got %v, want %v", n, got, want)
		}
	}
}
