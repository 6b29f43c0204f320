package login

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// LinkLife is the life of Local's link.
const LinkLife = 10 * time.Minute

// Local logs in a person on this machine through a link. The link works once.
type Local struct {
	person  Person
	token   string
	expires time.Time
	now     func() time.Time

	mu   sync.Mutex
	used bool
}

// NewLocal returns a login for the person, valid for LinkLife.
func NewLocal(p Person) *Local {
	return &Local{person: p, token: rand.Text(), expires: time.Now().Add(LinkLife), now: time.Now}
}

// Link returns the path of the link.
func (l *Local) Link() string { return "/login/" + l.token }

// Handler puts a Gate in front of the console next, for browsers on this machine. A session
// ends after a day, or after eight hours without a request.
func (l *Local) Handler(log *slog.Logger, next http.Handler) http.Handler {
	return Handler(Config{Method: l, Store: &memory{now: l.now, sessions: map[Hash]*session{}}, Log: log, Local: true,
		Idle: 8 * time.Hour, Life: 24 * time.Hour}, next)
}

// Routes adds the path of the link.
func (l *Local) Routes(mux *http.ServeMux, g *Gate) {
	mux.HandleFunc("GET /login/{token}", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodHead: // so that link previews don't use it up
		case l.use(r.PathValue("token")):
			g.Admit(w, r, l.person, "/")
		case g.LoggedIn(r): // the link was opened again
			http.Redirect(w, r, "/", http.StatusSeeOther)
		default:
			g.Show(w, http.StatusForbidden, Page{Title: "This link does not work",
				Text: []string{"It works once, within ten minutes. Restart the console for a new one."}})
		}
	})
}

// use reports whether the token is the link's and still valid, and uses it up.
func (l *Local) use(token string) bool {
	given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(l.token))
	if subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used || !l.now().Before(l.expires) {
		return false
	}
	l.used = true
	return true
}

// Invite refers to the link.
func (l *Local) Invite(*http.Request) Page {
	return Page{Title: "Please log in", Text: []string{
		"Open the link printed by matchbook console.", "It works once. Restart the command for a new one."}}
}

// LoggedOut explains how to log in again.
func (l *Local) LoggedOut(*http.Request) Page {
	return Page{Title: "You are logged out", Text: []string{"Restart matchbook console for a new link."}}
}
