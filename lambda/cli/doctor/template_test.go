package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A template that has no more than the doctor reads, and the ones that cdk
// synth makes of infra.
const (
	healthyTemplate  = "../../../testdata/doctor/healthy.template.json"
	deployedTemplate = "../../../infra/testdata/default.template.golden"
	auroraTemplate   = "../../../infra/testdata/aurora.template.golden"
)

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// provoked is what a row of a table brings about: a finding, and words of it.
type provoked struct {
	id       string
	severity Severity
	what     string
}

// check fails unless the finding is there, says what it is to say, and is one
// that the check may have. It is complete: what, why and what to do.
func (p provoked) check(t *testing.T, r Report) {
	t.Helper()
	declared(t, r)
	for _, f := range r.Findings {
		if f.ID != p.id || f.Severity != p.severity || !strings.Contains(f.What, p.what) {
			continue
		}
		if p.severity >= Warning && (f.Why == "" || !strings.HasSuffix(f.Why, ".") || f.Do == "" || !strings.HasSuffix(f.Do, ".")) {
			t.Errorf("%+v does not say why it matters, or what to do", f)
		}
		return
	}
	t.Errorf("want a %s of %s with %q in\n%s", p.severity, p.id, p.what, show(r))
}

// declared fails when a finding is of a severity that its check does not raise.
func declared(t *testing.T, r Report) {
	t.Helper()
	for _, f := range r.Findings {
		i := slices.IndexFunc(checks, func(c check) bool { return c.id == f.ID })
		if i < 0 || f.Severity >= Warning && !slices.Contains(checks[i].raises, f.Severity) {
			t.Errorf("%+v is not declared", f)
		}
	}
}

// show has the report in short.
func show(r Report) string {
	var s strings.Builder
	for _, f := range r.Findings {
		s.WriteString("  " + f.Severity.String() + " " + f.ID + " " + f.Subject + ": " + f.What + "\n")
	}
	return s.String()
}

// edit sets what is at a path of a template; nil takes it away.
func edit(t testing.TB, template map[string]any, path string, to any) {
	t.Helper()
	steps := strings.Split(path, ".")
	at := template["Resources"].(map[string]any)
	for i, step := range steps[:len(steps)-1] {
		if i == 1 {
			at = at["Properties"].(map[string]any)
		}
		next, ok := at[step].(map[string]any)
		if !ok {
			t.Fatalf("%s: there is no %s", path, step)
		}
		at = next
	}
	last := steps[len(steps)-1]
	switch {
	case len(steps) == 2:
		at = at["Properties"].(map[string]any)
	case len(steps) == 1 && to == nil:
		delete(at, last)
		return
	}
	if to == nil {
		delete(at, last)
		return
	}
	at[last] = to
}

const env = ".Environment.Variables."

type m = map[string]any

// templateRow edits one thing of a healthy template.
type templateRow struct {
	path string
	to   any
	provoked
}

