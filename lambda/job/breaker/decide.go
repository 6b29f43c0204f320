package breaker

import "time"

// Phase is the state of a breaker.
type Phase string

// The phases.
const (
	Closed   Phase = "closed"
	Open     Phase = "open"
	HalfOpen Phase = "half-open"
)

// State is a breaker's row, with times by the database's clock.
type State struct {
	Phase    Phase
	Due      bool          // not closed: the next probe is due, or the lease of the last one has ended
	Probes   int           // failed ones since it opened
	Failures int           // calls that failed away in succession
	Rows     int           // number of rows with these calls, counted up to 5
	Lasted   time.Duration // from the first of these calls to now
	Alone    bool          // the only row with these calls was the only one in the last outage, too
	Since    time.Time     // of the outage; zero without one
	Error    string        // of the last failed call
}

const (
	// tripCalls of tripRows during tripAfter open a breaker. tripAfter is longer than processes
	// remember a healthy state (fresh), so that successes elsewhere have ended the succession.
	tripCalls, tripRows, tripAfter = 5, 2, 10 * time.Second
	// A quiet system has one row only; its calls open a breaker before its last delivery fails,
	// unless that row alone caused an outage before: then its question is the cause.
	quietCalls, quietAfter = 3, 4 * time.Minute
	// againCalls of tripRows open a breaker again during an outage.
	againCalls = 2
)

// Trips reports whether failed calls open a closed breaker. wait is the wait that the service
// asked for with the last one; during an outage it is granted at once.
func (s State) Trips(wait time.Duration) bool {
	switch {
	case s.Phase != Closed:
		return false
	case !s.Since.IsZero():
		return wait > 0 || s.Rows >= tripRows && s.Failures >= againCalls
	case s.Rows >= tripRows && s.Failures >= tripCalls && s.Lasted >= tripAfter:
		return true
	}
	return !s.Alone && s.Failures >= quietCalls && s.Lasted >= quietAfter
}

// Move is a decision about a call.
type Move int

// The moves. Before a call: Call, Probe or Park. After it: Pass, Count, Reopen or Close.
const (
	Call   Move = iota // make the call
	Probe              // take the probe's lease, then make the call
	Park               // make no call
	Pass               // the row stays as it is
	Count              // count the failed call, and open the breaker if that trips it
	Reopen             // the probe failed
	Close              // the service is there
)

// Before decides whether a call may be made.
func (s State) Before() Move {
	switch {
	case s.Phase == Closed:
		return Call
	case s.Due:
		return Probe
	}
	return Park
}

// Result is the result of a call.
type Result int

// The results.
const (
	Succeeded Result = iota
	Away             // a failure of the service
	Neither          // any other error
)

// After decides what a call's result changes.
func (s State) After(r Result, probe bool) Move {
	switch {
	case probe && r == Succeeded:
		return Close
	case probe:
		return Reopen
	case r == Away:
		return Count
	case r == Succeeded && (s.Phase != Closed || s.Failures > 0):
		return Close
	}
	return Pass
}

const (
	firstWait, longestWait = 30 * time.Second, 5 * time.Minute
	// Lease is the time for a probe; then another caller may take it.
	Lease = 3 * time.Minute
	// Calm is the time that a breaker must stay closed without a failed call to end an outage.
	Calm = 10 * time.Minute
	// LongCalm ends an outage despite failed calls, which are then due to their questions.
	LongCalm = time.Hour
	// Unused is the time after which a due probe that nobody takes shows that the service isn't
	// in use.
	Unused = 15 * time.Minute
)

// longestAsked bounds the wait that a service asks for. The end of an exhausted quota can't be
// known, so that it takes the same.
const longestAsked = 30 * time.Minute

// Wait returns the time to the next probe, after n failed ones: at least the wait that the
// service asked for.
func Wait(n int, asked time.Duration) time.Duration {
	return max(min(firstWait<<min(n, 10), longestWait), min(asked, longestAsked))
}
