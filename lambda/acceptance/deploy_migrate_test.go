package acceptance_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"
	"matchbook/lambda/setup/secret/secrettest"
)

// formation is the side of CloudFormation that waits for answers.
type formation struct {
	t        *testing.T
	server   *httptest.Server
	function *lambdahost.Function
	text     *logText

	mu      sync.Mutex
	refuses int // how many answers it does not take
	answers []formationAnswer
}

type formationAnswer struct {
	Status, Reason, PhysicalResourceID, StackID, RequestID, LogicalResourceID string
	Data                                                                      map[string]any
}

func newFormation(t *testing.T, timeout time.Duration, env ...string) *formation {
	t.Helper()
	f := &formation{t: t, text: &logText{}}
	f.server = httptest.NewServer(http.HandlerFunc(f.take))
	t.Cleanup(f.server.Close)
	f.function = lambdahost.New(lambdahost.Config{Name: "migrate",
		Bootstrap: bootstrap(t, manifest.Migrate.Package), Timeout: timeout, Env: append(env, "STAGE=test"),
		Logs: io.MultiWriter(f.text, testLog{t})})
	t.Cleanup(func() { f.function.Close() })
	return f
}

func (f *formation) take(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var a formationAnswer
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil || r.Method != http.MethodPut ||
		r.Header.Get("Content-Type") != "" || r.URL.RawQuery != "signature=PLANTED" {
		f.t.Errorf("%s %s with Content-Type %q: %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
	}
	if f.refuses > 0 {
		f.refuses--
		http.Error(w, "PLANTED", http.StatusForbidden)
		return
	}
	f.answers = append(f.answers, a)
}

// request has CloudFormation ask and returns the answer that it got.
func (f *formation) request(kind string) formationAnswer {
	f.t.Helper()
	event := map[string]any{"RequestType": kind, "RequestId": "request-1", "StackId": "stack-1",
		"LogicalResourceId": "Schema",
		"ResponseURL":       f.server.URL + "/answer?signature=PLANTED", "ResourceType": "Custom::Schema",
		"ResourceProperties": map[string]any{"ServiceToken": "x"}}
	if kind != "Create" {
		event["PhysicalResourceId"] = "matchbook-schema"
	}
	payload := must.Get(json.Marshal(event))(f.t)
	if _, err := f.function.Invoke(f.t.Context(), payload); err != nil {
		f.t.Errorf("%s: %v", kind, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.answers) != 1 {
		f.t.Fatalf("%s: %d answers", kind, len(f.answers))
	}
	a := f.answers[0]
	f.answers = nil
	if a.PhysicalResourceID != "matchbook-schema" || a.StackID != "stack-1" || a.RequestID != "request-1" ||
		a.LogicalResourceID != "Schema" {
		f.t.Errorf("%s: the answer is to another request: %+v", kind, a)
	}
	return a
}

func TestDeploymentMigrates(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	f := newFormation(t, time.Minute, "DATABASE_URL="+url)
	status, err := schema.Status(t.Context(), url)
	must.OK(t, err)
	all := float64(len(status))
	for _, step := range []struct {
		kind    string
		applied float64
	}{{"Delete", 0}, {"Create", all}, {"Update", 0}, {"Update", 0}, {"Delete", 0}} {
		if a := f.request(step.kind); a.Status != "SUCCESS" || a.Reason != "" || a.Data["Applied"] != step.applied {
			t.Errorf("%s: got %+v, want %v applied", step.kind, a, step.applied)
		}
	}
	if status, err = schema.Status(t.Context(), url); err != nil || status[len(status)-1].AppliedAt.IsZero() {
		t.Errorf("the schema is gone: %+v, %v", status, err)
	}
	if out, err := f.function.Invoke(t.Context(), []byte(`{}`)); err != nil || string(out) != `{"applied":[]}` {
		t.Errorf("by hand: %s, %v", out, err)
	}
	if a := f.request("Rename"); a.Status != "FAILED" ||
		!strings.Contains(a.Reason, "expected Create, Update or Delete") {
		t.Errorf("a request that there is not: %+v", a)
	}
	f.refuses = 2
	if a := f.request("Update"); a.Status != "SUCCESS" {
		t.Errorf("when the answer was not taken at first: %+v", a)
	}
	lines, _ := f.text.printed(t)
	wantTraced(t, "migrate", lines)
	if strings.Contains(f.text.String(), "PLANTED") {
		t.Errorf("the signature, or a response's body, is in the log: %s", f.text.String())
	}
}

func TestMigrateByHand(t *testing.T) {
	t.Parallel()
	f := newFormation(t, time.Minute, "DATABASE_URL="+postgrestest.EmptyURL(t))
	out, err := f.function.Invoke(t.Context(), []byte(`{}`))
	if err != nil || !strings.Contains(string(out), `{"version":1,"name":"00001_tenants_and_documents.sql"}`) {
		t.Errorf("got %s, %v", out, err)
	}
}

// Whatever goes wrong, CloudFormation is answered with a sentence, in time.
func TestFailedDeployment(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and never answers
	must.OK(t, err)
	defer silent.Close()
	manager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"AccessDeniedException","message":"PLANTED"}`)
	}))
	defer manager.Close()
	for name, tc := range map[string]struct {
		env  []string
		want string
	}{
		"nobody listens": {[]string{"DATABASE_URL=postgres://app:PLANTED@127.0.0.1:1/x"},
			"connection failed; connection refused by PostgreSQL or a host before it"},
		"nobody answers": {[]string{"DATABASE_URL=postgres://app:PLANTED@" + silent.Addr().String() +
			"/x?sslmode=disable"}, "out of time"},
		"no such database": {[]string{"DATABASE_URL=" + strings.Replace(postgrestest.EmptyURL(t), "/test_", "/gone_",
			1)}, "SQLSTATE 3D000); database not found"},
		"no URL":         {[]string{"DATABASE_URL=PLANTED"}, "invalid PostgreSQL URL"},
		"not configured": {nil, "DATABASE_URL is not set"},
		"no secret": {[]string{"DATABASE_URL_SECRET_ARN=arn:aws:secretsmanager:us-east-1:000000000000:secret:db-AbCdEf",
			"AWS_ENDPOINT_URL_SECRETS_MANAGER=" + manager.URL},
			"DATABASE_URL_SECRET_ARN: secret db-AbCdEf may not be read: allow secretsmanager:GetSecretValue"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFormation(t, 6*time.Second, tc.env...)
			a := f.request("Create")
			if a.Status != "FAILED" || !strings.Contains(a.Reason, tc.want) {
				t.Errorf("got %s: %q, want %q", a.Status, a.Reason, tc.want)
			}
			if _, err := f.function.Invoke(t.Context(), []byte(`{}`)); err == nil ||
				!strings.Contains(err.Error(), tc.want) {
				t.Errorf("by hand: got %v, want %q", err, tc.want)
			}
			if text := f.text.String(); strings.Contains(a.Reason, "PLANTED") || strings.Contains(text, "PLANTED") {
				t.Errorf("a secret was sent: %q\n%s", a.Reason, text)
			}
		})
	}
}

// A secret that only another function needs fails the deployment too, before a migration, with
// the name of each and no value.
//
//nolint:paralleltest // the double of Secrets Manager sets the environment
func TestUnreadableSecretFailsDeployment(t *testing.T) {
	m := secrettest.New(t)
	m.Set("wrong-form", `{"OPENAI_API_KEYS":"PLANTED"}`)
	m.Set("functions", `{"DATABASE_URL":"postgres://app:PLANTED@db/x"}`)
	m.Set("slack", "https://PLANTED.example.com")
	url := postgrestest.EmptyURL(t)
	arn := func(variable, secret string) string { return variable + "_SECRET_ARN=" + secrettest.ARN(secret) }
	env := []string{"DATABASE_URL=" + url, secrettest.URLVariable + "=" + m.URL, "AWS_REGION=eu-central-1",
		"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x", arn("FUNCTIONS_DATABASE_URL", "functions"), arn("SLACK_WEBHOOK_URL", "slack")}
	f := newFormation(t, time.Minute, append(env, arn("OPENAI_API_KEY", "wrong-form"), arn("EVENTS_WEBHOOK_SECRET", "none"))...)
	a := f.request("Update")
	for _, want := range []string{`OPENAI_API_KEY_SECRET_ARN: secret wrong-form-AbCdEf: missing text member "OPENAI_API_KEY"`,
		"EVENTS_WEBHOOK_SECRET_SECRET_ARN: secret none-AbCdEf does not exist"} {
		if a.Status != "FAILED" || !strings.Contains(a.Reason, want) {
			t.Errorf("got %s: %q, want %q", a.Status, a.Reason, want)
		}
	}
	if strings.Contains(a.Reason+f.text.String(), "PLANTED") {
		t.Errorf("a secret was sent: %q\n%s", a.Reason, f.text.String())
	}
	if status := must.Get(schema.Status(t.Context(), url))(t); !status[0].AppliedAt.IsZero() {
		t.Error("the schema changed all the same")
	}
	if a := newFormation(t, time.Minute, env...).request("Update"); a.Status != "SUCCESS" {
		t.Errorf("with readable secrets: %s: %q", a.Status, a.Reason)
	}
}

func TestUnansweredDeployment(t *testing.T) {
	t.Parallel()
	f := newFormation(t, time.Minute, "DATABASE_URL="+postgrestest.EmptyURL(t))
	_, err := f.function.Invoke(t.Context(),
		[]byte(`{"RequestType":"Delete","ResponseURL":"http://127.0.0.1:1/?signature=PLANTED"}`))
	if err == nil || !strings.Contains(err.Error(), "answer CloudFormation, which waits: connection failed") ||
		strings.Contains(err.Error()+f.text.String(), "PLANTED") {
		t.Errorf("got %v", err)
	}
}

// The match function reports in a sentence that there is no database, and keeps
// its message.
func TestColdStartWithoutDB(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1, func(c *local.FunctionConfig) {
		c.NoMapping = true
		c.Env = append(c.Env, "DATABASE_URL=postgres://app:PLANTED@127.0.0.1:1/x")
	})
	event, err := json.Marshal(map[string]any{"Records": []map[string]any{{"messageId": "m-1", "eventSource": "aws:sqs",
		"eventSourceARN": l.Queue.ARN,
		"body":           testTenant.String(), "receiptHandle": "r",
		"attributes": map[string]string{"ApproximateReceiveCount": "1"}}}})
	must.OK(t, err)
	// The claim waits for the database for three quarters of it. On a busy machine the
	// rest may take longer than the fourth; then another function has more time.
	for timeout := 8 * time.Second; ; timeout *= 8 {
		text := &logText{}
		function := lambdahost.New(lambdahost.Config{Name: manifest.Match.Name,
			Bootstrap: bootstrap(t, manifest.Match.Package), Timeout: timeout,
			Logs: io.MultiWriter(text, testLog{t}), Env: l.Env()})
		out, err := function.Invoke(t.Context(), event)
		must.OK(t, function.Close()) // so that its log is complete
		if err != nil && strings.Contains(err.Error(), "Sandbox.Timedout") && timeout < 5*time.Minute {
			continue
		}
		if err != nil || string(out) != `{"batchItemFailures":[{"itemIdentifier":"m-1"}]}` {
			t.Errorf("got %s, %v", out, err)
		}
		if !strings.Contains(text.String(), "claim rows: connection failed") ||
			strings.Contains(text.String(), "PLANTED") {
			t.Errorf("logged %s", text.String())
		}
		return
	}
}
