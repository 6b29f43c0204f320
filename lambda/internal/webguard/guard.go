// Package webguard protects pages for browsers: it sets the headers that confine a
// page, refuses changes that pages of other sites send, and keeps a panic in its
// request.
package webguard

import (
	"log/slog"
	"net/http"
	"runtime/debug"

	"matchbook/lambda/failure"
)

// Config is what Handler works with.
type Config struct {
	Policy string // the Content-Security-Policy of every response
	// Refuse answers a refused request, 403, and one that panicked, 500.
	Refuse func(w http.ResponseWriter, status int, sentence string)
	Log    *slog.Logger
}

// Handler returns next behind the guard. A handler may replace a header, such as
// Cache-Control of a file without data.
func Handler(c Config, next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c.Refuse(w, http.StatusForbidden, "the request comes from a page of another site")
	}))
	protected := sameOrigin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.setHeaders(w.Header())
		defer c.recover(w, r)
		protected.ServeHTTP(w, r)
	})
}

func (c Config) setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", c.Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer") // an address may have a token
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// recover keeps a panic in its request: in Lambda nothing else does.
func (c Config) recover(w http.ResponseWriter, r *http.Request) {
	if v := recover(); v != nil {
		p := &failure.Panic{Value: v, Stack: debug.Stack()}
		c.Log.Error("panic", "route", r.Pattern, "panic", p.Error(), "stack", string(p.Stack))
		c.Refuse(w, http.StatusInternalServerError, "an error of Matchbook: its log has more")
	}
}
