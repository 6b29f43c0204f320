package webhook

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
)

// The secrets of a configuration, and the text of an answer.
const (
	hiddenPath = "/offers/Xx~Hidden+815?token=T0Hidden"
	hiddenKey  = "K0-Hidden-key-of-the-signature"
	hiddenText = "Hidden <answer> & \"naïve\""
)

var hidden = []string{hiddenPath, "Xx~Hidden+815", "Hidden+815", "T0Hidden", hiddenKey, hiddenText, "Hidden <answer>"}

// exchange is a server that does something with a set.
type exchange struct {
	name    string
	serve   http.HandlerFunc
	within  func(context.Context) (context.Context, context.CancelFunc)
	short   bool // our own timeout
	unbound bool // no server listens

	kind    failure.Kind
	refused bool
	want    string // empty: accepted
	wait    time.Duration
}

func (x exchange) happen(t *testing.T) (*Receiver, *failure.Call) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the client leaves
		x.serve(w, r)
	}))
	t.Cleanup(server.Close)
	if x.unbound {
		server.Close()
	}
	c := Config{URL: server.URL + hiddenPath, Secret: hiddenKey}
	if x.short {
		c.Timeout = 100 * time.Millisecond
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.post(failuretest.Context(t, x.within), "key", []byte("{}"))
}

func exchanges() []exchange {
	const (
		permanent = failure.Permanent
		busy      = "the receiver has too many requests (HTTP 429)"
		broken    = "the connection to the receiver failed"
		tooSlow   = "the receiver took too long"
		denied    = "the receiver does not accept our signature or address"
		gone      = "there is no receiver at the URL"
	)
	says := failuretest.Says
	return []exchange{
		{name: "200", serve: says(200, hiddenText)},
		{name: "204", serve: says(204, "")},
		{name: "200, then a body of 10 MB", serve: says(200, strings.Repeat(hiddenText, 1<<18))},
		{name: "200, then a body that does not end", serve: failuretest.Hangs(hiddenText), short: true},
		{name: "200, closed in the body", serve: failuretest.Hijacked("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\no", true)},
		{name: "429 with seconds", serve: says(429, hiddenText, "Retry-After", "30"), want: busy, wait: 30 * time.Second},
		{name: "429 without", serve: says(429, ""), want: busy},
		{name: "429 with nonsense", serve: says(429, "", "Retry-After", hiddenText), want: busy},
		{name: "429 with a year", serve: says(429, "", "Retry-After", "31536000"), want: busy, wait: time.Hour},
		{name: "429 with a date", serve: says(429, "", "Retry-After", "Mon, 02 Mar 2026 10:01:00 GMT",
			"Date", "Mon, 02 Mar 2026 10:00:00 GMT"), want: busy, wait: time.Minute},
		{name: "500", serve: says(500, hiddenText), want: "the receiver failed (HTTP 500)"},
		{name: "503 with seconds", serve: says(503, "", "Retry-After", "7"), want: "the receiver failed (HTTP 503)",
			wait: 7 * time.Second},
		{name: "500 with 10 MB", serve: says(500, strings.Repeat("x", 10<<20)), want: "the receiver failed (HTTP 500)"},
		{name: "408", serve: says(408, ""), want: "the receiver asks for the request again (HTTP 408)"},
		{name: "409", serve: says(409, ""), want: "the receiver asks for the request again (HTTP 409)"},
		{name: "425", serve: says(425, ""), want: "the receiver asks for the request again (HTTP 425)"},
		{name: "400", serve: says(400, hiddenText, "Retry-After", "7"), kind: permanent,
			want: "the receiver refused the request (HTTP 400)"},
		{name: "413", serve: says(413, ""), kind: permanent, want: "the receiver refused the request (HTTP 413)"},
		{name: "401", serve: says(401, ""), kind: permanent, refused: true, want: denied + " (HTTP 401)"},
		{name: "403", serve: says(403, ""), kind: permanent, refused: true, want: denied + " (HTTP 403)"},
		{name: "404", serve: says(404, ""), kind: permanent, refused: true, want: gone + " (HTTP 404)"},
		{name: "410", serve: says(410, ""), kind: permanent, refused: true, want: gone + " (HTTP 410)"},
		{name: "redirect", serve: says(302, "", "Location", "/"+hiddenText),
			want: "the receiver neither accepted the request nor failed (HTTP 302)"},
		{name: "closed", serve: failuretest.Hijacked("", false), want: broken},
		{name: "reset", serve: failuretest.Hijacked("", true), want: broken},
		{name: "no HTTP", serve: failuretest.Hijacked(hiddenText, false), want: broken},
		{name: "headers of 1 MB", serve: says(200, "", "X-Much", strings.Repeat("x", 1<<20)), want: broken},
		{name: "refused", serve: says(200, ""), unbound: true, want: broken},
		{name: "slow", serve: failuretest.Hangs(""), short: true, want: tooSlow},
		{name: "deadline of the caller", serve: failuretest.Hangs(""), within: failuretest.Deadline, want: "out of time"},
		{name: "stopped", serve: failuretest.Hangs(""), within: failuretest.Stopped, want: "stopped before it was done"},
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		_, call := (exchange{serve: failuretest.Says(status, "", "Location", other.URL)}).happen(t)
		if call == nil || call.Status != status {
			t.Errorf("got %+v, want a failure with status %d", call, status)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d sets reached the other host", n)
	}
}

func TestEachFailureHasOneKindAWaitAndASafeSentence(t *testing.T) {
	t.Parallel()
	var cases []failuretest.Case
	for _, x := range exchanges() {
		if x.want == "" {
			if _, failed := x.happen(t); failed != nil {
				t.Errorf("%s: got %+v, want it accepted", x.name, failed)
			}
			continue
		}
		cases = append(cases, failuretest.Case{Name: x.name, Fail: func(t *testing.T) (*failure.Call, []any) {
			r, failed := x.happen(t)
			return failed, []any{r, *r, struct{ r Receiver }{*r}}
		}, Want: failure.Error{Kind: x.kind, Sentence: x.want, RetryAfter: x.wait, Refused: x.refused}})
	}
	failuretest.Run(t, table, hidden, cases)
}
