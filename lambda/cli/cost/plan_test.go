package cost

import (
	"math"
	"testing"
	"time"
)

// simple are figures to reckon with by hand.
func simple(t *testing.T) Measured {
	t.Helper()
	m, err := ReadMeasured(nil)
	if err != nil {
		t.Fatal(err)
	}
	for figure, value := range map[*Figure]float64{
		&m.ProcessorMS: 2, &m.CoreSpeed: 1, &m.ExecutionMS: 3, &m.RoundTripMS: 1, &m.Trips: 10, &m.TurnTrips: 5, &m.QuestionTrips: 4,
		&m.RepeatsPerQuestion: 0, &m.RetriesPerDocument: 0, &m.PromptTokens: 455, &m.AnswerTokens: 30, &m.Busy: 0.6,
	} {
		figure.Value = value
	}
	return m
}

const wholeCore = 1769 // MB

// near compares what was reckoned with what was reckoned by hand.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestBatchEndsWithItsSlowestDocument(t *testing.T) {
	t.Parallel()
	fixed, varied := Latency{Min: time.Second, Max: time.Second}, Latency{Min: time.Second, Max: 4 * time.Second}
	for name, tc := range map[string]struct {
		n, tenants, memory int
		questions          float64
		latency            Latency
		want               float64 // seconds
	}{
		"one document, 10 trips, 2+3 ms of work":                          {1, 1, wholeCore, 0, fixed, 0.015},
		"ten of one tenant, 9 more turns of 5 trips":                      {10, 1, wholeCore, 0, fixed, 0.010 + 0.045 + 0.050},
		"ten of two tenants, whose turns are beside each other":           {10, 2, wholeCore, 0, fixed, 0.010 + 0.0225 + 0.050},
		"ten of ten tenants, but five connections":                        {10, 10, wholeCore, 0, fixed, 0.010 + 0.009 + 0.050},
		"more memory than a core is no faster":                            {1, 1, 2 * wholeCore, 0, fixed, 0.015},
		"one that asks, 4 more trips and a second":                        {1, 1, wholeCore, 1, fixed, 1 + 0.014 + 0.005},
		"ten that ask wait one second, not ten":                           {10, 1, wholeCore, 1, fixed, 1 + 0.010 + 0.045 + 0.040 + 0.050},
		"the slowest of ten between 1 and 4 s: 1 + 3*10/11":               {10, 1, wholeCore, 1, varied, 1 + 30.0/11 + 0.010 + 0.045 + 0.040 + 0.050},
		"two of which each asks or not: 2.5 s for one half, 3 s for both": {2, 1, wholeCore, 0.5, varied, 0.5*2.5 + 0.25*3 + 0.010 + 0.005 + 0.004 + 0.010},
	} {
		w := Work{Questions: tc.questions, Latency: tc.latency, Tenants: tc.tenants, MemoryMB: tc.memory, Pool: 5, Measured: simple(t)}
		near(t, name, w.Batch(tc.n).Seconds(), tc.want)
	}
}

func TestLessMemoryIsAShareOfACore(t *testing.T) {
	t.Parallel()
	w := Work{Tenants: 1, MemoryMB: 885, Pool: 5, Measured: simple(t)} // half a core: 2 ms take 4
	if got := w.Batch(1).Round(10 * time.Microsecond); got != 17*time.Millisecond {
		t.Errorf("got %s, want 17ms", got)
	}
}

func TestLongestAnswerIsNeverShorterThanAnyOther(t *testing.T) {
	t.Parallel()
	l := Latency{Min: time.Second, Max: 3 * time.Second}
	for k, want := range []time.Duration{0, 2 * time.Second, 2*time.Second + time.Second/3, 2*time.Second + time.Second/2} {
		if got := l.Longest(k); (got - want).Abs() > time.Microsecond {
			t.Errorf("longest of %d: got %s, want %s", k, got, want)
		}
	}
}

func TestDeliveriesCountWhoAsksAgainAndWhatFailed(t *testing.T) {
	t.Parallel()
	m := simple(t)
	m.RepeatsPerQuestion.Value, m.RetriesPerDocument.Value = 0.8, 0.01
	near(t, "deliveries", Work{Questions: 0.5, Measured: m}.Deliveries(), 1.41)
}
