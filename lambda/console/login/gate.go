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

// Method is a way to log in.
type Method interface {
	// Routes adds the method's paths, which begin with /login. They admit a person
	// by Gate.Admit.
	Routes(mux *http.ServeMux, g *Gate)
	// Invite returns the page for a request without a session.
	Invite(r *http.Request) Page
	// LoggedOut returns the page after the logout.
	LoggedOut(r *http.Request) Page
}

// Config is what a Gate works with.
type Config struct {
	Method Method
	Store  Store
	Log    *slog.Logger
	// Local: the console is for browsers on this machine, without https.
	Local bool
	Idle  time.Duration // without a request, after which a session ends; 0 is 1 h
	Life  time.Duration // of a session at most; 0 is 12 h
}

// Gate lets the requests of people who are logged in through.
type Gate struct {
	Config
	next http.Handler
}

// Handler returns the console next behind a gate.
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

// policy lets pages load styles and pictures of their own site, send forms to it, and
// nothing else. No page has a script.
const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// checkHost refuses requests to a local console by another name than that of this
// machine: a page of another site can let its own name lead here (DNS rebinding), and
// its requests would be of the same origin.
func (g *Gate) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.Local && !loopback(r.Host) {
			refuse(w, http.StatusMisdirectedRequest, "this console answers to 127.0.0.1 and localhost only")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// pass hands a request with a session to the console.
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

// Fail answers a request that cannot be served now. The log has the reason, the page
// has not.
func (g *Gate) Fail(w http.ResponseWriter, r *http.Request, operation string, err error) {
	if r.Context().Err() != nil { // the client has gone
		return
	}
	g.Log.Error("a login failed", "route", r.Pattern, "reason", failure.Of(failure.At(operation, err)).Text)
	w.Header().Set("Retry-After", "5")
	refuse(w, http.StatusServiceUnavailable, "logging in does not work now: try again later")
}
