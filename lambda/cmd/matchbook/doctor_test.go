package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/doctor"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

const healthyTemplate = "../../../testdata/doctor/healthy.template.json"

// edited is a copy of the healthy template with some of its text replaced.
func edited(t *testing.T, oldNew ...string) (file string) {
	t.Helper()
	raw, err := os.ReadFile(healthyTemplate)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(oldNew); i += 2 {
		if !bytes.Contains(raw, []byte(oldNew[i])) {
			t.Fatalf("the template has no %s", oldNew[i])
		}
		raw = bytes.ReplaceAll(raw, []byte(oldNew[i]), []byte(oldNew[i+1]))
	}
	file = filepath.Join(t.TempDir(), "edited.template.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	noReports = `"ReportBatchItemFailures"`
	warned    = `"VisibilityTimeout": 1080`
)

func TestDoctorExitsBySeverity(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		edits []string
		args  []string
		want  int
		last  string
	}{
		{nil, nil, cli.ExitOK, "Errors 0, warnings 0, skipped 24, ok 16\n"},
		{nil, []string{"--strict", "--connections", "45"}, cli.ExitOK, "Errors 0, warnings 0, skipped 23, ok 17\n"},
		{nil, []string{"--connections", "44"}, cli.ExitFindings, "Errors 1, warnings 0, skipped 23, ok 16\n"},
		{[]string{warned, `"VisibilityTimeout": 1000`}, nil, cli.ExitOK, "Errors 0, warnings 1, skipped 24, ok 15\n"},
		{[]string{warned, `"VisibilityTimeout": 1000`}, []string{"--strict"}, cli.ExitFindings, "Errors 0, warnings 1, skipped 24, ok 15\n"},
		{[]string{noReports, `"Other"`}, nil, cli.ExitFindings, "Errors 1, warnings 0, skipped 24, ok 15\n"},
	} {
		args := append([]string{"doctor", "--template", edited(t, tc.edits...)}, tc.args...)
		code, out, errOut := matchbook(t, "", args...)
		if code != tc.want || !strings.HasSuffix(out, tc.last) || errOut != "" {
			t.Errorf("%v %v: exit status %d, %q and\n%s", tc.edits, tc.args, code, errOut, out)
		}
	}
}

func TestDoctorAsJSON(t *testing.T) {
	t.Parallel()
	code, out, _ := matchbook(t, "", "doctor", "--json", "--template", edited(t, noReports, `"Other"`))
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != cli.ExitFindings {
		t.Fatalf("exit status %d, %v, %s", code, err, out)
	}
	if r.Errors != 1 || len(r.Findings) != r.Errors+r.Warnings+r.Skipped+r.OK || r.Findings[0].ID != "batch-failures" || r.Findings[0].Severity != doctor.Error ||
		!strings.Contains(out, `"severity": "error"`) || !strings.Contains(out, `"target": "the template"`) {
		t.Errorf("got %s", out)
	}
}

func TestDoctorErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(text, []byte("Resources:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large.json")
	if err := os.WriteFile(large, bytes.Repeat([]byte(" "), 4<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"x"}, `unknown command "x"`},
		{[]string{"--template", "/nowhere"}, "--template: open /nowhere: no such file"},
		{[]string{"--template", t.TempDir()}, "is a directory"},
		{[]string{"--template", text}, "the template is no JSON: cdk synth writes one into cdk.out/STACK.template.json"},
		{[]string{"--template", large}, "is larger than CloudFormation accepts"},
		{[]string{"--template", healthyTemplate, "--stack", "x"}, "--template and --stack: one of them"},
		{[]string{"--connections", "-1"}, "--connections is negative"},
		{[]string{"--connections", "many"}, "invalid argument"},
	} {
		code, out, errOut := matchbook(t, "", append([]string{"doctor"}, tc.args...)...)
		if code != cli.ExitError || out != "" || !strings.Contains(errOut, tc.want) {
			t.Errorf("%v: exit status %d, %q and %q, want %d and %q", tc.args, code, out, errOut, cli.ExitError, tc.want)
		}
	}
	code, out, _ := matchbook(t, "", "doctor", "--help")
	if code != cli.ExitOK || strings.Count(out, "\n  matchbook doctor") < 4 || !strings.Contains(out, "Exit status: 0 no error") || !strings.Contains(out, "--strict") {
		t.Errorf("exit status %d, %q", code, out)
	}
}

