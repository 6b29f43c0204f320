package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/doctor"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

func TestDoctorErrors(t *testing.T) {
	t.Parallel()
	wantRefused(t, "", "doctor", clitest.Refusals{
		{[]string{"x"}, `unexpected argument "x"`},
		{[]string{"--connections", "-1"}, "invalid --connections -1"},
		{[]string{"--connections", "many"}, `invalid --connections "many": expected a whole number`},
	})
}

func TestDoctorEmptyEnv(t *testing.T) {
	t.Parallel()
	code, out, errOut := matchbook(t, "", "doctor")
	wantIn(t, out, "DATABASE_URL is not set", "QUEUE_URL is not set", "OPENAI_API_KEY is not set", "ERRORS (3)", "SKIPPED (54)")
	if code != cli.ExitFindings || errOut != "" || strings.Count(out, "why  ") != 1 {
		t.Errorf("exit status %d, %q and, with the reason said more than once,\n%s", code, errOut, out)
	}
}

// A database that accepts and says nothing.
func TestDoctorProgress(t *testing.T) {
	t.Parallel()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	code, out, errOut := matchbook(t, "postgres://hidden:hidden@"+listener.Addr().String()+"/db?sslmode=disable&connect_timeout=3", "doctor")
	if code != cli.ExitFindings || errOut != "asking the database ...\n" || !strings.Contains(out, "the database does not answer") || strings.Contains(out, "hidden") {
		t.Errorf("exit status %d, %q and\n%s", code, errOut, out)
	}
}

// deployedStack is a stack of one function.
type deployedStack struct {
	env     map[string]any
	queue   string // its name
	reports string // "ReportBatchItemFailures"

	concurrency string // JSON of what is reserved; empty: nothing
}

