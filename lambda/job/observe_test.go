package job_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/telemetry/trace"
)

func TestObservation(t *testing.T) {
	t.Parallel()
	takes := func(d time.Duration, err error) rowWork {
		return func(context.Context, job.Attempt) error {
			timer := time.NewTimer(d)
			<-timer.C
			return err
		}
	}
	waits := func() *row { return pending(0) }
	for name, tc := range map[string]struct {
		row  func() *row
		work rowWork
		want job.Observation
	}{
		"transient": {waits, takes(2*time.Second, errors.New("x")),
			job.Observation{Result: job.Transient, Action: job.Retry, Worked: 2 * time.Second}},
		"permanent": {waits, takes(time.Second, failure.Permanently("no")),
			job.Observation{Result: job.Permanent, Action: job.Ack, Worked: time.Second}},
		"a suspect": {func() *row { return expired(1) }, takes(time.Second, failure.Permanently("no")),
			job.Observation{Result: job.Permanent, Action: job.Ack, Worked: time.Second}},
		"no row": {func() *row { return nil }, nil, job.Observation{Result: job.Missing, Action: job.Retry}},
		"done": {func() *row { return &row{status: job.StatusSucceeded} }, nil,
			job.Observation{Result: job.Done, Action: job.Ack}},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, tc.row())
			r.work[id(1)] = tc.work
			if r.run(first(1)); len(r.observed) != 1 || r.observed[0] != tc.want {
				t.Errorf("got %+v, want %+v", r.observed, tc.want)
			}
		})
	}
}

func TestLogHasTenant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), expired(1), &row{status: job.StatusSucceeded})
		r.work[id(1)] = panics("x")
		r.run(first(1), first(2), first(3))
		for line := range strings.Lines(r.log.String()) {
			if !strings.Contains(line, `"tenant":"`+tenant.String()+`"`) {
				t.Errorf("the tenant is unknown: %s", line)
			}
		}
	})
}

// An erased row leaves no id in a log or a trace written afterwards, whether it went before the
// claim or during the work.
func TestErasedRowLeavesNoID(t *testing.T) {
	t.Parallel()
	var spans bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = spans.ReadFrom(r.Body) }))
	defer collector.Close()
	tracer := trace.New(trace.Config{URL: collector.URL, Share: 1}, "match", "test")
	r := newRig(t, pending(0))
	r.work[id(1)] = func(context.Context, job.Attempt) error {
		delete(r.store.rows, id(1))
		return job.ErrFenceLost
	}
	ctx, cancel := context.WithTimeout(trace.With(t.Context(), tracer), length)
	defer cancel()
	r.runContext(ctx, first(1), first(4))
	must.OK(t, tracer.Flush(t.Context()))
	for text, missing := range map[string]string{r.log.String(): `"result":"missing"`, spans.String(): `{"stringValue":"missing"}`} {
		for _, erased := range []string{id(1).String(), id(4).String(), tenant.String()} {
			if strings.Contains(text, erased) {
				t.Errorf("%s is in\n%s", erased, text)
			}
		}
		if n := strings.Count(text, missing); n != 2 {
			t.Errorf("%d of 2 settlements are in\n%s", n, text)
		}
	}
}

// Notify is called once a batch, and only if a row of it failed. Its time
// ends with the invocation, early enough for the response.
func TestNotifyOncePerBatch(t *testing.T) {
	t.Parallel()
	permanent := failure.Permanently("broken")
	after := func(wait time.Duration, err error) rowWork {
		return func(context.Context, job.Attempt) error {
			<-time.After(wait)
			return err
		}
	}
	for name, tc := range map[string]struct {
		length time.Duration
		first  rowWork // nil succeeds
		count  int     // of the second row's delivery
		second rowWork
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