func TestDoctorOfAnEmptyEnvironmentNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	code, out, errOut := matchbook(t, "", "doctor")
	for _, want := range []string{"DATABASE_URL is not set", "QUEUE_URL is not set", "OPENAI_API_KEY is not set", "ERRORS (3)", "SKIPPED (31)"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	if code != cli.ExitFindings || errOut != "" || strings.Count(out, "why  ") != 1 {
		t.Errorf("exit status %d, %q and, with the reason said more than once,\n%s", code, errOut, out)
	}
}

// A database that accepts and says nothing.
func TestDoctorSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	code, out, errOut := matchbook(t, "postgres://hidden:hidden@"+listener.Addr().String()+"/db?sslmode=disable&connect_timeout=3", "doctor")
	if code != cli.ExitFindings || errOut != "asking the database ...\n" || !strings.Contains(out, "the database does not answer") || strings.Contains(out, "hidden") {
		t.Errorf("exit status %d, %q and\n%s", code, errOut, out)
	}
}

// stackServers are the endpoints of a deployed stack, each by its own variable
// of the SDK, as with AWS.
func stackServers(t *testing.T, env map[string]any) map[string]string {
	t.Helper()
	serve := func(h http.HandlerFunc) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	functions := serve(func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]string{
			"/2015-03-31/functions/match/aliases":       `{}`,
			"/2015-03-31/functions/match/configuration": must(json.Marshal(map[string]any{"Timeout": 180, "Environment": map[string]any{"Variables": env}})),
			"/2019-09-30/functions/match/concurrency":   `{}`,
			"/2015-03-31/event-source-mappings": `{"EventSourceMappings":[{"UUID":"u","State":"Enabled","BatchSize":10,"FunctionArn":"match",
				"EventSourceArn":"arn:aws:sqs:us-east-1:000000000000:match","ScalingConfig":{"MaximumConcurrency":8}}]}`,
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

func must(raw []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// The SDK reads the process's own environment.
//
//nolint:paralleltest // it sets the environment
func TestDoctorOfADeployedStack(t *testing.T) {
	queues := httptest.NewServer(sqs.New(clock.New()))
	t.Cleanup(queues.Close)
	urls, err := local.CreateQueue(t.Context(), queues.URL, "match", manifest.Match)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]any{"DATABASE_URL": postgrestest.URL(t), "QUEUE_URL": urls.Queue, "MATCH_MODE": "rules", "SLACK_WEBHOOK_URL": "https://localhost/hook"}
	set := stackServers(t, env)
	maps.Copy(set, map[string]string{"AWS_ENDPOINT_URL_SQS": queues.URL})
	for name, value := range set {
		t.Setenv(name, value)
	}
	code, out, errOut := matchbook(t, "", "doctor", "--stack", "matchbook-dev")
	if code != cli.ExitFindings || !strings.Contains(out, "ERRORS (1)\n  batch-failures        u: ReportBatchItemFailures is not on\n") || !strings.Contains(out, "\nErrors 1, warnings 0, ") {
		t.Errorf("exit status %d, %q and\n%s", code, errOut, out)
	}
	for name, value := range map[string]string{"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	for _, tc := range []struct{ without, want string }{{"AWS_ACCESS_KEY_ID", "there are no AWS credentials: set AWS_PROFILE"}, {"AWS_REGION", "AWS_REGION is not set"}} {
		t.Setenv(tc.without, "")
		if code, _, errOut := matchbook(t, "", "doctor", "--stack", "matchbook-dev"); code != cli.ExitError || !strings.Contains(errOut, tc.want) {
			t.Errorf("without %s: exit status %d, %q", tc.without, code, errOut)
		}
	}
}
