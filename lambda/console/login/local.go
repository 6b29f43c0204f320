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
	now     func() time.Time
	renewed func(link string) // called with each further link; nil: no further ones

	mu      sync.Mutex
	token   string
	expires time.Time // zero: never
	used    bool
}

// NewLocal returns a login for the person, valid for LinkLife.
func NewLocal(p Person) *Local {
	return &Local{person: p, token: rand.Text(), expires: time.Now().Add(LinkLife), now: time.Now}
}

// NewStanding returns a login with a link that is valid until it is used, and then replaced by
// another one. It calls renewed with the path of each further link.
func NewStanding(p Person, renewed func(link string)) *Local {
	return &Local{person: p, token: rand.Text(), now: time.Now, renewed: renewed}
}

// Link returns the path of the link.
func (l *Local) Link() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return "/login/" + l.token
}

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
				Text: []string{l.advice()}})
		}
	})
}

// use reports whether the token is the link's and still valid, and uses it up.
func (l *Local) use(token string) bool {
	l.mu.Lock()
	given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(l.token))
	valid := subtle.ConstantTimeCompare(given[:], want[:]) == 1 && !l.used && (l.expires.IsZero() || l.now().Before(l.expires))
	if valid {
		l.used = l.renewed == nil
		if !l.used {
			l.token = rand.Text()
		}
	}
	next := "/login/" + l.token
	l.mu.Unlock()
	if valid && l.renewed != nil {
		l.renewed(next)
	}
	return valid
}

// advice says where to find a link.
func (l *Local) advice() string {
	if l.renewed != nil {
		return "The file console-link in the data folder of matchbook serve has the next one. It works once."
	}
	return "It works once, within ten minutes. Restart matchbook console for a new one."
}

// Invite refers to the link.
func (l *Local) Invite(*http.Request) Page {
	if l.renewed != nil {
		return Page{Title: "Please log in", Text: []string{l.advice()}}
	}
	return Page{Title: "Please log in", Text: []string{"Open the link printed by matchbook console.", l.advice()}}
}

// LoggedOut explains how to log in again.
func (l *Local) LoggedOut(*http.Request) Page {
	return Page{Title: "You are logged out", Text: []string{l.advice()}}
}