var templateRows = []templateRow{
	{"MatchMapping", nil, provoked{"mapping", Error, "no event source mapping feeds MatchFunction"}},
	{"MatchMapping.Enabled", false, provoked{"mapping", Error, "is disabled"}},
	{"MatchMapping.Enabled", "false", provoked{"mapping", Error, "is disabled"}},
	{"MatchMapping.Enabled", m{"Fn::If": []any{"x", true, false}}, provoked{"mapping", Skipped, "Enabled is only known to a deployment"}},
	{"MatchMapping.FunctionName", "another-function", provoked{"mapping", Error, "no event source mapping feeds MatchFunction"}},
	{"MatchMapping.FunctionName", "arn:aws:lambda:eu-central-1:123456789012:function:matchbook-dev-match:live", provoked{"mapping", OK, "feeds MatchFunction"}},
	{"Second", m{"Type": "AWS::Lambda::EventSourceMapping", "Properties": m{"EventSourceArn": m{"Fn::GetAtt": "MatchQueue.Arn"}, "FunctionName": m{"Ref": "MatchFunction"}}},
		provoked{"mapping", Error, "2 event source mappings feed MatchFunction"}},
	{"MatchMapping.FunctionResponseTypes", nil, provoked{"batch-failures", Error, "ReportBatchItemFailures is not on"}},
	{"MatchMapping.FunctionResponseTypes", []any{}, provoked{"batch-failures", Error, "ReportBatchItemFailures is not on"}},
	{"MatchMapping.FunctionResponseTypes", []any{"reportBatchItemFailures"}, provoked{"batch-failures", Error, "ReportBatchItemFailures is not on"}},
	{"MatchMapping.FunctionResponseTypes", []any{m{"Fn::If": []any{"x", "y", "z"}}}, provoked{"batch-failures", Skipped, "only known to a deployment"}},
	{"MatchMapping.FunctionResponseTypes", m{"Fn::If": []any{"x", "y", "z"}}, provoked{"batch-failures", Skipped, "only known to a deployment"}},
	{"MatchMapping.BatchSize", 101, provoked{"batch-size", Error, "up to 101 messages"}},
	{"MatchMapping.BatchSize", "10000", provoked{"batch-size", Error, "up to 10000 messages"}},
	{"MatchMapping.BatchSize", nil, provoked{"batch-size", OK, "batches of 10"}},
	{"MatchMapping.BatchSize", 9.5, provoked{"batch-size", Skipped, "no whole number"}},
	{"MatchMapping.ScalingConfig", nil, provoked{"maximum-concurrency", Error, "is not set"}},
	{"MatchMapping.ScalingConfig", nil, provoked{"connections", Skipped, "see maximum-concurrency"}},
	{"MatchMapping.ScalingConfig", m{"Ref": "AWS::NoValue"}, provoked{"maximum-concurrency", Skipped, "only known to a deployment"}},
	{"MatchFunction.ReservedConcurrentExecutions", 0, provoked{"reserved-concurrency", Error, "0 instances are reserved, fewer than the 8"}},
	{"MatchFunction.ReservedConcurrentExecutions", 7, provoked{"reserved-concurrency", Error, "7 instances are reserved, fewer than the 8"}},
	{"MatchFunction.ReservedConcurrentExecutions", 8, provoked{"reserved-concurrency", Warning, "8 instances are reserved"}},
	{"MatchFunction" + env + "QUEUE_URL", m{"Ref": "MatchDeadLetterQueue"}, provoked{"queue-url", Error, "QUEUE_URL names MatchDeadLetterQueue, and the event source mapping reads MatchQueue"}},
	{"MatchFunction" + env + "QUEUE_URL", nil, provoked{"queue-url", Error, "QUEUE_URL is not set"}},
	{"MatchFunction" + env + "QUEUE_URL", m{"Fn::ImportValue": "x"}, provoked{"queue-url", Skipped, "Fn::ImportValue"}},
	{"SweepFunction" + env + "MATCH_QUEUE_URL", m{"Ref": "MatchDeadLetterQueue"}, provoked{"queue-url", Error, "SweepFunction publishes to MatchDeadLetterQueue, which no event source mapping here reads"}},
	{"MatchQueue.VisibilityTimeout", nil, provoked{"visibility", Error, "it hides a message for 30s, less than the timeout of its function, 3m, and the 1m"}},
	{"MatchQueue.VisibilityTimeout", 239, provoked{"visibility", Error, "3m59s"}},
	{"MatchQueue.VisibilityTimeout", 240, provoked{"visibility", Warning, "4m, less than 6 times"}},
	{"MatchQueue.VisibilityTimeout", 1079, provoked{"visibility", Warning, "17m59s, less than 6 times the timeout of its function, 3m"}},
	{"MatchFunction.Timeout", nil, provoked{"visibility", OK, "function 3s"}},
	{"MatchFunction.Timeout", 181, provoked{"visibility", Warning, "18m, less than 6 times the timeout of its function, 3m1s"}},
	{"MatchFunction" + env + "RETRY_SCHEDULE", "5m", provoked{"schedule-entries", Error, "the retry schedule has 1 entry, and maxReceiveCount 3 leaves room for 2"}},
	{"MatchFunction" + env + "RETRY_SCHEDULE", nil, provoked{"schedule-entries", OK, "2 entries"}},
	{"MatchFunction" + env + "RETRY_SCHEDULE", "5m,soon", provoked{"schedule-entries", Error, "entry 2 of RETRY_SCHEDULE is no duration"}},
	{"MatchFunction" + env + "RETRY_SCHEDULE", "5m,soon", provoked{"schedule-limit", Skipped, "entry 2 of RETRY_SCHEDULE is no duration"}},
	{"MatchFunction" + env + "RETRY_SCHEDULE", "5m,soon", provoked{"configuration", Error, "RETRY_SCHEDULE: entry 2"}},
	{"MatchQueue.RedrivePolicy.maxReceiveCount", 4, provoked{"schedule-entries", Error, "2 entries, and maxReceiveCount 4 leaves room for 3"}},
	{"MatchFunction" + env + "RETRY_SCHEDULE", "5m,11h58m", provoked{"schedule-limit", Error, "a retry after 11h58m and an invocation of 3m exceed the 12h"}},
	{"MatchFunction" + env + "RETRY_SCHEDULE", "5m,11h57m", provoked{"schedule-limit", OK, "11h57m"}},
	{"MatchQueue.MessageRetentionPeriod", 5340, provoked{"queue-retention", Error, "it keeps a message for 1h29m, and its 3 deliveries may take 1h29m"}},
	{"MatchQueue.MessageRetentionPeriod", 5341, provoked{"queue-retention", OK, "1h29m at most"}},
	{"MatchFunction" + env + "RETRY_SCHEDULE", "5m,soon", provoked{"queue-retention", Skipped, "entry 2"}},
	{"MatchQueue.RedrivePolicy", nil, provoked{"dlq", Error, "it has no dead-letter queue"}},
	{"MatchQueue.RedrivePolicy", nil, provoked{"dlq-retention", Skipped, "see dlq"}},
	{"MatchQueue.RedrivePolicy.deadLetterTargetArn", m{"Fn::GetAtt": []any{"MatchFunction", "Arn"}}, provoked{"dlq", Error, "MatchFunction, which its RedrivePolicy names, is no queue"}},
	{"MatchQueue.RedrivePolicy.deadLetterTargetArn", "arn:aws:sqs:eu-central-1:123456789012:elsewhere", provoked{"dlq", Skipped, "not in this template"}},
	{"MatchQueue.RedrivePolicy", "{}", provoked{"dlq", Skipped, "no object with a deadLetterTargetArn"}},
	{"MatchDeadLetterQueue.MessageRetentionPeriod", nil, provoked{"dlq-retention", Error, "it keeps a message for 4 days, no longer than MatchQueue does: 4 days"}},
	{"MatchDeadLetterQueue.MessageRetentionPeriod", 1209599, provoked{"dlq-retention", Warning, "less than the 14 days"}},
	{"MatchQueue.MessageRetentionPeriod", 1209600, provoked{"dlq-retention", Error, "no longer than MatchQueue does: 14 days"}},
	{"MatchFunction" + env + "MATCH_MODE", "guess", provoked{"configuration", Error, "MATCH_MODE: not rules or model"}},
	{"MatchFunction" + env + "OPENAI_API_KEY_SECRET_ARN", nil, provoked{"configuration", Error, "OPENAI_API_KEY is not set"}},
	{"MatchFunction" + env + "DATABASE_URL_SECRET_ARN", nil, provoked{"configuration", Error, "DATABASE_URL is not set"}},
	{"MatchFunction" + env + "DATABASE_URL", "mysql://x", provoked{"configuration", Error, "not a PostgreSQL URL"}},
	{"MatchFunction" + env + "QUEUE_URL", "match", provoked{"configuration", Error, "QUEUE_URL: not a queue URL"}},
	{"MatchFunction" + env + "OPENAI_BASE_URL", "openai", provoked{"configuration", Error, "the base URL is not an http or https URL"}},
	{"MatchFunction" + env + "SLACK_WEBHOOK_URL", "slack", provoked{"configuration", Error, "the webhook is not an https URL"}},
	{"SweepFunction" + env + "EMAIL_FROM", "a@example.com", provoked{"configuration", Error, "EMAIL_FROM and EMAIL_TO: one is set"}},
	{"MatchFunction" + env + "DATABASE_URL_SECRET_ARN", m{"Ref": "AWS::StackName"}, provoked{"secrets", Skipped, "AWS::StackName"}},
	{"MatchFunction", nil, provoked{"visibility", Skipped, "the function is not in this template"}},
	{"MatchQueue", nil, provoked{"visibility", Skipped, "is not in the template"}},
}

