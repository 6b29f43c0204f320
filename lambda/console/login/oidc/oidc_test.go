package oidc

import (
	"context"
	"fmt"
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

	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

// site is a console behind an issuer, with a browser.
type site struct {
	t       *testing.T
	issuer  *testIssuer
	method  *Method
	server  *httptest.Server
	browser *http.Client
	log     *strings.Builder
	sessions
}

// sessions is a store without times.
type sessions struct {
	mu   sync.Mutex
	kept map[login.Hash][]byte
}

func (s *sessions) BeginSession(_ context.Context, id login.Hash, person []byte, _ time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[id] = person
	return nil
}

func (s *sessions) UseSession(_ context.Context, id login.Hash, _ time.Duration) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[id], nil
}

func (s *sessions) EndSession(_ context.Context, id login.Hash) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, id)
	return nil
}

func newSite(t *testing.T, changes ...func(*Config)) *site {
	t.Helper()
	s := &site{t: t, issuer: newIssuer(t), log: &strings.Builder{}, sessions: sessions{kept: map[login.Hash][]byte{}}}
	s.server = httptest.NewUnstartedServer(nil)
	s.server.StartTLS()
	t.Cleanup(s.server.Close)
	c := Config{Issuer: s.issuer.server.URL, Client: clientID, Secret: secret, Claim: "cognito:groups", Base: s.server.URL,
		Scopes: []string{"email"}}
	for _, change := range changes {
		change(&c)
	}
	s.method = New(c)
	s.method.client.Timeout = time.Hour // a busy machine is no answer of the issuer
	s.server.Config.Handler = login.Handler(login.Config{Method: s.method, Store: &s.sessions,
		Log: slog.New(slog.NewTextHandler(s.log, nil))}, http.HandlerFunc(greet))
	s.browser = s.newBrowser()
	return s
}

func greet(w http.ResponseWriter, r *http.Request) {
	p, _ := login.From(r.Context())
	ids, all := p.Tenants()
	fmt.Fprintf(w, "%s for %s (%s), %s of %v, all %v", r.RequestURI, p.Name, p.ID, p.Role(uuid.New()), ids, all)
}

func (s *site) newBrowser() *http.Client {
	browser := *s.server.Client()
	browser.Jar, _ = cookiejar.New(nil)
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser
}

// get returns the status, the address of the redirect and the body.
func (s *site) get(browser *http.Client, address string) (int, string, string) {
	s.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = s.server.URL + address
	}
	r := must.Get(http.NewRequestWithContext(s.t.Context(), http.MethodGet, address, nil))(s.t)
	answer, err := browser.Do(r)
	must.OK(s.t, err)
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header.Get("Location"), string(body)
}

// approved starts a login and returns the address by which the issuer sends the
// browser back.
func (s *site) approved(path string) string {
	s.t.Helper()
	_, toIssuer, body := s.get(s.browser, "/login?return="+url.QueryEscape(path))
	if !strings.HasPrefix(toIssuer, s.issuer.server.URL+"/authorize?") {
		s.t.Fatalf("sent to %q\n%s", toIssuer, body)
	}
	_, back, _ := s.get(s.newBrowser(), toIssuer)
	return back
}

// refused fails unless the address gives the status, and no session.
func (s *site) refused(name, address string, status int) {
	s.t.Helper()
	got, _, body := s.get(s.browser, address)
	if got != status || strings.Contains(body, "PLANTED") {
		s.t.Errorf("%s: got %d %s", name, got, body)
	}
	if got, _, body := s.get(s.browser, "/"); got != http.StatusUnauthorized {
		s.t.Errorf("%s: the console answers %d %s", name, got, body)
	}
	if log := s.log.String(); strings.Contains(log, "PLANTED") || strings.Contains(log, "eyJ") {
		s.t.Errorf("%s: logged %s", name, log)
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	status, _, body := s.get(s.browser, "/documents/x?a=b")
	if status != 401 || !strings.Contains(body, `href="/login?return=%2fdocuments%2fx%3fa%3db"`) &&
		!strings.Contains(body, `href="/login?return=%2Fdocuments%2Fx%3Fa%3Db"`) {
		t.Errorf("got %d %s", status, body)
	}
	status, to, _ := s.get(s.browser, s.approved("/documents/x?a=b"))
	if status != 303 || to != "/documents/x?a=b" {
		t.Errorf("back to %d %q", status, to)
	}
	want := "/documents/x?a=b for ada@example.com (ada-1), operator of [], all true"
	if _, _, body := s.get(s.browser, to); body != want {
		t.Errorf("got %q, want %q", body, want)
	}
	form := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/documents/x/match", nil)
	if p := s.method.Invite(form); p.Link != "/login" {
		t.Errorf("a form is sent again, to %s", p.Link)
	}
}

func TestNoOpenRedirect(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"} {
		if _, to, _ := s.get(s.browser, s.approved(path)); to != "/" {
			t.Errorf("%s: sent to %q", path, to)
		}
	}
}