// serve returns the endpoints of the stack, each by its own variable of the SDK, as
// with AWS.
func (s *deployedStack) serve(t *testing.T) map[string]string {
	t.Helper()
	serve := func(h http.HandlerFunc) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	functions := serve(func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]string{
			"/2015-03-31/functions/match/aliases":  `{"Aliases":[{"Name":"live","FunctionVersion":"1"}]}`,
			"/2015-03-31/functions/match/versions": `{"Versions":[{"Version":"1"}]}`,
			"/2015-03-31/functions/arn:aws:lambda:us-east-1:000000000000:function:match:live/configuration": textOf(json.Marshal(map[string]any{"Timeout": 180, "Runtime": "provided.al2023", "Handler": "bootstrap",
				"MemorySize": 512, "Environment": map[string]any{"Variables": s.env}})),
			"/2019-09-30/functions/match/concurrency": cmp.Or(s.concurrency, `{}`),
			"/2015-03-31/event-source-mappings": `{"EventSourceMappings":[{"UUID":"u","State":"Enabled","BatchSize":10,"FunctionArn":"arn:aws:lambda:us-east-1:000000000000:function:match:live",
				"EventSourceArn":"arn:aws:sqs:us-east-1:000000000000:` + s.queue + `","FunctionResponseTypes":[` + s.reports + `],"ScalingConfig":{"MaximumConcurrency":8}}]}`,
		}
		if answers[strings.TrimSuffix(r.URL.Path, "/")] == "" {
			http.Error(w, r.URL.Path, http.StatusNotFound)
		}
		_, _ = io.WriteString(w, answers[strings.TrimSuffix(r.URL.Path, "/")])
	})
	stacks := serve(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries><member><PhysicalResourceId>match</PhysicalResourceId>`+
			`<ResourceType>AWS::Lambda::Function</ResourceType></member></StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`)
	})
	return map[string]string{"AWS_ENDPOINT_URL_CLOUDFORMATION": stacks, "AWS_ENDPOINT_URL_LAMBDA": functions, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}
}

func textOf(raw []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// The SDK reads the process's own environment.
//
//nolint:paralleltest // it sets the environment
func TestDoctorStack(t *testing.T) {
	queues := httptest.NewServer(sqs.New(clock.New()))
	t.Cleanup(queues.Close)
	urls := must.Get(local.CreateQueue(t.Context(), queues.URL, "match", manifest.Match))(t)
	env := map[string]any{"DATABASE_URL": postgrestest.URL(t), "QUEUE_URL": urls.Queue, "MATCH_MODE": "rules", "EMAIL_FROM": "a@example.com", "EMAIL_TO": "b@example.com"}
	stack := &deployedStack{env: env, queue: "match"}
	set := stack.serve(t)
	maps.Copy(set, map[string]string{"AWS_ENDPOINT_URL_SQS": queues.URL})
	for name, value := range set {
		t.Setenv(name, value)
	}
	code, out, errOut := matchbook(t, "", "doctor", "--stack", "matchbook-dev")
	if code != cli.ExitFindings || !strings.Contains(out, "ERRORS (1)\n  batch-failures        u: ReportBatchItemFailures is not on\n") || !strings.Contains(out, "\nErrors 1, warnings 0, ") {
		t.Errorf("exit status %d, %q and\n%s", code, errOut, out)
	}
	_, page := clitest.Shown(t, "matchbook doctor --stack")
	clitest.WantShown(t, page, out)
	code, out, _ = matchbook(t, "", "doctor", "--json", "--stack", "matchbook-dev")
	r := decode[doctor.Report](t, out)
	if code != cli.ExitFindings || r.Errors != 1 || len(r.Findings) != r.Errors+r.Warnings+r.Skipped+r.OK || r.Findings[0].ID != "batch-failures" || r.Findings[0].Severity != doctor.Error ||
		!strings.Contains(out, `"severity": "error"`) || !strings.Contains(out, `"target": "the stack matchbook-dev"`) {
		t.Errorf("got %s", out)
	}
	short := manifest.Match
	short.Timeout = 2 * time.Minute // of the queue's visibility, not the function's
	shorter := must.Get(local.CreateQueue(t.Context(), queues.URL, "short", short))(t)
	for _, tc := range []struct {
		queue, url, reports string
		args                []string
		want                int
		errors, warnings    int
	}{
		{"match", urls.Queue, `"ReportBatchItemFailures"`, nil, cli.ExitOK, 0, 0},
		{"match", urls.Queue, `"ReportBatchItemFailures"`, []string{"--strict"}, cli.ExitOK, 0, 0},
		{"short", shorter.Queue, `"ReportBatchItemFailures"`, nil, cli.ExitOK, 0, 1},
		{"short", shorter.Queue, `"ReportBatchItemFailures"`, []string{"--strict"}, cli.ExitFindings, 0, 1},
		{"match", urls.Queue, `"Other"`, nil, cli.ExitFindings, 1, 0},
	} {
		stack.queue, stack.env["QUEUE_URL"], stack.reports = tc.queue, tc.url, tc.reports
		code, out, _ := matchbook(t, "", append([]string{"doctor", "--stack", "matchbook-dev"}, tc.args...)...)
		if code != tc.want || !strings.Contains(out, fmt.Sprintf("\nErrors %d, warnings %d, skipped ", tc.errors, tc.warnings)) {
			t.Errorf("%+v: exit status %d and\n%s", tc, code, out)
		}
	}
	for name, value := range map[string]string{"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	for _, tc := range []struct{ without, want string }{{"AWS_ACCESS_KEY_ID", "missing AWS credentials: set AWS_PROFILE"}, {"AWS_REGION", "missing AWS_REGION"}} {
		t.Setenv(tc.without, "")
		if code, _, errOut := matchbook(t, "", "doctor", "--stack", "matchbook-dev"); code != cli.ExitError || !strings.Contains(errOut, tc.want) {
			t.Errorf("without %s: exit status %d, %q", tc.without, code, errOut)
		}
	}
}
