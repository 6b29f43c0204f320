package login

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Hash identifies a session in a Store: the SHA-256 of the id in its cookie. It's a hash so
// that a copy of the store is useless for logging in.
type Hash = [sha256.Size]byte

// Store keeps sessions. Its clock decides when they end.
type Store interface {
	// BeginSession stores a session with its person, as JSON. It must end after life.
	BeginSession(ctx context.Context, id Hash, person []byte, life time.Duration) error
	// UseSession returns the person of a live session last used within idle, and counts as a
	// use. It returns nil if the session is unknown or has ended.
	UseSession(ctx context.Context, id Hash, idle time.Duration) (person []byte, err error)
	// EndSession ends a session. An unknown one is not an error.
	EndSession(ctx context.Context, id Hash) error
}

var errNoSession = errors.New("missing session")

// person returns the person of a request's session, or errNoSession.
func (g *Gate) person(r *http.Request) (p Person, err error) {
	id, ok := g.session(r)
	if !ok {
		return p, errNoSession
	}
	stored, err := g.Store.UseSession(r.Context(), id, g.Idle)
	if err != nil {
		return p, err
	}
	if stored == nil {
		return p, errNoSession
	}
	if err := json.Unmarshal(stored, &p); err != nil {
		return Person{}, fmt.Errorf("decode stored session: %w", err)
	}
	return p, nil
}

func (g *Gate) session(r *http.Request) (id Hash, ok bool) {
	c, err := r.Cookie(g.cookieName(r))
	if err != nil {
		return id, false
	}
	return sha256.Sum256([]byte(c.Value)), true
}

// LoggedIn reports whether the request has a session.
func (g *Gate) LoggedIn(r *http.Request) bool {
	_, err := g.person(r)
	return err == nil
}

// Admit begins a session for the person, and redirects the browser to ReturnPath(path). The id
// is always new, so that one planted in the browser before is worthless. A person without a
// role is not admitted, but gets a page explaining it.
func (g *Gate) Admit(w http.ResponseWriter, r *http.Request, p Person, path string) {
	if ids, all := p.Tenants(); len(ids) == 0 && !all {
		g.Show(w, http.StatusForbidden, withoutRole(p))
		return
	}
	person, err := json.Marshal(p)
	if err != nil {
		g.Fail(w, r, "begin a session", err)
		return
	}
	id := rand.Text()
	if before, ok := g.session(r); ok {
		err = g.Store.EndSession(r.Context(), before)
	}
	if err == nil {
		err = g.Store.BeginSession(r.Context(), sha256.Sum256([]byte(id)), person, g.Life)
	}
	if err != nil {
		g.Fail(w, r, "begin a session", err)
		return
	}
	http.SetCookie(w, g.Cookie(r, "", id))
	http.Redirect(w, r, ReturnPath(path), http.StatusSeeOther)
}

func (g *Gate) logout(w http.ResponseWriter, r *http.Request) {
	if id, ok := g.session(r); ok {
		if err := g.Store.EndSession(r.Context(), id); err != nil {
			g.Fail(w, r, "end a session", err)
			return
		}
	}
	gone := g.Cookie(r, "", "")
	gone.MaxAge = -1
	http.SetCookie(w, gone)
	g.Show(w, http.StatusOK, g.Method.LoggedOut(r))
}

// Cookie returns a cookie of the console, to last until the browser closes. Use a suffix for
// cookies of a login; the session's has an empty one.
func (g *Gate) Cookie(r *http.Request, suffix, value string) *http.Cookie {
	c := &http.Cookie{Name: g.cookieName(r) + suffix, Value: value, Path: "/", HttpOnly: true,
		Secure: true, SameSite: http.SameSiteLaxMode}
	if g.Local {
		c.Secure, c.SameSite = false, http.SameSiteStrictMode
	}
	return c
}

func (g *Gate) cookieName(r *http.Request) string {
	if g.Local {
		_, port, _ := net.SplitHostPort(r.Host)
		return "matchbook-" + port
	}
	return "__Host-matchbook"
}

// ReturnPath returns a path that's safe to redirect to after the login: the given one, or /
// for anything that could lead to another site.
func ReturnPath(path string) string {
	u, err := url.Parse(path)
	odd := strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f })
	if err != nil || odd || len(path) > 2000 || u.Scheme != "" || u.Host != "" || u.User != nil ||
		!strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.HasPrefix(u.Path, "/login") || u.Path == "/logout" {
		return "/"
	}
	return path
}

// loopback reports whether a request's host, with or without port, is a name of this machine.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return name == "localhost" || net.ParseIP(name).IsLoopback()
}