// The way back counts in the browser that started the login, once, with its state.
func TestCallbackIsBoundToLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	back := s.approved("/")
	s.refused("another state", strings.Replace(back, "state=", "state=X", 1), 400)
	s.refused("the state again, whose cookie is gone", back, 400)

	back = s.approved("/")
	victim := s.browser
	s.browser = s.newBrowser()
	s.refused("another browser", back, 400)
	s.approved("/")
	s.refused("another browser, with a login of its own", back, 400)
	s.browser = victim
	s.refused("no state", s.server.URL+"/login/callback?code=x", 400)

	back = s.approved("/")
	s.refused("another issuer", strings.Replace(back, url.QueryEscape(s.issuer.server.URL), url.QueryEscape("https://evil.example"), 1), 403)
	back = s.approved("/")
	s.refused("an error", strings.Replace(back, "code=", "error=access_denied&x=", 1), 403)
	s.refused("an error beside a code", s.approved("/")+"&error=access_denied", 403)
}

func TestIssParameterIsOptional(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	back := strings.Replace(s.approved("/"), "&iss=", "&x=", 1) // Cognito sends none
	if status, _, body := s.get(s.browser, back); status != 303 {
		t.Errorf("got %d %s", status, body)
	}
}

func TestUnfinishedLoginExpires(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+"/login", nil))(t)
	answer, err := s.browser.Do(r)
	must.OK(t, err)
	defer answer.Body.Close()
	line := answer.Header.Get("Set-Cookie")
	for _, want := range []string{"__Host-matchbook-login=", "; Path=/;", "Max-Age=600;", "HttpOnly", "Secure", "SameSite=Lax"} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
}

func TestCodeNeedsVerifier(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	back := s.approved("/")
	first, _ := url.Parse(back)
	if status, _, _ := s.get(s.browser, back); status != 303 {
		t.Fatalf("got %d", status)
	}
	s.browser = s.newBrowser()
	again, _ := url.Parse(s.approved("/"))
	q := again.Query()
	q.Set("code", first.Query().Get("code"))
	again.RawQuery = q.Encode()
	s.refused("a code that was used", again.String(), 403)

	stolen, _ := url.Parse(s.approved("/"))
	again, _ = url.Parse(s.approved("/")) // has another verifier
	q = again.Query()
	q.Set("code", stolen.Query().Get("code"))
	again.RawQuery = q.Encode()
	s.refused("the code of another login", again.String(), 403)
}

func TestForeignTokensAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	i, now := s.issuer, time.Now()
	for name, change := range map[string]func(){
		"another nonce":      func() { i.claims["nonce"] = "x" },
		"no nonce":           func() { i.claims["nonce"] = "" },
		"another audience":   func() { i.claims["aud"] = "other" },
		"audiences, no azp":  func() { i.claims["aud"] = []string{clientID, "other"} },
		"another party":      func() { i.claims["azp"] = "other" },
		"another issuer":     func() { i.claims["iss"] = "https://evil.example" },
		"expired":            func() { i.claims["exp"] = now.Add(-2 * time.Minute).Unix() },
		"not yet valid":      func() { i.claims["nbf"] = now.Add(time.Hour).Unix() },
		"no subject":         func() { i.claims["sub"] = "" },
		"alg none":           func() { i.sign = i.none },
		"HS256 with the key": func() { i.sign = i.hs256 },
		"foreign signature":  func() { i.sign = i.cut },
		"unknown key":        func() { i.signing = 1 },
		"no token":           func() { i.sign = func(map[string]any) string { return "" } },
		"no JWT":             func() { i.sign = func(map[string]any) string { return "PLANTED" } },
	} {
		i.change(change)
		s.refused(name, s.approved("/"), 403)
		i.change(func() { i.claims, i.sign, i.signing = map[string]any{}, i.rs256, 0 })
	}
	if log := s.log.String(); !strings.Contains(log, "id token expired") {
		t.Errorf("logged %s", log)
	}
	for name, change := range map[string]func(){
		"a clock that is behind":   func() { i.claims["exp"] = now.Add(-30 * time.Second).Unix() },
		"a clock that is ahead":    func() { i.claims["nbf"] = now.Add(time.Minute).Unix() },
		"audiences, with the azp":  func() { i.claims["aud"], i.claims["azp"] = []string{clientID, "other"}, clientID },
		"the keys were replaced":   func() { i.signing, i.listed = 1, 1 },
		"the keys were put back":   func() { i.signing, i.listed = 0, 0 },
		"the same key as the last": func() {},
	} {
		i.change(change)
		s.browser = s.newBrowser()
		if status, _, body := s.get(s.browser, s.approved("/")); status != 303 {
			t.Errorf("%s: got %d %s\n%s", name, status, body, s.log)
		}
		i.change(func() { i.claims = map[string]any{} })
	}
}

