package lambdahost

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

func TestInvoke(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{})
	for _, payload := range []string{`{"do":"echo","n":1}`, `{"do":"echo","n":2}`} {
		if got := mustInvoke(t, f, payload); got != payload {
			t.Errorf("got %s, want %s", got, payload)
		}
	}
}

func TestLambdaContext(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{Timeout: time.Hour})
	var got struct {
		ID, ARN, Trace string
		Left           time.Duration
	}
	must.OK(t, json.Unmarshal([]byte(mustInvoke(t, f, `{"do":"context"}`)), &got))
	if len(got.ID) != 36 || got.ARN != "arn:aws:lambda:us-east-1:000000000000:function:test" {
		t.Errorf("id %q, arn %q", got.ID, got.ARN)
	}
	if !strings.HasPrefix(got.Trace, "Root=1-") ||
		len(strings.Split(got.Trace, ";")[0]) != len("Root=1-58406520-a006649127e371903a2de979") {
		t.Errorf("trace id %q", got.Trace)
	}
	if got.Left > time.Hour || got.Left < 59*time.Minute {
		t.Errorf("%v left, want just below the timeout of 1h", got.Left)
	}
}

func TestNoInheritedSecrets(t *testing.T) {
	t.Setenv("SLACK_WEBHOOK_URL", "secret")
	t.Setenv("AWS_ACCESS_KEY_ID", "secret")
	f := newTestFunction(t, Config{MemoryMB: 512, Env: []string{"QUEUE_URL=here", "AWS_SECRET_ACCESS_KEY=given",
		"TZ=Europe/Berlin"}})
	out := mustInvoke(t, f, `{"do":"env"}`)
	if strings.Contains(out, "SLACK") || strings.Contains(out, "secret") {
		t.Errorf("our environment leaks: %s", out)
	}
	var env []string
	must.OK(t, json.Unmarshal([]byte(out), &env))
	for _, want := range []string{
		"QUEUE_URL=here", "AWS_SECRET_ACCESS_KEY=given", "AWS_ACCESS_KEY_ID=local", "AWS_REGION=us-east-1", "TZ=:UTC",
		"AWS_DEFAULT_REGION=us-east-1", "AWS_LAMBDA_FUNCTION_NAME=test", "AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512", "_HANDLER=bootstrap", "PATH=" + os.Getenv("PATH"),
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %v", want, env)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{})
	tests := []struct{ do, kind, message string }{
		{"error", "errorString", "unknown document"},
		{"panic", "string", "out of paper"},
		{"exit", "Runtime.ExitError", "exit status 7"},
		{"big", "Function.ResponseSizeTooLarge", "6291456 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.do, func(t *testing.T) {
			got := invokeError(t, f, `{"do":"`+tt.do+`"}`)
			if got.Type != tt.kind || !strings.Contains(got.Message, tt.message) {
				t.Errorf("got %v, want %s with %q", got, tt.kind, tt.message)
			}
			// The one environment that there may be is free, or replaced, at once.
			mustInvoke(t, f, `{"do":"echo"}`)
		})
	}
}

func TestWholeLogLines(t *testing.T) {
	t.Parallel()
	var logs bytes.Buffer // safe to read once the process has ended
	f := newTestFunction(t, Config{Logs: &logs})
	_ = invokeError(t, f, `{"do":"log"}`)
	if got, want := logs.String(), "first\nsecond\nno newline\n"; got != want {
		t.Errorf("logs %q, want %q", got, want)
	}
}

func TestInvokeOverHTTP(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{})
	srv := httptest.NewServer(f)
	defer srv.Close()
	const path = "/2015-03-31/functions/function/invocations"
	tests := []struct {
		name, path, payload string
		status              int
		failed, body        string
	}{
		{"answer", path, `{"do":"echo"}`, 200, "", `{"do":"echo"}`},
		{"own name", "/2015-03-31/functions/test/invocations", `{"do":"echo"}`, 200, "", `{"do":"echo"}`},
		{"empty", path, ``, 200, "", `{}`},
		{"function error", path, `{"do":"error"}`, 200, "Unhandled",
			`{"errorMessage":"unknown document","errorType":"errorString"}`},
		{"no json", path, `{`, 400, "", ""},
		{"other function", "/2015-03-31/functions/other/invocations", `{}`, 404, "", ""},
		{"too large", path, `"` + strings.Repeat("x", maxPayload) + `"`, 413, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := http.Post(srv.URL+tt.path, "application/json", strings.NewReader(tt.payload))
			must.OK(t, err)
			defer resp.Body.Close()
			body := must.Get(io.ReadAll(resp.Body))(t)
			if resp.StatusCode != tt.status || resp.Header.Get("X-Amz-Function-Error") != tt.failed {
				t.Errorf("status %d, error %q; want %d, %q",
					resp.StatusCode, resp.Header.Get("X-Amz-Function-Error"), tt.status, tt.failed)
			}
			if tt.body != "" && string(body) != tt.body {
				t.Errorf("body %s, want %s", body, tt.body)
			}
		})
	}
}

// TestConcurrencyIsUsable has as many callers as there are
// environments, and each calls again at once.
func TestConcurrencyIsUsable(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{MaxConcurrency: 3})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 50 {
				if _, err := f.Invoke(context.WithoutCancel(t.Context()), []byte(`{"do":"echo"}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
