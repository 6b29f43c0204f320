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

// Hash identifies a session in a store: the SHA-256 of the id in its cookie, so that
// a copy of the store lets no reader in.
type Hash = [sha256.Size]byte

// Store keeps sessions. Its clock decides when they end.
type Store interface {
	// BeginSession stores the session of a person, JSON. It ends after life.
	BeginSession(ctx context.Context, id Hash, person []byte, life time.Duration) error
	// UseSession returns the person of a session that has not ended and was used
	// within idle, and counts as a use; nil: there is none.
	UseSession(ctx context.Context, id Hash, idle time.Duration) (person []byte, err error)
	// EndSession ends a session, also one that is not there.
	EndSession(ctx context.Context, id Hash) error
}

var errNoSession = errors.New("no session")

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
		return Person{}, fmt.Errorf("stored session: %w", err)
	}
	return p, nil
}

// session returns the session that a request's cookie names.
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

// Admit begins a session of the person, and sends the browser to the path. The id is
// always a new one, so that an id which was planted in the browser before is worth
// nothing. A person without a role is not admitted.
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

// logout ends the session of the request.
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

// Cookie returns a cookie of the console, for as long as the browser runs. suffix
// tells a cookie of a login from that of the session, which has none.
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

// ReturnPath returns a path of the console that the browser may be sent to after the
// login: the given one, or / for anything that could lead to another site.
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

// loopback reports whether the host of a request is a name of this machine, with a
// port or without.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return name == "localhost" || net.ParseIP(name).IsLoopback()
}
