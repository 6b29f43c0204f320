package login

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/webguard"
)

// Method is a way to log in. See Local and package oidc.
type Method interface {
	// Routes adds the method's paths, which must begin with /login. After a successful login
	// they must call Gate.Admit.
	Routes(mux *http.ServeMux, g *Gate)
	// Invite returns the page for a request without a session.
	Invite(r *http.Request) Page
	// LoggedOut returns the page shown after the logout.
	LoggedOut(r *http.Request) Page
}

// Config configures a Gate.
type Config struct {
	Method Method
	Store  Store
	Log    *slog.Logger
	// Use Local for a console on this machine, without https.
	Local bool
	Idle  time.Duration // longest time between requests of a session; 0 is 1 h
	Life  time.Duration // longest life of a session; 0 is 12 h
}

// Gate admits requests of logged-in people to the console.
type Gate struct {
	Config
	next http.Handler
}

// Handler puts a Gate in front of the console next.
func Handler(c Config, next http.Handler) http.Handler {
	c.Idle = cmp.Or(c.Idle, time.Hour)
	c.Life = cmp.Or(c.Life, 12*time.Hour)
	g := &Gate{Config: c, next: next}
	mux := http.NewServeMux()
	c.Method.Routes(mux, g)
	mux.HandleFunc("GET /login.css", serveStyle)
	mux.HandleFunc("POST /logout", g.logout)
	mux.HandleFunc("/", g.pass)
	return webguard.Handler(webguard.Config{Policy: policy, Log: c.Log, Refuse: refuse}, g.checkHost(mux))
}

// policy lets pages load styles, pictures and scripts from their site, and send forms and requests
// to it, nothing else. A script must be a file of the console: none in a page runs.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// checkHost refuses requests to a local console under a foreign host name. Otherwise a page of
// another site could point its name here (DNS rebinding), so that its requests would be
// same-origin.
func (g *Gate) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.Local && !loopback(r.Host) {
			refuse(w, http.StatusMisdirectedRequest, "use 127.0.0.1 or localhost to reach this console")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *Gate) pass(w http.ResponseWriter, r *http.Request) {
	p, err := g.person(r)
	switch {
	case errors.Is(err, errNoSession):
		g.Show(w, http.StatusUnauthorized, g.Method.Invite(r))
	case err != nil:
		g.Fail(w, r, "read a session", err)
	default:
		g.next.ServeHTTP(w, r.WithContext(With(r.Context(), p)))
	}
}

// Fail answers a request that can't be served now. Only the log gets the reason.
func (g *Gate) Fail(w http.ResponseWriter, r *http.Request, operation string, err error) {
	if r.Context().Err() != nil { // the client is gone
		return
	}
	g.Log.Error("login failed", "route", r.Pattern, "reason", failure.Of(failure.At(operation, err)).Text)
	w.Header().Set("Retry-After", "5")
	refuse(w, http.StatusServiceUnavailable, "login is unavailable; try again later")
}
