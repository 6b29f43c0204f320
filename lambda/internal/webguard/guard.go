// Package webguard protects web pages: it sets the headers that confine a page, refuses
// changes sent by other sites' pages, and recovers from a panic in a request.
package webguard

import (
	"log/slog"
	"net/http"
	"runtime/debug"

	"matchbook/lambda/failure"
)

// Config configures Handler.
type Config struct {
	Policy string // the Content-Security-Policy of every response
	// Refuse must answer a refused request (403) or a panicked one (500).
	Refuse func(w http.ResponseWriter, status int, sentence string)
	Log    *slog.Logger
}

// Handler returns next behind the guard. next may override a header, such as Cache-Control for
// a file without data.
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
	h.Set("Referrer-Policy", "no-referrer") // because an address may contain a token
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// recover recovers from a panic in a request, since nothing else does in Lambda.
func (c Config) recover(w http.ResponseWriter, r *http.Request) {
	if v := recover(); v != nil {
		p := &failure.Panic{Value: v, Stack: debug.Stack()}
		c.Log.Error("panic", "route", r.Pattern, "panic", p.Error(), "stack", string(p.Stack))
		c.Refuse(w, http.StatusInternalServerError, "an error of Matchbook: its log has more")
	}
}
