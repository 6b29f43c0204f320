package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/postgres"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

func envOf(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// invoked is the context of an invocation, as aws-lambda-go makes it.
func invoked(request, trace string) context.Context {
	ctx := lambdacontext.NewContext(context.Background(), &lambdacontext.LambdaContext{AwsRequestID: request})
	return context.WithValue(ctx, "x-amzn-trace-id", trace) //nolint:staticcheck // aws-lambda-go's own key
}

func TestInvocationIDs(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	tel := New(envOf(map[string]string{"STAGE": "prod"}), "match", &out, &log)
	h := tel.Handler(func(context.Context) error {
		tel.Log.With("id", "d-1").Info("without a context")
		return errors.New("it failed")
	})
	tel.Log.Info("before")
	const root = "1-5759e988-bd862e3fe1be46a994272793"
	for _, request := range []string{"r-1", "r-2"} {
		if _, err := h.Invoke(invoked(request, "Root="+root+";Parent=53995c3f42cd8ad8;Sampled=1"),
			[]byte("{}")); err == nil {
			t.Error("the error was lost")
		}
		tel.Log.Error("after") // as aws-lambda-go does
	}
	var got []string
	for text := range strings.Lines(log.String()) {
		var line struct{ Function, Stage, Msg, ID, Request_id, Trace_id, Xray_trace_id string }
		must.OK(t, json.Unmarshal([]byte(text), &line))
		if line.Function != "match" || line.Stage != "prod" {
			t.Errorf("whose is %s", text)
		}
		if line.Request_id != "" && (line.Trace_id != "5759e988bd862e3fe1be46a994272793" ||
			line.Xray_trace_id != root) {
			t.Errorf("no trace in %s", text)
		}
		got = append(got, line.Msg+" "+line.ID+" "+line.Request_id)
	}
	want := "before  |without a context d-1 r-1|after  r-1|without a context d-1 r-2|after  r-2"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestInvalidTrace(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"Root=1-5759e988-bd862e3fe1be46a994272793":                      "1-5759e988-bd862e3fe1be46a994272793",
		"Self=1-0-0;Root=1-5759E988-bd862e3fe1be46a994272793;Sampled=0": "1-5759E988-bd862e3fe1be46a994272793",
		"":                               "",
		"Root=":                          "",
		"Root=1-5759e988-bd862e3fe1be46": "",
		"Root=2-5759e988-bd862e3fe1be46a994272793":           "",
		"Root=1-5759e98x-bd862e3fe1be46a994272793":           "",
		"Root=1-5759e988-bd862e3fe1be46a994272793-and-extra": "",
	} {
		if got := xrayRoot(header); got != want {
			t.Errorf("%q: got %q, want %q", header, got, want)
		}
	}
}

func TestMetricsAfterPanic(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tel := New(envOf(map[string]string{"STAGE": "a stage that is none"}), "match", &out, &bytes.Buffer{})
	h := tel.Handler(func(context.Context) error {
		tel.Metrics.Count(metric.Succeeded, 1)
		panic("x")
	})
	for range 2 {
		func() {
			defer func() { _ = recover() }()
			_, _ = h.Invoke(invoked("r", ""), []byte("{}"))
		}()
	}
	if got := out.String(); strings.Count(got, "\n") != 2 || strings.Count(got, `"Succeeded":1`) != 2 ||
		strings.Count(got, `"Stage":"local"`) != 2 {
		t.Errorf("got %s", got)
	}
}

// Each pair of result and action that Decide can make counts as one metric.
func TestEachEndCountsOnce(t *testing.T) {
	t.Parallel()
	schedule := job.Backoff(manifest.Match.Retries)
	want := map[job.Result][2]string{ // on the first delivery and on the last
		job.Malformed:  {"Malformed", "Malformed"},
		job.Succeeded:  {"Succeeded", "Succeeded"},
		job.Done:       {"Skipped", "Skipped"},
		job.Superseded: {"Skipped", "Skipped"},
		job.Missing:    {"Retried", "Skipped"},
		job.Unworkable: {"Skipped", "Skipped"},
		job.Held:       {"Retried", "DeadLettered"},
		job.Transient:  {"Retried", "DeadLettered"},
		job.Permanent:  {"Failed", "Failed"},
		job.Parked:     {"Retried", "Retried"},
		job.Busy:       {"Retried", "DeadLettered"},
		job.Early:      {"Retried", "DeadLettered"},
		job.Lost:       {"Retried", "Skipped"},
		job.Unsettled:  {"Retried", "DeadLettered"},
	}
	for result := job.Malformed; result <= job.Unsettled; result++ {
		for i, delivery := range []int{1, manifest.Match.MaxReceiveCount()} {
			s := schedule.Decide(job.Outcome{Result: result, Delivery: delivery})
			if got := endOf(job.Observation{Result: result, Action: s.Action}); got != want[result][i] {
				t.Errorf("%s, delivery %d: counts as %s, want %s", result, delivery, got, want[result][i])
			}
		}
	}
}

func TestFailedSweepCounts(t *testing.T) {
	t.Parallel()
	gauges := postgres.Gauges{Undelivered: 3, OldestUndelivered: 90 * time.Second}
	for name, tc := range map[string]struct {
		report         sweep.Report
		failed, unread error
		want, unwanted []string
	}{
		"healthy": {sweep.Report{}, nil, nil,
			[]string{`"OldestDue":0`, `"Pending":0`, `"InProgress":0`, `"Untold":0`, `"Refused":0`, `"Republished":0`,
				`"UndeliveredSets":3`, `"OldestUndelivered":90`,
				`"Recovered":0`, `"Inserted":0`, `"Lost":0`, `"Crashed":0`}, []string{"Backlog"}},
		"no backlog was read": {sweep.Report{Overdue: 2}, errors.New("x"), nil, []string{`"Pending":0`},
			[]string{"Backlog"}},
		"half-way": {sweep.Report{Overdue: 2, Backlog: 7, Crashed: 1}, errors.New("x"), nil,
			[]string{`"Backlog":7`, `"Crashed":1`}, nil},
		"empty backlog": {sweep.Report{Overdue: 2, Republished: 2}, nil, nil,
			[]string{`"Backlog":0`, `"Republished":2`}, nil},
		"no database": {sweep.Report{}, errors.New("x"), errors.New("x"), []string{`"Lost":0`},
			[]string{"OldestDue", "Pending", "Untold", "Undelivered"}},
	} {
		var out bytes.Buffer
		tel := New(envOf(nil), "sweep", &out, &bytes.Buffer{})
		CountSweep(tel.Metrics, tc.report, tc.failed, gauges, tc.unread)
		must.Get(tel.Handler(func() {}).Invoke(t.Context(), []byte("{}")))(t)
		for _, want := range tc.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %s is missing in %s", name, want, out.String())
			}
		}
		for _, unwanted := range tc.unwanted {
			if strings.Contains(out.String(), unwanted) {
				t.Errorf("%s: %s is in %s", name, unwanted, out.String())
			}
		}
	}
}

// The lines of a request name its invocation, its response is passed on at once,
// and its metrics are written.
func TestHTTP(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	tel := New(envOf(nil), "web", &out, &log)
	response := httptest.NewRecorder()
	h := tel.HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("first"))
		if response.Body.String() != "first" {
			t.Error("the response is held back")
		}
		tel.Log.Info("at work")
		tel.Metrics.Count(metric.Refused, 1)
	}))
	h.ServeHTTP(response, httptest.NewRequestWithContext(invoked("r-1", ""), http.MethodGet, "/?token=PLANTED", nil))
	if !strings.Contains(log.String(), `"request_id":"r-1"`) || !strings.Contains(out.String(), `"Refused":1`) ||
		strings.Contains(log.String()+out.String(), "PLANTED") {
		t.Errorf("logged %s, wrote %s", log.String(), out.String())
	}
}
