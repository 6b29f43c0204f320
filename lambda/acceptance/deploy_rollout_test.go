package acceptance_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/contract"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/migrations"

	"github.com/google/uuid"
)

// mainPackages are the functions' by their names.
func mainPackages() map[string]string {
	list := map[string]string{}
	for _, f := range manifest.Functions() {
		list[f.Name] = f.Package
	}
	for _, task := range append(manifest.Tasks(), manifest.OptionalTasks()...) {
		list[task.Name] = task.Package
	}
	return list
}

// minimal is the environment that a function's contract requires.
func minimal(f contract.Function, database string) []string {
	env := []string{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x"}
	known := map[string]string{variable.DatabaseURL: database, variable.BlobURL: "file:///tmp", variable.AdminBaseURL: "https://localhost",
		variable.OIDCIssuer: "https://localhost"}
	for _, v := range f.Environment {
		switch value := known[v.Name]; {
		case !v.Required:
		case value != "":
			env = append(env, v.Name+"="+value)
		case strings.HasSuffix(v.Name, variable.QueueURL):
			env = append(env, v.Name+"=https://sqs.eu-central-1.amazonaws.com/000000000000/queue")
		default:
			env = append(env, v.Name+"="+strings.Repeat("known-to-a-deployment-only", 2))
		}
	}
	return env
}

func host(t *testing.T, f contract.Function, logs io.Writer, env ...string) *lambdahost.Function {
	t.Helper()
	h := lambdahost.New(lambdahost.Config{Name: f.Name, Bootstrap: bootstrap(t, mainPackages()[f.Name]), Timeout: time.Minute, Env: env, Logs: logs})
	t.Cleanup(func() { h.Close() })
	return h
}

func described(name string) contract.Function {
	for _, f := range contract.Describe("1").Functions {
		if f.Name == name {
			return f
		}
	}
	return contract.Function{}
}

// Each function that takes traffic answers a probe, and refuses a schema that is too old for it.
func TestFunctionsAnswerProbes(t *testing.T) {
	t.Parallel()
	database, old := postgrestest.URL(t), postgrestest.EmptyURL(t)
	for _, f := range contract.Describe("1").Functions {
		if f.Name == manifest.Migrate.Name {
			continue
		}
		got, err := host(t, f, testLog{t}, minimal(f, database)...).Invoke(t.Context(), []byte(`{ "matchbook": "probe" }`))
		var ready struct{ Schema, Needs int64 }
		if err != nil || json.Unmarshal(got, &ready) != nil || ready.Schema != migrations.Newest || ready.Needs != migrations.Newest {
			t.Errorf("%s: got %s, %v", f.Name, got, err)
		}
	}
	match := described(manifest.Match.Name)
	if _, err := host(t, match, testLog{t}, minimal(match, old)...).Invoke(t.Context(), []byte(`{"matchbook":"probe"}`)); err == nil ||
		!strings.Contains(err.Error(), "schema version 0 is older than this function's") {
		t.Errorf("without a schema: got %v", err)
	}
}

// codeDeploy plays CodeDeploy and Lambda over HTTP. It deploys version 12 of the match function.
type codeDeploy struct {
	t       *testing.T
	version *lambdahost.Function // nil: it never answers
	event   string               // in progress

	mu       sync.Mutex
	answered []string
}

func (d *codeDeploy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, call, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	switch call {
	case "ListDeploymentTargets":
		if !strings.Contains(string(body), "d-1") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"__type":"DeploymentDoesNotExistException"}`)
			return
		}
		_, _ = io.WriteString(w, `{"targetIds":["matchbook-dev-match"]}`)
	case "BatchGetDeploymentTargets":
		_, _ = io.WriteString(w, `{"deploymentTargets":[{"deploymentTargetType":"LambdaFunction","lambdaTarget":{
			"lambdaFunctionInfo":{"functionName":"matchbook-dev-match","functionAlias":"live","currentVersion":"11","targetVersion":"12"},
			"lifecycleEvents":[{"lifecycleEventName":"BeforeAllowTraffic","status":"Succeeded"},
			{"lifecycleEventName":"`+d.event+`","status":"InProgress"}]}}]}`)
	case "PutLifecycleEventHookExecutionStatus":
		var in struct{ DeploymentID, LifecycleEventHookExecutionID, Status string }
		_ = json.Unmarshal(body, &in)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.answered = append(d.answered, in.DeploymentID+" "+in.LifecycleEventHookExecutionID+" "+in.Status)
		_, _ = io.WriteString(w, `{}`)
	default:
		if r.URL.Path != "/2015-03-31/functions/matchbook-dev-match/invocations" || r.URL.Query().Get("Qualifier") != "12" {
			d.t.Errorf("%s %s", r.Method, r.URL)
		}
		if d.version == nil {
			<-r.Context().Done()
			return
		}
		out, err := d.version.Invoke(r.Context(), body)
		if err != nil {
			w.Header().Set("X-Amz-Function-Error", "Unhandled")
			out = []byte(`{"errorMessage":"PLANTED"}`)
		}
		_, _ = w.Write(out)
	}
}

// The migrate function tells CodeDeploy of each new version whether it can work and, after
// traffic, whether it did. It answers whatever happens.
func TestNewVersionIsChecked(t *testing.T) {
	t.Parallel()
	const before, after = "BeforeAllowTraffic", "AfterAllowTraffic"
	good, old := postgrestest.URL(t), postgrestest.EmptyURL(t)
	attempts := func(version, outcome string, n int) string {
		url := postgrestest.URL(t)
		conn := postgrestest.Conn(t, url)
		for range n {
			must.Get(conn.Exec(t.Context(), `INSERT INTO attempt (tenant_id, row_id, subject, number, claimed_at, lease_until, worker, request, ended_at, outcome, due_at)
				VALUES ($1, $2, 'document', 1, now(), now() - interval '1 second', $3, '', CASE WHEN $4 <> '' THEN now() END, nullif($4, ''), now())`,
				testTenant, uuid.New(), "2026/11/27/["+version+"]0123abcd", outcome))(t)
		}
		return url
	}
	for name, tc := range map[string]struct {
		event, database string
		env             []string // of the new version; nil: it never answers
		timeout         time.Duration
		want, reason    string
	}{
		"a good version":        {before, good, minimal(described("match"), good), time.Minute, "Succeeded", ""},
		"without configuration": {before, good, []string{"X=1"}, time.Minute, "Failed", "its log group /aws/lambda/matchbook-dev-match has the reason"},
		"an older schema":       {before, good, minimal(described("match"), old), time.Minute, "Failed", "can't work"},
		"no answer":             {before, good, nil, 2 * time.Second, "Failed", "out of time"},
		"no work yet":           {after, good, minimal(described("match"), good), time.Minute, "Succeeded", ""},
		"all failed":            {after, attempts("12", "failed", 3), minimal(described("match"), good), time.Minute, "Failed", "3 attempts failed"},
		"all crashed":           {after, attempts("12", "", 3), minimal(described("match"), good), time.Minute, "Failed", "3 crashed"},
		"the old one failed":    {after, attempts("11", "failed", 3), minimal(described("match"), good), time.Minute, "Succeeded", ""},
		"all succeeded":         {after, attempts("12", "succeeded", 3), minimal(described("match"), good), time.Minute, "Succeeded", ""},
		"too few":               {after, attempts("12", "pending", 2), minimal(described("match"), good), time.Minute, "Succeeded", ""},
		"not after traffic":     {before, attempts("12", "failed", 3), minimal(described("match"), good), time.Minute, "Succeeded", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &codeDeploy{t: t, event: tc.event}
			if tc.env != nil {
				d.version = host(t, described("match"), io.Discard, tc.env...)
			}
			server := httptest.NewServer(d)
			defer server.Close()
			var text logText
			migrate := lambdahost.New(lambdahost.Config{Name: "migrate", Bootstrap: bootstrap(t, manifest.Migrate.Package), Timeout: tc.timeout,
				Logs: io.MultiWriter(&text, testLog{t}), Env: []string{"DATABASE_URL=" + tc.database, "AWS_ENDPOINT_URL=" + server.URL,
					"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x"}})
			defer migrate.Close()
			_, err := migrate.Invoke(t.Context(), []byte(`{"DeploymentId":"d-1","LifecycleEventHookExecutionId":"e-1"}`))
			must.OK(t, err)
			if got := strings.Join(d.answered, ", "); got != "d-1 e-1 "+tc.want {
				t.Errorf("got %q, want %s", got, tc.want)
			}
			if !strings.Contains(text.String(), tc.reason) || strings.Contains(text.String(), "PLANTED") {
				t.Errorf("want the reason %q in the log: %s", tc.reason, text.String())
			}
		})
	}
}

// A function that can't answer CodeDeploy fails the deployment before the migrations.
func TestUnreachableCodeDeploy(t *testing.T) {
	t.Parallel()
	aws := httptest.NewServer(&codeDeploy{t: t})
	defer aws.Close()
	for endpoint, want := range map[string]string{aws.URL: "", "http://127.0.0.1:1": "give it a route to CodeDeploy, or deploy with rollout=all-at-once"} {
		f := newFormation(t, time.Minute, "DATABASE_URL="+postgrestest.EmptyURL(t), "ROLLOUT=matchbook-dev", "AWS_ENDPOINT_URL="+endpoint,
			"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x")
		if a := f.request("Create"); (a.Status == "SUCCESS") != (want == "") || !strings.Contains(a.Reason, want) {
			t.Errorf("%s: got %s: %q, want %q", endpoint, a.Status, a.Reason, want)
		}
	}
}
