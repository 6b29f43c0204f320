package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/setup"
)

// Nothing in the table is there without a row that provokes it.
func TestEveryFindingProvoked(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, row := range harms {
		found[row.id+" "+row.severity.String()] = true
	}
	for _, row := range append(slices.Clone(liveRows), aroundRows...) {
		found[row.id+" "+row.severity.String()] = true
	}
	for _, id := range []string{"files", "ocr", "dlq-own"} { // files_test.go, ocr_test.go, rows_test.go
		found[id+" error"] = true
	}
	ids := map[string]bool{}
	for _, c := range checks {
		if ids[c.id] || len(c.raises) == 0 || !strings.HasSuffix(c.why, ".") {
			t.Errorf("%s is there twice, raises nothing or does not say why it matters", c.id)
		}
		ids[c.id] = true
		for _, s := range c.raises {
			if want := c.id + " " + s.String(); !found[want] {
				t.Errorf("no row provokes %s", want)
			}
		}
	}
}

// What was not looked at never passes.
func TestNoFactsSkipped(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]facts{
		"nothing":         {},
		"a line":          {lines: []line{{function: function{name: "match"}}}, functions: []function{{name: "sweep"}}, secrets: []secret{{subject: "x"}}},
		"a known mapping": {lines: []line{{function: function{name: "match"}, mapping: known([]mapping{{enabled: known(true)}})}}},
	} {
		r := examine(checks, f)
		for _, finding := range r.Findings {
			if finding.Severity != Skipped && (name != "a known mapping" || finding.ID != "mapping") || finding.What == "" {
				t.Errorf("%s: %+v", name, finding)
			}
		}
		seen := map[string]bool{}
		for _, finding := range r.Findings {
			seen[finding.ID] = true
		}
		if len(seen) != len(checks) {
			t.Errorf("%s: %d checks of %d have a result", name, len(seen), len(checks))
		}
	}
}

func TestWorstFirst(t *testing.T) {
	t.Parallel()
	say := func(list ...result) check {
		return check{id: fmt.Sprint(len(list)), why: "Because.", look: func(facts) []result { return list }}
	}
	r := examine([]check{say(fine("a", "x"), wrong("b", "Repair it.", "x")), say(skipped("c", "x")), say(), say(doubtful("d", "Repair it.", "x"), fine("e", "x"), wrong("f", "Repair it.", "x"))}, facts{target: "it"})
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Severity.String()+" "+f.Subject)
	}
	if want := []string{"error b", "error f", "warning d", "skipped c", "skipped ", "ok a", "ok e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if r.Errors != 2 || r.Warnings != 1 || r.Skipped != 2 || r.OK != 2 || r.Target != "it" {
		t.Errorf("got %+v", r)
	}
	raw, err := json.Marshal(r)
	var back Report
	if err != nil || json.Unmarshal(raw, &back) != nil || !slices.Equal(back.Findings, r.Findings) || !strings.Contains(string(raw), `"severity":"error","subject":"b"`) {
		t.Errorf("got %s, %v", raw, err)
	}
}

// actions are the rights for the calls that a rig sees.
var actions = map[string][]string{
	"AmazonSQS.GetQueueAttributes": {"sqs:GetQueueAttributes"}, "AmazonSQS.GetQueueUrl": {"sqs:GetQueueUrl"},
	"DescribeAlarms": {"cloudwatch:DescribeAlarms"}, "DescribeKey": {"kms:DescribeKey"}, "TrentService.DescribeKey": {"kms:DescribeKey"},
	"DescribeSecret": {"secretsmanager:DescribeSecret"}, "secretsmanager.DescribeSecret": {"secretsmanager:DescribeSecret"},
	"secretsmanager.GetSecretValue":                 {"secretsmanager:GetSecretValue"},
	"GET /files/documents/doctor-looks-for-no-file": {"s3:GetObject", "s3:ListBucket"},
	"GetBucketEncryption":                           {"s3:GetEncryptionConfiguration"}, "GetBucketNotification": {"s3:GetBucketNotification"},
	"GetFunctionConcurrency": {"lambda:GetFunctionConcurrency"}, "GetFunctionConfiguration": {"lambda:GetFunctionConfiguration"},
	"ListAliases": {"lambda:ListAliases"}, "ListEventSourceMappings": {"lambda:ListEventSourceMappings"},
	"ListVersionsByFunction": {"lambda:ListVersionsByFunction"}, "GetSchedule": {"scheduler:GetSchedule"},
	"ListStackResources":      {"cloudformation:ListStackResources"},
	"ec2:DescribeRouteTables": {"ec2:DescribeRouteTables"}, "ec2:DescribeSecurityGroups": {"ec2:DescribeSecurityGroups"},
	"ec2:DescribeVpcEndpoints": {"ec2:DescribeVpcEndpoints"},
	"iam:GetPolicy":            {"iam:GetPolicy"}, "iam:GetPolicyVersion": {"iam:GetPolicyVersion"}, "iam:GetRole": {"iam:GetRole"},
	"iam:GetRolePolicy": {"iam:GetRolePolicy"}, "iam:ListAttachedRolePolicies": {"iam:ListAttachedRolePolicies"},
	"iam:ListRolePolicies": {"iam:ListRolePolicies"},
}

