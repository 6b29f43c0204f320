package login

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

// site is a console behind a gate, and a browser.
type site struct {
	t       *testing.T
	server  *httptest.Server
	browser *http.Client
	clock   *clock
	log     *strings.Builder
	store   *memory
	broken  error // of the store
	person  Person
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

// newSite serves a console over https; GET /login admits the person.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, clock: &clock{at: time.Now()}, log: &strings.Builder{}, person: ada}
	s.store = &memory{now: s.clock.now, sessions: map[Hash]*session{}}
	s.start(httptest.NewTLSServer, Handler(Config{Method: s, Store: s, Log: s.logger()}, http.HandlerFunc(greet)))
	return s
}

func (s *site) logger() *slog.Logger { return slog.New(slog.NewTextHandler(s.log, nil)) }

func (s *site) start(serve func(http.Handler) *httptest.Server, h http.Handler) {
	s.server = serve(h)
	s.t.Cleanup(s.server.Close)
	s.browser = s.server.Client()
	s.browser.Jar, _ = cookiejar.New(nil)
	s.browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
}

// greet is the console.
func greet(w http.ResponseWriter, r *http.Request) {
	p, ok := From(r.Context())
	if !ok {
		panic("no person")
	}
	_, _ = io.WriteString(w, r.Method+" "+r.URL.Path+" for "+p.Name)
}

// Routes admits the person by GET /login.
func (s *site) Routes(mux *http.ServeMux, g *Gate) {
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		g.Admit(w, r, s.person, r.URL.Query().Get("return"))
	})
}

func (s *site) Invite(*http.Request) Page { return Page{Title: "Please log in"} }

func (s *site) LoggedOut(*http.Request) Page { return Page{Title: "You are logged out"} }

func (s *site) BeginSession(ctx context.Context, id Hash, person []byte, life time.Duration) error {
	return errors.Join(s.broken, s.store.BeginSession(ctx, id, person, life))
}

func (s *site) UseSession(ctx context.Context, id Hash, idle time.Duration) ([]byte, error) {
	if s.broken != nil {
		return nil, s.broken
	}
	return s.store.UseSession(ctx, id, idle)
}

func (s *site) EndSession(ctx context.Context, id Hash) error {
	return errors.Join(s.broken, s.store.EndSession(ctx, id))
}

// do returns the status, the header and the body of an answer.
func (s *site) do(method, path string, headers ...string) (int, http.Header, string) {
	s.t.Helper()
	r := must.Get(http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, nil))(s.t)
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	answer, err := s.browser.Do(r)
	must.OK(s.t, err)
	defer answer.Body.Close()
	body := must.Get(io.ReadAll(answer.Body))(s.t)
	return answer.StatusCode, answer.Header, string(body)
}

// want fails unless the answer has the status, and the text in its body.
func (s *site) want(status int, text, method, path string, headers ...string) {
	s.t.Helper()
	if got, _, body := s.do(method, path, headers...); got != status || !strings.Contains(body, text) {
		s.t.Errorf("%s %s %v: got %d %s\nwant %d, %q", method, path, headers, got, body, status, text)
	}
}

func (s *site) cookie() *http.Cookie {
	u, _ := url.Parse(s.server.URL)
	for _, c := range s.browser.Jar.Cookies(u) {
		return c
	}
	return &http.Cookie{}
}

func TestConsoleNeedsSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/", "/documents/x", "/console.css", "/login/x", "/logout"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			if method+path != "POST/logout" {
				s.want(401, "Please log in", method, path)
			}
		}
	}
	s.want(303, "", "GET", "/login")
	s.want(200, "GET /documents/x for Ada <ada@example.com>", "GET", "/documents/x")
	s.want(200, "POST /documents/x for Ada", "POST", "/documents/x", "Sec-Fetch-Site", "same-origin")
	s.want(403, "another site", "POST", "/documents/x", "Sec-Fetch-Site", "cross-site")
	s.want(403, "another site", "POST", "/logout", "Sec-Fetch-Site", "cross-site")
	s.want(200, "", "GET", "/")
}

func TestCookieAttributes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, h, _ := s.do("GET", "/login")
	line := h.Get("Set-Cookie")
	for _, want := range []string{"__Host-matchbook=", "; Path=/;", "HttpOnly", "Secure", "SameSite=Lax"} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
	if strings.Contains(line, "Domain") || strings.Contains(line, "Max-Age") || len(s.cookie().Value) < 26 {
		t.Errorf("got %s", line)
	}
	for id := range s.store.sessions {
		if strings.Contains(string(id[:]), s.cookie().Value) {
			t.Error("the store has the id of the cookie")
		}
	}
}

func TestSessionEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, end := range map[string]func(){
		"not used for an hour": func() { s.clock.pass(time.Hour) },
		"twelve hours after the login": func() {
			for range 17 {
				s.clock.pass(42 * time.Minute)
				s.want(200, "for Ada", "GET", "/")
			}
			s.clock.pass(6 * time.Minute)
		},
		"logout": func() { s.want(200, "You are logged out", "POST", "/logout") },
	} {
		s.do("GET", "/login")
		cookie := s.cookie()
		s.want(200, "for Ada", "GET", "/")
		end()
		if got, _, _ := s.do("GET", "/", "Cookie", cookie.String()); got != 401 {
			t.Errorf("%s: a copy of the cookie still works: %d", name, got)
		}
	}
}

func TestLogoutRemovesCookie(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.do("GET", "/login")
	s.want(200, "You are logged out", "POST", "/logout")
	if c := s.cookie(); c.Name != "" {
		t.Errorf("the browser still has %s", c)
	}
}

// A planted id does not become that of a session, and a new login ends the old one.
func TestLoginRenewsSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	planted := "__Host-matchbook=AAAAAAAAAAAAAAAAAAAAAAAAAA"
	s.want(303, "", "GET", "/login", "Cookie", planted)
	s.want(200, "for Ada", "GET", "/")
	first := s.cookie().String()
	s.do("GET", "/login")
	s.want(200, "for Ada", "GET", "/")
	s.browser.Jar, _ = cookiejar.New(nil)
	s.want(401, "", "GET", "/", "Cookie", planted)
	s.want(401, "", "GET", "/", "Cookie", first)
}

func TestRoleRequired(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.person = Person{Name: "<script>Eve</script>"}
	_, h, body := s.do("GET", "/login")
	if !strings.Contains(body, "You have no role") || !strings.Contains(body, "&lt;script&gt;Eve") || h.Get("Set-Cookie") != "" {
		t.Errorf("got %v %s", h, body)
	}
}

func TestGatePolicy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/", "/login", "/login.css", "/nowhere"} {
		_, h, _ := s.do("GET", path)
		if got := h.Get("Content-Security-Policy"); got != "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
			"img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %q", path, got)
		}
	}
	s.want(200, "color-scheme", "GET", "/login.css")
}

func TestStoreErrorClosesGate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.do("GET", "/login")
	s.broken = errors.New("PLANTED")
	s.want(503, "try again later", "GET", "/")
	s.want(503, "try again later", "POST", "/logout")
	s.want(503, "try again later", "GET", "/login")
	if log := s.log.String(); !strings.Contains(log, "read a session") || strings.Contains(log, "PLANTED") {
		t.Errorf("logged %s", log)
	}
}

// A later version may store what this one cannot read, such as a role that it does not know.
func TestCorruptSessionIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.do("GET", "/login")
	for _, stored := range s.store.sessions {
		stored.person = []byte(strings.Replace(string(stored.person), `"viewer"`, `"PLANTED"`, 1))
	}
	s.want(503, "try again later", "GET", "/")
	if log := s.log.String(); !strings.Contains(log, "read a session") || strings.Contains(log, "PLANTED") {
		t.Errorf("logged %s", log)
	}
}

func TestGoneClientIsNotLogged(t *testing.T) {
	t.Parallel()
	s := &site{t: t, log: &strings.Builder{}, broken: context.Canceled}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", "https://console.example/", nil)
	r.Header.Set("Cookie", "__Host-matchbook=x")
	Handler(Config{Method: s, Store: s, Log: s.logger()}, http.HandlerFunc(greet)).ServeHTTP(httptest.NewRecorder(), r)
	if s.log.Len() > 0 {
		t.Errorf("logged %s", s.log)
	}
}

// newGate returns a gate without a server.
func newGate(t *testing.T) *bareGate {
	t.Helper()
	s := &site{t: t, clock: &clock{at: time.Now()}, log: &strings.Builder{}, person: ada}
	s.store = &memory{now: s.clock.now, sessions: map[Hash]*session{{}: {person: []byte("{}"), ends: s.clock.at.Add(time.Hour)}}}
	return &bareGate{t, Handler(Config{Method: s, Store: s, Log: s.logger()}, http.HandlerFunc(greet))}
}

type bareGate struct {
	t *testing.T
	h http.Handler
}

// get returns the status for a request with this Cookie header.
func (g *bareGate) get(header string) int {
	r := httptest.NewRequestWithContext(g.t.Context(), "GET", "https://console.example/", nil)
	r.Header.Set("Cookie", header)
	w := httptest.NewRecorder()
	g.h.ServeHTTP(w, r)
	return w.Code
}
