// Package failuretest helps to test the failure table of an adapter: servers
// that fail in each way that HTTP allows, callers that give up, a search for secrets,
// and Run, which tests the table with them.
package failuretest

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
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