// The policy on the page is all that is ever called.
func TestStackReadOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t, postgrestest.URL(t))
	r.use(postgrestest.EmptyURL(t))
	watches(r)
	inVPC(r)
	r.around.attached, r.around.attributes["KmsMasterKeyId"] = everything, "alias/orders"
	r.examine(true)
	delete(r.asked, "")
	delete(r.asked, "AmazonSQS.CreateQueue") // the rig's own
	var needs []string
	for call := range r.asked {
		action, ok := actions[strings.TrimSpace(call)]
		if !ok {
			t.Errorf("unknown call %s", call)
		}
		needs = append(needs, action...)
	}
	slices.Sort(needs)
	page := string(must.Get(os.ReadFile("README.md"))(t))
	_, text, _ := strings.Cut(page, "```json\n")
	text, _, _ = strings.Cut(text, "```")
	var document struct{ Statement []struct{ Action []string } }
	must.OK(t, json.Unmarshal([]byte(text), &document))
	var allowed []string
	for _, statement := range document.Statement {
		allowed = append(allowed, statement.Action...)
	}
	slices.Sort(allowed)
	if needs = slices.Compact(needs); !slices.Equal(needs, allowed) {
		t.Errorf("it calls %q, and its page allows %q", needs, allowed)
	}
	var tables int
	conn := postgrestest.Conn(t, r.secrets[r.dir+"database-url"])
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace").Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%d tables in a database that was only looked at, %v", tables, err)
	}
}

// Two calls, and an empty message; without --ask none.
func TestAskIsCheap(t *testing.T) {
	t.Parallel()
	for _, ask := range []bool{true, false} {
		r := newRig(t, postgrestest.URL(t))
		var sent []string
		knocked := r.slack
		r.slack = func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			sent = append(sent, req.Method+" "+string(body))
			knocked(w, req)
		}
		r.look.Ask = ask
		r.examine(false)
		calls := r.model.Calls()
		if !ask {
			if len(calls)+len(sent) > 0 {
				t.Errorf("asked %v, sent %v", calls, sent)
			}
			continue
		}
		t.Logf("%+v", r.model.Usage())
		if len(calls) != 2 || r.model.Usage().TotalTokens > 150 || !slices.Equal(sent, []string{"POST {}"}) {
			t.Errorf("%d calls for %+v, sent %q", len(calls), r.model.Usage(), sent)
		}
	}
}

// A stack has several functions with the same secrets and services.
func TestServicesAskedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://user@localhost/database")
	r.look.Progress = func(string) {}
	knocks, knocked := 0, r.slack
	r.slack = func(w http.ResponseWriter, req *http.Request) { knocks++; knocked(w, req) }
	var f facts
	for range 2 {
		env := variables{}
		for name, text := range r.env {
			if text != "" {
				env[name] = text
			}
		}
		r.look.ask(t.Context(), &f, r.look.secrets(t.Context(), &f, env), manifest.Match)
		clear(r.secrets) // a second look would find none
	}
	if n := len(r.model.Calls()); n != 2 || knocks != 1 || len(f.secrets) != 3 {
		t.Errorf("the models were asked %d times, Slack %d times; secrets %+v", n, knocks, f.secrets)
	}
}

// What is not on the list of variables is not checked.
func TestEnvironmentComplete(t *testing.T) {
	t.Parallel()
	_, _ = setup.LoadFunction(func(name string) string { // its problems are of no interest
		if !slices.Contains(names, name) {
			t.Errorf("%s is not looked at", name)
		}
		return ""
	}, manifest.Match)
}

// A queue of the same name may be here, too.
func TestForeignRegionQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://user@localhost/database")
	for id, known := range map[string]bool{region + ":000000000000:match": true, "eu-west-1:000000000000:match": false, "match": false} {
		if q, said := r.look.cloud.queueOf(t.Context(), id); q.is != known || strings.Contains(string(said.value), "expected a queue of region") == known {
			t.Errorf("%s: got %+v, %q", id, q, said.value)
		}
	}
}

