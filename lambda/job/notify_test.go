package job_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
)

// Notify is called once a batch, and only if a row of it failed. Its time
// ends with the invocation, early enough for the response.
func TestNotifyIsCalledOnceIfADocumentFailed(t *testing.T) {
	t.Parallel()
	permanent := failure.Permanently("broken")
	after := func(wait time.Duration, err error) job.Work {
		return func(context.Context, job.Attempt) error {
			<-time.After(wait)
			return err
		}
	}
	for name, tc := range map[string]struct {
		length time.Duration
		first  job.Work // nil succeeds
		count  int      // of the second row's delivery
		second job.Work
		want   []time.Duration // for each call, the time that it gets
	}{
		"nothing failed":            {length: length, count: 1},
		"a failure that is retried": {length: length, count: 1, second: after(0, errors.New("x"))},
		"fence lost":                {length: length, count: 1, second: after(0, job.ErrFenceLost)},
		"the last delivery": {length: length, count: 3, second: after(0, errors.New("x")),
			want: []time.Duration{8 * time.Second}},
		"two permanent failures": {length: length, count: 1, first: after(time.Second, permanent),
			second: after(0, permanent), want: []time.Duration{8 * time.Second}},
		"little time": {length: 20 * time.Second, count: 1, second: after(10*time.Second, permanent),
			want: []time.Duration{3 * time.Second}},
		"no time": {length: 20 * time.Second, count: 1, second: after(14*time.Second, permanent)},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, pending(0), pending(0))
			var got []time.Duration
			r.notify = func(ctx context.Context) {
				end, _ := ctx.Deadline()
				got = append(got, time.Until(end))
			}
			r.work[id(1)], r.work[id(2)] = tc.first, tc.second
			r.runFor(tc.length, first(1), delivery(2, tc.count))
			if len(got) != len(tc.want) || len(got) > 0 && got[0] != tc.want[0] {
				t.Errorf("called with %v, want %v", got, tc.want)
			}
		})
	}
}