// treat examines a template after an edit.
func treat(t *testing.T, raw []byte, path string, to any, o Options) (Report, error) {
	t.Helper()
	var template m
	if err := json.Unmarshal(raw, &template); err != nil {
		t.Fatal(err)
	}
	if path != "" {
		edit(t, template, path, to)
	}
	raw, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	o.Template = raw
	return Examine(t.Context(), o)
}

// Both in a small template and in the one that is deployed.
func TestEachEditOfATemplateIsFound(t *testing.T) {
	t.Parallel()
	for _, file := range []string{healthyTemplate, deployedTemplate} {
		raw := readFile(t, file)
		for _, row := range templateRows {
			t.Run(filepath.Base(file)+" "+row.path+" "+row.id, func(t *testing.T) {
				t.Parallel()
				r, err := treat(t, raw, row.path, row.to, Options{Connections: 45})
				if err != nil {
					t.Fatal(err)
				}
				row.check(t, r)
			})
		}
	}
}

func TestHealthyTemplateHasNothingWrong(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct{ connections, ok, skipped int }{
		healthyTemplate: {45, 17, 23}, deployedTemplate: {85, 77, 27}, auroraTemplate: {105, 82, 29}} {
		r, err := Examine(t.Context(), Options{Template: readFile(t, file), Connections: want.connections})
		if err != nil {
			t.Fatal(err)
		}
		declared(t, r)
		if r.Errors+r.Warnings > 0 || r.OK != want.ok || r.Skipped != want.skipped {
			t.Errorf("%s: %d ok, %d skipped\n%s", file, r.OK, r.Skipped, show(r))
		}
	}
}

func TestConnectionsThatAPersonStatesAreEnoughOrNot(t *testing.T) {
	t.Parallel()
	raw := readFile(t, healthyTemplate)
	for n, want := range map[int]provoked{
		45: {"connections", OK, "8 x 5 of MatchFunction: 45 in all, and the database has 45"},
		44: {"connections", Error, "45 in all, and the database has 44 (--connections)"},
		0:  {"connections", Skipped, "--connections N"},
	} {
		r, err := Examine(t.Context(), Options{Template: raw, Connections: n})
		if err != nil {
			t.Fatal(err)
		}
		want.check(t, r)
	}
}
