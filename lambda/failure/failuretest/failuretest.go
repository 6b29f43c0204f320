// Package failuretest helps to test the failure table of an adapter: servers
// that fail in each way that HTTP allows, callers that give up, a search for secrets,
// and Run, which tests the table with them.
package failuretest

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/failure"
)

// Says responds with the status, the headers, as name, value ..., and the body.
func Says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Hijacked writes raw bytes and ends the connection, orderly or with a reset.
func Hijacked(raw string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, raw)
		if reset {
			_ = conn.(*net.TCPConn).SetLinger(0)
		}
		_ = conn.Close()
	}
}

// Hangs sends the given text and then nothing, until the client leaves. The
// request must have been read.
func Hangs(sent string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if sent != "" {
			_, _ = io.WriteString(w, sent)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}
}

// Deadline returns a context that runs out of time soon.
func Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 50*time.Millisecond)
}

// Stopped returns a context that is cancelled soon.
func Stopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	return ctx, cancel
}

// Context returns the context of a call, which ends with the test, or as within
// ends it: Deadline, Stopped, or nil.
func Context(t *testing.T, within func(context.Context) (context.Context, context.CancelFunc)) context.Context {
	t.Helper()
	if within == nil {
		return t.Context()
	}
	ctx, cancel := within(t.Context())
	t.Cleanup(cancel)
	return ctx
}

// Case is one way in which a call fails.
type Case struct {
	Name string
	Want failure.Error
	// Fail makes the call fail. It returns the facts of the failure, and what else must
	// not hold a secret, such as the adapter.
	Fail func(*testing.T) (*failure.Call, []any)
}

// Run tests that the table classifies each case as wanted, that neither the error nor what
// Fail returns holds a secret, and that a case needs each row of the table.
func Run(t *testing.T, table failure.Table, secrets []string, cases []Case) {
	t.Helper()
	calls := make([]*failure.Call, len(cases))
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				call, holders := c.Fail(t)
				if call == nil {
					t.Fatal("the call succeeded")
				}
				calls[i] = call
				got := table.Classify(call)
				if *got != c.Want {
					t.Errorf("got %+v, want %+v (%v, %v)", *got, c.Want, call.Network, call.Cause)
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
			t.Errorf("no case needs the row %q", r.Name)
		}
	}
}
