// Package failuretest tests the failure table of an adapter. It has servers that fail in each
// way possible with HTTP, callers that give up, and a search for leaked secrets. Use Run to
// test the table with them.
package failuretest

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Says responds with the status, the headers (name, value, ...) and the body.
func Says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Hijacked writes raw bytes and closes the connection, in order or with a reset.
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

// Hangs sends the text and then nothing, until the client leaves. The request must have been
// read by then.
func Hangs(sent string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if sent != "" {
			_, _ = io.WriteString(w, sent)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}
}

// Deadline returns a context with a deadline in 50 ms.
func Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 50*time.Millisecond)
}

// Stopped returns a context cancelled after 50 ms.
func Stopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	return ctx, cancel
}

// Context returns the context of a call: the test's, or one ended by within. Use Deadline,
// Stopped or nil.
func Context(t *testing.T, within func(context.Context) (context.Context, context.CancelFunc)) context.Context {
	t.Helper()
	if within == nil {
		return t.Context()
	}
	ctx, cancel := within(t.Context())
	t.Cleanup(cancel)
	return ctx
}