func TestSessionOutlivesIssuer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.issuer.change(func() { s.issuer.away = true })
	if status, _, body := s.get(s.browser, "/login"); status != 503 || strings.Contains(body, "PLANTED") {
		t.Errorf("got %d %s", status, body)
	}
	s.issuer.change(func() { s.issuer.away = false })
	s.get(s.browser, s.approved("/"))
	s.issuer.change(func() { s.issuer.away = true })
	if status, _, body := s.get(s.browser, "/"); status != 200 {
		t.Errorf("got %d %s", status, body)
	}
	if log := s.log.String(); !strings.Contains(log, "discover the issuer") || strings.Contains(log, "PLANTED") {
		t.Errorf("logged %s", log)
	}
}

func TestIssuerDownMidLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	back := s.approved("/")
	s.issuer.change(func() { s.issuer.away = true })
	s.refused("away", back, 503)
}

func TestIssuerAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, tc := range map[string]struct {
		path   string
		status int
		code   string
		want   int
	}{
		"a code that it does not know": {"/token", 400, "invalid_grant", 403},
		"another client":               {"/token", 400, "unauthorized_client", 503},
		"too many requests":            {"/token", 429, "slow_down", 503},
		"an error of its own":          {"/token", 500, "", 503},
		"no keys":                      {"/keys", 503, "", 403},
	} {
		s.issuer.change(func() {
			clear(s.issuer.instead)
			s.issuer.instead[tc.path] = func(w http.ResponseWriter, _ *http.Request) {
				answer(w, tc.status, map[string]any{"error": tc.code, "error_description": "PLANTED answer"})
			}
		})
		s.refused(name, s.approved("/"), tc.want)
	}
	if log := s.log.String(); !strings.Contains(log, "or unreadable keys") {
		t.Errorf("logged %s", log)
	}
}

func TestSecretStaysWithIssuer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other address is asked") }))
	t.Cleanup(other.Close)
	s.issuer.instead["/token"] = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}
	s.refused("redirect", s.approved("/"), 403)
}

func TestWrongClientSecret(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *Config) { c.Secret = "PLANTED-wrong" })
	s.refused("wrong secret", s.approved("/"), 503)
	if !strings.Contains(s.log.String(), "issuer rejected the client: invalid client id or secret") {
		t.Errorf("logged %s", s.log)
	}
}

func TestLogoutAtIssuer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if p := s.method.LoggedOut(nil); p.Label != "Log in again" || p.Link != "/" {
		t.Errorf("before any login: got %+v", p)
	}
	for end, want := range map[string]string{
		"": "/", "javascript:alert(1)": "/", "https://issuer.example/logout?a=b": "https://issuer.example/logout?a=b&client_id=console" +
			"&logout_uri=https%3A%2F%2Fconsole.example%2F&post_logout_redirect_uri=https%3A%2F%2Fconsole.example%2F",
	} {
		s := newSite(t)
		s.issuer.ends = end
		s.approved("/")
		s.method.config.Base = "https://console.example"
		if p := s.method.LoggedOut(nil); p.Link != want {
			t.Errorf("%q: got %+v", end, p)
		}
	}
}

func FuzzFlowCookie(f *testing.F) {
	f.Add(flow{"s", "n", "v", "/"}.encode())
	f.Add(flow{"", "n", "v", "/"}.encode()) // a state that every request without one has
	f.Add(flow{"s", "", "v", "/"}.encode())
	f.Add(flow{"s", "n", "", "/"}.encode())
	f.Add("")
	f.Add("bnVsbA")
	f.Fuzz(func(t *testing.T, cookie string) {
		got, ok := decode(cookie)
		if ok && (got.State == "" || got.Nonce == "" || got.Verifier == "") || !ok && got.State != "" && got.Nonce != "" && got.Verifier != "" {
			t.Errorf("%q: got %+v, %v", cookie, got, ok)
		}
		if again, same := decode(got.encode()); ok && (!same || again != got) {
			t.Errorf("%q: got %+v, then %+v", cookie, got, again)
		}
	})
}
