package lambdahost

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/internal/gatetest"
)

// runtimeAPI is the Runtime API of an environment without a process: the test
// is the process.
func runtimeAPI(t *testing.T) (*environment, string) {
	t.Helper()
	e := newEnvironment(Config{Name: "test"}.withDefaults(), gatetest.Patience)
	srv := httptest.NewServer(e.api())
	t.Cleanup(srv.Close)
	return e, srv.URL + "/2018-06-01/runtime/"
}

func postStatus(t *testing.T, url string, body io.Reader, trailer http.Header) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, struct{ io.Reader }{body}) // of unknown length: trailers are sent
	must.OK(t, err)
	req.Trailer = trailer
	resp, err := http.DefaultClient.Do(req)
	must.OK(t, err)
	resp.Body.Close()
	return resp.StatusCode
}

// takeInvocation hands the payload to the process and returns what is to be answered.
func takeInvocation(t *testing.T, e *environment, url, payload string) *invocation {
	t.Helper()
	inv := &invocation{id: "8476a536-e9f4-11e8-9739-2dfe598c3fcd", payload: []byte(payload),
		deadline: time.UnixMilli(1542409706888), answered: make(chan struct{}), freed: make(chan struct{})}
	go func() { e.work <- inv }()
	resp, err := http.Get(url + "invocation/next")
	must.OK(t, err)
	defer resp.Body.Close()
	body := must.Get(io.ReadAll(resp.Body))(t)
	got := fmt.Sprint(string(body), " ", resp.Header.Get("Lambda-Runtime-Aws-Request-Id"), " ",
		resp.Header.Get("Lambda-Runtime-Deadline-Ms"))
	if want := payload + " 8476a536-e9f4-11e8-9739-2dfe598c3fcd 1542409706888"; got != want {
		t.Errorf("next is %s, want %s", got, want)
	}
	return inv
}

func TestOneAnswerPerInvocation(t *testing.T) {
	t.Parallel()
	e, url := runtimeAPI(t)
	inv := takeInvocation(t, e, url, `{}`)
	answer := func(id string) int {
		return postStatus(t, url+"invocation/"+id+"/response", strings.NewReader(`1`), nil)
	}
	if got := answer("unknown"); got != http.StatusBadRequest {
		t.Errorf("unknown id: status %d, want 400", got)
	}
	if got := answer(inv.id); got != http.StatusAccepted {
		t.Errorf("status %d, want 202", got)
	}
	if got := answer(inv.id); got != http.StatusBadRequest {
		t.Errorf("second answer: status %d, want 400", got)
	}
	<-inv.answered
	if string(inv.body) != `1` || inv.err != nil {
		t.Errorf("answered %s, %v", inv.body, inv.err)
	}
}

func TestNextFreesEnvironment(t *testing.T) {
	t.Parallel()
	e, url := runtimeAPI(t)
	if !e.take() || e.take() {
		t.Fatal("not one place")
	}
	inv := takeInvocation(t, e, url, `{}`)
	postStatus(t, url+"invocation/"+inv.id+"/response", strings.NewReader(`1`), nil)
	if <-inv.answered; e.take() {
		t.Error("the environment is free although the process has not asked")
	}
	go askNext(t.Context(), e)
	gatetest.Receive(t, inv.freed)
	if !e.take() {
		t.Error("the environment is not free although the process asks")
	}
}

// askNext asks for an invocation without a connection.
func askNext(ctx context.Context, e *environment) {
	e.serveNext(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
}

func TestPostedErrors(t *testing.T) {
	t.Parallel()
	const posted = `{"errorType":"T","errorMessage":"M"}`
	tests := []struct {
		name, endpoint string
		body           string
		trailer        http.Header
		status         int
		want           string
	}{
		{"error", "error", posted, nil, 202, "T: M"},
		{"error that is no json", "error", "oops", nil, 202, "Unhandled: oops"},
		{"too large", "response", strings.Repeat("x", maxPayload+1), nil, 413,
			"Function.ResponseSizeTooLarge: Response payload size exceeded maximum allowed payload size (6291456 bytes)."},
		{"error in mid-stream", "response", `{"half":`, http.Header{"Lambda-Runtime-Function-Error-Type": {"T"},
			"Lambda-Runtime-Function-Error-Body": {base64.StdEncoding.EncodeToString([]byte(posted))}}, 202, "T: M"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, url := runtimeAPI(t)
			inv := takeInvocation(t, e, url, `{}`)
			if got := postStatus(t, url+"invocation/"+inv.id+"/"+tt.endpoint, strings.NewReader(tt.body),
				tt.trailer); got != tt.status {
				t.Errorf("status %d, want %d", got, tt.status)
			}
			<-inv.answered
			if inv.err == nil || inv.err.Error() != tt.want {
				t.Errorf("error %v, want %s", inv.err, tt.want)
			}
		})
	}
}

func TestLogTail(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := &lineWriter{w: &out}
	for i := range 30 {
		fmt.Fprintf(l, "line %d\nli", i)
		fmt.Fprint(l, "ne of two writes\n")
	}
	if got, want := l.tailText(), 1+tailLines; len(strings.Split(got, "\n")) != want ||
		!strings.HasSuffix(got, "\nline of two writes") {
		t.Errorf("the end of the log has not %d lines: %s", want, got)
	}
	if got := strings.Count(out.String(), "\n"); got != 60 {
		t.Errorf("%d lines, want 60", got)
	}
	out.Reset()
	fmt.Fprint(l, strings.Repeat("x", longestLine))
	if out.Len() != longestLine+1 {
		t.Errorf("%d bytes of an endless line came out", out.Len())
	}
}
