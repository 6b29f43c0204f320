package breaker_test

import (
	"testing"
	"time"

	"matchbook/lambda/job/breaker"
)

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
