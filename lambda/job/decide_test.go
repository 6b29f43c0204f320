package job_test

import (
	"fmt"
	"testing"
	"time"

	"matchbook/lambda/job"

	"pgregory.net/rapid"
)

var schedule = job.Backoff{5 * time.Minute, 30 * time.Minute}

func TestDecideTable(t *testing.T) {
	t.Parallel()
	const (
		m5, m30 = 5 * time.Minute, 30 * time.Minute
		keep    = job.KeepVisibility
	)
	for _, tc := range []struct {
		outcome job.Outcome
		want    job.Settlement
	}{
		{job.Outcome{Result: job.Malformed, Delivery: 1}, job.Settlement{Action: job.Ack}},
		{job.Outcome{Result: job.Succeeded, Delivery: 3}, job.Settlement{Action: job.Ack}},
		{job.Outcome{Result: job.Done, Delivery: 2}, job.Settlement{Action: job.Ack}},
		{job.Outcome{Result: job.Superseded, Delivery: 3}, job.Settlement{Action: job.Ack}},
		{job.Outcome{Result: job.Unworkable, Delivery: 1}, job.Settlement{Action: job.Ack}},
		{job.Outcome{Result: job.Missing, Delivery: 1}, job.Settlement{Action: job.Retry, Visibility: m5}},
		{job.Outcome{Result: job.Missing, Delivery: 2}, job.Settlement{Action: job.Ack}},
		{job.Outcome{Result: job.Held, Delivery: 1, Wait: time.Minute},
			job.Settlement{Action: job.Retry, Visibility: time.Minute}},
		{job.Outcome{Result: job.Held, Delivery: 3, Wait: time.Minute}, job.Settlement{Action: job.DeadLetter}},
		{job.Outcome{Result: job.Busy, Delivery: 1, Wait: time.Second},
			job.Settlement{Action: job.Retry, Visibility: time.Second}},
		{job.Outcome{Result: job.Busy, Delivery: 3, Wait: time.Second}, job.Settlement{Action: job.DeadLetter}},
		{job.Outcome{Result: job.Early, Delivery: 2, Wait: time.Hour},
			job.Settlement{Action: job.Retry, Visibility: time.Hour}},
		{job.Outcome{Result: job.Transient, Delivery: 1},
			job.Settlement{Write: job.StatusPending, Action: job.Retry, Visibility: m5}},
		{job.Outcome{Result: job.Transient, Delivery: 1, RetryAfter: time.Hour},
			job.Settlement{Write: job.StatusPending, Action: job.Retry, Visibility: time.Hour}},
		{job.Outcome{Result: job.Transient, Delivery: 2, RetryAfter: time.Minute},
			job.Settlement{Write: job.StatusPending, Action: job.Retry, Visibility: m30}},
		{job.Outcome{Result: job.Transient, Delivery: 3, RetryAfter: time.Hour},
			job.Settlement{Write: job.StatusFailed, Action: job.DeadLetter}},
		{job.Outcome{Result: job.Transient, Delivery: 4},
			job.Settlement{Write: job.StatusFailed, Action: job.DeadLetter}},
		{job.Outcome{Result: job.Permanent, Delivery: 1}, job.Settlement{Write: job.StatusFailed, Action: job.Ack}},
		{job.Outcome{Result: job.Permanent, Delivery: 3}, job.Settlement{Write: job.StatusFailed, Action: job.Ack}},
		{job.Outcome{Result: job.Parked, Delivery: 1, RetryAfter: time.Hour}, job.Settlement{Write: job.StatusPending, Action: job.Ack}},
		{job.Outcome{Result: job.Parked, Delivery: 3}, job.Settlement{Write: job.StatusPending, Action: job.Ack}},
		{job.Outcome{Result: job.Lost, Delivery: 1}, job.Settlement{Action: job.Retry, Visibility: keep}},
		{job.Outcome{Result: job.Lost, Delivery: 3}, job.Settlement{Action: job.Ack}},
		{job.Outcome{Result: job.Unsettled, Delivery: 2, Wait: time.Minute},
			job.Settlement{Action: job.Retry, Visibility: time.Minute}},
		{job.Outcome{Result: job.Unsettled, Delivery: 3}, job.Settlement{Action: job.DeadLetter}},
		{job.Outcome{Delivery: 1}, job.Settlement{Action: job.Retry, Visibility: m5}}, // not thought of
	} {
		t.Run(fmt.Sprintf("%v on delivery %d", tc.outcome.Result, tc.outcome.Delivery), func(t *testing.T) {
			t.Parallel()
			if got := schedule.Decide(tc.outcome); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// In every case: an Ack only where something proves that nothing is left to do
// for this message; "failed" and the last delivery belong together.
func TestAckMeansFinished(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := job.Outcome{
			Result:     job.Result(rapid.IntRange(0, int(job.Unsettled)).Draw(t, "result")),
			Delivery:   rapid.IntRange(0, 5).Draw(t, "delivery"),
			RetryAfter: time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "retry after")),
			Wait:       time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "wait")),
		}
		s := schedule.Decide(o)
		switch o.Result {
		case job.Transient, job.Held, job.Busy, job.Early, job.Unsettled, 0:
			if s.Action == job.Ack {
				t.Fatalf("%+v is acknowledged", o)
			}
		}
		if s.Action == job.DeadLetter && o.Delivery <= len(schedule) {
			t.Fatalf("%+v is given up before the last delivery", o)
		}
		if s.Write == job.StatusPending && s.Action != job.Retry && o.Result != job.Parked {
			t.Fatalf("%+v waits without a message: %+v", o, s)
		}
	})
}

func ExampleBackoff_Decide() {
	s := job.Backoff{5 * time.Minute, 30 * time.Minute}
	for delivery := 1; delivery <= 3; delivery++ {
		d := s.Decide(job.Outcome{Result: job.Transient, Delivery: delivery})
		fmt.Println(delivery, d.Write, d.Action, d.Visibility)
	}
	// Output:
	// 1 pending retry 5m0s
	// 2 pending retry 30m0s
	// 3 failed dead-letter 0s
}