func TestUnreadableStack(t *testing.T) {
	t.Parallel()
	database := postgrestest.URL(t)
	for name, tc := range map[string]struct {
		harm func(*rig)
		want string
	}{
		"no such stack":       {func(r *rig) { r.look.Stack = "other" }, "stack not found: other in us-east-1; check its name, AWS_REGION and the account"},
		"denied":              {func(r *rig) { r.refuse["ListStackResources"] = "AccessDenied" }, "read stack matchbook-dev: AWS error (AccessDenied)"},
		"no functions":        {func(r *rig) { r.resources = r.resources[:2] }, "expected functions of Matchbook with SQS queues"},
		"mappings denied":     {func(r *rig) { r.refuse["ListEventSourceMappings"] = "AccessDeniedException" }, "list the event source mappings of match: AWS error (AccessDeniedException)"},
		"aliases denied":      {func(r *rig) { r.refuse["ListAliases"] = "AccessDeniedException" }, "list the aliases of match"},
		"function denied":     {func(r *rig) { r.refuse["GetFunctionConfiguration"] = "AccessDeniedException" }, "read function match"},
		"function gone since": {func(r *rig) { r.resources[2]["id"] = "gone" }, "read function gone: AWS error (ResourceNotFoundException)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, database)
			r.look.Stack = "matchbook-dev"
			tc.harm(r)
			report, err := r.look.examine(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("got %v and\n%s", err, show(report))
			}
		})
	}
}

// An interruption is not reported as a broken deployment.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	r := newRig(t, postgrestest.URL(t))
	ctx, cancel := context.WithCancel(t.Context())
	r.look.Progress = func(step string) {
		if step == "asking the queue" {
			cancel()
		}
	}
	report, err := r.look.examine(ctx)
	if !errors.Is(err, context.Canceled) || len(report.Findings) > 0 {
		t.Errorf("got %v and\n%s", err, show(report))
	}
}

// 8 x 5 of match, 2 of the sweep, 2 of migrate and 1 of schedule are 45.
func TestConnectionsLeft(t *testing.T) {
	t.Parallel()
	for s, want := range map[server]string{
		{most: 45}:                          "",
		{most: 44}:                          "Let the database have 1 more connection, or lower MaximumConcurrency of match to 7.",
		{most: 50, reserved: 3, others: 2}:  "",
		{most: 50, reserved: 4, others: 2}:  "Let the database have 1 more connection, or lower MaximumConcurrency of match to 7.",
		{most: 50, reserved: 3, others: 3}:  "Let the database have 1 more connection, or lower MaximumConcurrency of match to 7.",
		{most: 20, reserved: 3, others: 2}:  "Let the database have 30 more connections, or lower MaximumConcurrency of match to 2.",
		{most: 20, reserved: 3, others: 3}:  "Let the database have 31 more connections.",
		{most: 20, reserved: 3, others: 40}: "Let the database have 68 more connections.",
	} {
		l := line{function: function{name: "match", row: manifest.Function{PoolSize: 5}}, mapping: known([]mapping{{most: known(8)}})}
		if got := connections(facts{lines: []line{l}, server: known(s)})[0]; got.do != want || (want == "") != (got.severity == OK) {
			t.Errorf("%+v: got %+v, want %q", s, got, want)
		}
	}
}

// A clock that may be right is not reported: the way to the database took that long.
func TestClockUncertainty(t *testing.T) {
	t.Parallel()
	for within, want := range map[time.Duration]Severity{0: Error, 5 * time.Second: Error, 38 * time.Second: Warning,
		39 * time.Second: OK, time.Minute: OK} {
		for _, ahead := range []time.Duration{40 * time.Second, -40 * time.Second} {
			got := clock(facts{skew: known(checkup.Skew{Ahead: ahead, Within: within})})
			if len(got) != 1 || got[0].severity != want {
				t.Errorf("%s, within %s: got %+v, want %s", ahead, within, got, want)
			}
		}
	}
}

func TestQueueID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"arn:aws:sqs:eu-central-1:123456789012:match":                "eu-central-1:123456789012:match",
		"arn:aws-cn:sqs:cn-north-1:123456789012:match":               "cn-north-1:123456789012:match",
		"https://sqs.eu-central-1.amazonaws.com/123456789012/match":  "eu-central-1:123456789012:match",
		"https://sqs.cn-north-1.amazonaws.com.cn/123456789012/match": "cn-north-1:123456789012:match",
		"http://127.0.0.1:9324/000000000000/match":                   "us-east-1:000000000000:match",
		"http://[::1]:9324/000000000000/match/":                      "us-east-1:000000000000:match",
		"match":                                                      "match",
		"":                                                           "",
		"http://%zz":                                                 "http://%zz",
	} {
		if got := queueID(text, "us-east-1"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestShortDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "0s", 30 * time.Second: "30s", 18 * time.Minute: "18m", 12 * time.Hour: "12h",
		11*time.Hour + 58*time.Minute: "11h58m", 10 * time.Minute: "10m", 24 * time.Hour: "1 day", 14 * 24 * time.Hour: "14 days", 3*time.Minute + time.Second: "3m1s", 20 * time.Hour: "20h"} {
		if got := short(d); got != want {
			t.Errorf("%d: got %q, want %q", d, got, want)
		}
	}
}
