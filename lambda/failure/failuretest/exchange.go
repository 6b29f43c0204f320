package failuretest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/failure"
)

// Exchange is one way for a call to fail, and the expected classification.
type Exchange[W any] struct {
	Name   string
	Serve  http.HandlerFunc
	With   W                                                           // anything else needed by the adapter
	Within func(context.Context) (context.Context, context.CancelFunc) // Deadline, Stopped, or nil
	Short  bool                                                        // use the adapter's own timeout
	Closed bool                                                        // no server listens

	Kind    failure.Kind
	Want    string
	Wait    time.Duration
	Refused bool
}

// URL starts the exchange's server. It is closed at the end of the test.
func (x Exchange[W]) URL(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the client leaves
		x.Serve(w, r)
	}))
	t.Cleanup(server.Close)
	if x.Closed {
		server.Close()
	}
	return server.URL
}

// Timeout returns the timeout for the adapter's configuration, or 0 for its default.
func (x Exchange[W]) Timeout() time.Duration {
	if x.Short {
		return 100 * time.Millisecond
	}
	return 0
}

// away matches the sentences of calls that failed because the service is away. Channels and the
// receivers of webhooks have no breaker, so it doesn't matter for them.
var away = regexp.MustCompile(`^(\w+ \w+|Textract) failed|quota exhausted|^[^r].*('s answer broke off| took too long)|` +
	`^connection to [^r].* failed`)

// Connections returns the exchanges without a response. server is its name in errors, and
// secret a text it may send.
func Connections[W any](server, secret string) []Exchange[W] {
	broken := "connection to " + server + " failed"
	return []Exchange[W]{
		{Name: "closed", Serve: Hijacked("", false), Want: broken},
		{Name: "reset", Serve: Hijacked("", true), Want: broken},
		{Name: "no HTTP", Serve: Hijacked(secret, false), Want: broken},
		{Name: "nobody listens", Closed: true, Want: broken},
		{Name: "slow", Serve: Hangs(""), Short: true, Want: server + " took too long"},
		{Name: "deadline of the caller", Serve: Hangs(""), Within: Deadline, Want: "out of time"},
		{Name: "stopped", Serve: Hangs(""), Within: Stopped, Want: "stopped before it was done"},
	}
}

// Run tests that the table classifies each exchange as expected, that no error leaks a secret,
// and that each row of the table is needed by an exchange. Let happen make the call fail and
// return its Call, along with anything else that must not leak a secret, such as the adapter.
func Run[W any](t *testing.T, table failure.Table, secrets []string, exchanges []Exchange[W],
	happen func(*testing.T, Exchange[W]) (*failure.Call, []any)) {
	t.Helper()
	calls := make([]*failure.Call, len(exchanges))
	t.Run("cases", func(t *testing.T) {
		for i, x := range exchanges {
			t.Run(x.Name, func(t *testing.T) {
				t.Parallel()
				call, holders := happen(t, x)
				if call == nil {
					t.Fatal("the call succeeded")
				}
				calls[i] = call
				got, want := table.Classify(call), failure.Error{Kind: x.Kind, Sentence: x.Want, RetryAfter: x.Wait, Refused: x.Refused,
					Away: away.MatchString(x.Want), Busy: strings.HasPrefix(x.Want, "too many requests to the model provider")}
				if *got != want {
					t.Errorf("got %+v, want %+v (%v, %v)", *got, want, call.Network, call.Cause)
				}
				if found := Leaks(secrets, append(holders, got, failure.At("call", got))...); len(found) > 0 {
					t.Errorf("found %q", found)
				}
			})
		}
	})
	for i, r := range table.Rows {
		shorter := table
		shorter.Rows = slices.Delete(slices.Clone(table.Rows), i, i+1)
		differs := func(c *failure.Call) bool { return c != nil && *shorter.Classify(c) != *table.Classify(c) }
		if !slices.ContainsFunc(calls, differs) {
			t.Errorf("row %q must be needed by a case", r.Name)
		}
	}
}

// NoRedirect tests that call follows no redirect, since that could carry secrets elsewhere.
func NoRedirect(t *testing.T, call func(serve http.HandlerFunc) *failure.Call) {
	t.Helper()
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		if got := call(Says(status, "ok", "Location", other.URL)); got == nil || got.Status != status {
			t.Errorf("got %+v, want a failure with status %d", got, status)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d redirects must not be followed", n)
	}
}

// Configured tests that an adapter was made, or refused with the error want if that isn't
// empty, and that neither leaks a secret.
func Configured[C, A any](t *testing.T, secrets []string, c C, made *A, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want || (made == nil) != (err != nil) {
		t.Errorf("got %q, want %q", got, want)
	}
	if found := Leaks(secrets, c, &c, made, got); len(found) > 0 {
		t.Errorf("found: %q", found)
	}
}
