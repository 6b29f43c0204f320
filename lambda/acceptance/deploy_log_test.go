package acceptance_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"

	"github.com/google/uuid"
)

// printed returns the output of a function, a map per line.
func (l *logText) printed(t *testing.T) (lines, metrics []map[string]any) {
	t.Helper()
	for text := range strings.Lines(l.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("no JSON: %s", text)
		}
		if line["_aws"] == nil {
			lines = append(lines, line)
		} else {
			metrics = append(metrics, line)
		}
	}
	return lines, metrics
}

// sum adds a metric up over lines.
func sum(metrics []map[string]any, names ...string) (total float64) {
	for _, line := range metrics {
		for _, name := range names {
			n, _ := line[name].(float64)
			total += n
		}
	}
	return total
}

var traceForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// wantTraced checks that every line has its function and trace, and returns the requests.
func wantTraced(t *testing.T, function string, lines []map[string]any) (requests []string) {
	t.Helper()
	for _, line := range lines {
		request, _ := line["request_id"].(string)
		trace, _ := line["trace_id"].(string)
		root, _ := line["xray_trace_id"].(string)
		if line["function"] != function || line["stage"] != "test" || uuid.Validate(request) != nil ||
			!traceForm.MatchString(trace) ||
			strings.ReplaceAll(strings.TrimPrefix(root, "1-"), "-", "") != trace {
			t.Errorf("whose is %v", line)
		}
		requests = append(requests, request)
	}
	return requests
}

// In its own bootstrap, the match function logs in every line to which
// invocation it belongs, in every "settled" which delivery of whose document
// it is about, and counts every delivery once.
func TestLogsAndMetrics(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1, func(c *local.FunctionConfig) { c.Env = append(c.Env, "STAGE=test") })
	ids := l.store(4)
	l.send(append(texts(ids), "no id", uuid.NewString())...)
	l.send(ids[0].String()) // it is done by then, or held
	l.drain(ids)
	if _, err := l.Function.Invoke(t.Context(), []byte(`{"Records":[{"eventSource":"aws:sns"}]}`)); err == nil {
		t.Error("an event of another queue was taken")
	}
	must.OK(t, l.Function.Close()) // so that it has written everything

	lines, metrics := l.text.printed(t)
	requests := wantTraced(t, "match", lines)
	if n := len(slices.Compact(slices.Sorted(slices.Values(requests)))); n < 2 {
		t.Errorf("lines of %d invocations", n)
	}
	unknown, fatal := 0, 0
	for _, line := range lines {
		switch line["msg"] {
		case "settled":
			if line["result"] == "malformed" {
				continue
			}
			if line["tenant"] == "" {
				unknown++
			} else if line["tenant"] != testTenant.String() {
				t.Errorf("another tenant: %v", line)
			}
			if line["id"] == nil || line["delivery"] == nil || line["attempt"] == nil {
				t.Errorf("a delivery of what: %v", line)
			}
		default:
			if strings.Contains(line["msg"].(string), "errorType") && line["level"] == "ERROR" {
				fatal++ // of aws-lambda-go
			}
		}
	}
	if unknown != 2 || fatal != 1 {
		t.Errorf("%d lines without a tenant, want the two of the missing document; %d of aws-lambda-go, want 1",
			unknown, fatal)
	}

	for _, line := range metrics {
		if line["Stage"] != "test" || line["Function"] != "match" {
			t.Errorf("metrics of %v %v", line["Stage"], line["Function"])
		}
	}
	received := 0
	for _, e := range l.log {
		if e.Kind == sqs.Received {
			received++
		}
	}
	ended := sum(metrics, metric.Succeeded, metric.Retried, metric.DeadLettered,
		metric.Failed, metric.Skipped, metric.Malformed)
	if int(ended) != received {
		t.Errorf("%v deliveries were counted, %d were received", ended, received)
	}
	if got := sum(metrics, metric.Succeeded); got != 4 {
		t.Errorf("%v succeeded, want 4", got)
	}
	if got := sum(metrics, metric.Malformed); got != 1 {
		t.Errorf("%v malformed, want 1", got)
	}
	values := 0
	for _, line := range metrics {
		switch v := line[metric.AttemptTime].(type) {
		case float64:
			values++
		case []any:
			values += len(v)
		}
	}
	if values != 4 {
		t.Errorf("%d attempts were measured, want 4", values)
	}
}

