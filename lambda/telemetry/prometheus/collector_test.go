package prometheus

import (
	"net/http/httptest"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/telemetry/emf"
)

func TestPrometheusText(t *testing.T) {
	t.Parallel()
	var c Collector
	match, sweep := emf.New("local", "match"), emf.New("local", "sweep")
	for i := range 2 {
		match.Count(metric.Succeeded, 3)
		match.Measure(metric.AttemptTime, 250)
		match.Measure(metric.AttemptTime, 500)
		sweep.Measure(metric.OldestDue, float64(90-i))
		sweep.Measure(metric.Pending, float64(7-i))
		sweep.Count(metric.Succeeded, 0)
		must.OK(t, match.Flush(&c, time.Unix(0, 0)))
		must.OK(t, sweep.Flush(&c, time.Unix(0, 0)))
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	const want = `# TYPE matchbook_attempt_time_seconds summary
matchbook_attempt_time_seconds_count{function="match"} 4
matchbook_attempt_time_seconds_sum{function="match"} 1.5
# TYPE matchbook_oldest_due_seconds gauge
matchbook_oldest_due_seconds{function="sweep"} 89
# TYPE matchbook_pending gauge
matchbook_pending{function="sweep"} 6
# TYPE matchbook_succeeded_total counter
matchbook_succeeded_total{function="match"} 6
matchbook_succeeded_total{function="sweep"} 0
`
	if got := w.Body.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRefusedLine(t *testing.T) {
	t.Parallel()
	var c Collector
	if _, err := c.Write([]byte("no metrics\n")); err == nil {
		t.Error("a line that is no JSON was accepted")
	}
}