// One query finds the lines of a row in the logs of every function: each "settled"
// names the row under id, and the function.
func TestLogsNameTheRow(t *testing.T) {
	t.Parallel()
	for _, row := range manifest.Workloads() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			l := newLine(t, 1, func(c *local.FunctionConfig) {
				c.Row = row
				c.Env = []string{"STAGE=test", "MATCH_MODE=rules", "BLOB_URL=" + blob.FolderURL(t.TempDir())}
			})
			id := uuid.NewString() // of no row: its message is retried, then acknowledged
			l.send(id)
			l.drain(nil)
			must.OK(t, l.Consumers[0].Function.Close())
			lines, _ := l.text.printed(t)
			wantTraced(t, row.Name, lines)
			settled := 0
			for _, line := range lines {
				if line["msg"] == "settled" {
					settled++
					check(t, "id", line["id"], any(id[:8])) // as it may be erased
				}
			}
			check(t, "settled lines", settled, 2)
		})
	}
}

func texts(ids []uuid.UUID) (list []string) {
	for _, id := range ids {
		list = append(list, id.String())
	}
	return list
}

// The sweep function prints its gauges and repairs in one line.
func TestSweepMetrics(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1, func(c *local.FunctionConfig) { c.NoMapping = true })
	ids := l.store(2)
	l.publish(ids...)
	sweeper := l.function(manifest.Sweep, "STAGE=test")
	must.OK(t, l.Advance(t.Context(), 90*time.Second))
	must.Get(sweeper.Invoke(t.Context(), []byte(`{"time":"2026-03-02T09:00:00Z"}`)))(t)
	l.exec("ALTER TABLE document RENAME TO elsewhere")
	if _, err := sweeper.Invoke(t.Context(), []byte(`{}`)); err == nil ||
		!strings.Contains(err.Error(), "sweep match: count overdue rows: database error (SQLSTATE 42P01)") {
		t.Errorf("got %v", err)
	}
	l.exec("ALTER TABLE elsewhere RENAME TO document")
	if err := sweeper.Close(); err != nil { // its output may come later than its answer
		t.Error(err)
	}
	lines, metrics := l.text.printed(t)
	wantTraced(t, "sweep", lines)
	if len(metrics) != 2 {
		t.Fatalf("%d lines of metrics for two runs: %v", len(metrics), metrics)
	}
	for name, want := range map[string]float64{metric.OldestDue: 90, metric.Pending: 2,
		metric.InProgress: 0,
		metric.Unsent:     0, metric.Republished: 0, metric.Lost: 0,
		metric.Crashed: 0} {
		if got, known := metrics[0][name].(float64); got != want || !known {
			t.Errorf("%s is %v, want %v", name, metrics[0][name], want)
		}
	}
	if _, known := metrics[1][metric.Lost]; !known || metrics[1][metric.Pending] != nil {
		t.Errorf("of the run that failed: %v", metrics[1])
	}
}

// The match function reads its database's URL from Secrets Manager when it
// starts, and nothing of it is in its log.
func TestSecretsAtColdStart(t *testing.T) {
	t.Parallel()
	var l *line
	manager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, v := range l.Env() {
			if value, ok := strings.CutPrefix(v, "DATABASE_URL="); ok && value != "" {
				_ = json.NewEncoder(w).Encode(map[string]string{"SecretString": value + "&application_name=PLANTED"})
			}
		}
	}))
	defer manager.Close()
	l = newLine(t, 1, func(c *local.FunctionConfig) {
		c.Env = append(c.Env, "DATABASE_URL=",
			"DATABASE_URL_SECRET_ARN=arn:aws:secretsmanager:us-east-1:000000000000:secret:db-AbCdEf",
			"AWS_ENDPOINT_URL_SECRETS_MANAGER="+manager.URL)
	})
	ids := l.store(2)
	l.publish(ids...)
	l.drain(ids)
	l.wantAtOnce(ids[0])
	if text := l.text.String(); strings.Contains(text, "PLANTED") || text == "" {
		t.Errorf("logged %s", text)
	}
}
