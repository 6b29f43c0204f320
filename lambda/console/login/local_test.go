package login

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// newLocalSite serves a console as `matchbook console` does.
func newLocalSite(t *testing.T) (*site, *Local) {
	t.Helper()
	s := &site{t: t, clock: &clock{at: time.Now()}, log: &strings.Builder{}}
	l := NewLocal(ada)
	l.now = s.clock.now
	s.start(httptest.NewServer, l.Handler(s.logger(), http.HandlerFunc(greet)))
	return s, l
}

func TestLinkWorksOnce(t *testing.T) {
	t.Parallel()
	s, l := newLocalSite(t)
	s.want(401, "Open the link", "GET", "/")
	s.want(403, "does not work", "GET", "/login/AAAAAAAAAAAAAAAAAAAAAAAAAA")
	s.want(403, "does not work", "GET", l.Link()[:len(l.Link())-1])
	s.want(200, "", "HEAD", l.Link())
	s.want(303, "", "GET", l.Link())
	s.want(200, "for Ada", "GET", "/")
	s.want(303, "", "GET", l.Link()) // opened again in the same browser
	other, _ := cookiejar.New(nil)
	s.browser.Jar = other
	s.want(403, "It works once", "GET", l.Link())
	s.want(401, "Open the link", "GET", "/")
}

func TestLinkExpires(t *testing.T) {
	t.Parallel()
	s, l := newLocalSite(t)
	s.clock.pass(LinkLife - time.Second)
	if !l.use(strings.TrimPrefix(l.Link(), "/login/")) {
		t.Error("it does not work to the end")
	}
	s, l = newLocalSite(t)
	s.clock.pass(LinkLife + time.Second)
	s.want(403, "does not work", "GET", l.Link())
}

func TestLinksAreUnique(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for range 1000 {
		known[NewLocal(ada).Link()] = true
	}
	if len(known) != 1000 {
		t.Errorf("%d links", len(known))
	}
}

func TestLocalCookie(t *testing.T) {
	t.Parallel()
	s, l := newLocalSite(t)
	_, h, _ := s.do("GET", l.Link())
	line, port := h.Get("Set-Cookie"), s.server.URL[strings.LastIndexByte(s.server.URL, ':')+1:]
	for _, want := range []string{"matchbook-" + port + "=", "; Path=/;", "HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
	if strings.Contains(line, "Secure") {
		t.Errorf("got %s, which no browser sends over http", line)
	}
	s.clock.pass(8*time.Hour - time.Second)
	s.want(200, "for Ada", "GET", "/")
	s.clock.pass(8 * time.Hour)
	s.want(401, "", "GET", "/")
}

func TestLocalSessionLife(t *testing.T) {
	t.Parallel()
	s, l := newLocalSite(t)
	s.do("GET", l.Link())
	for range 3 {
		s.clock.pass(8*time.Hour - time.Second)
		s.want(200, "for Ada", "GET", "/")
	}
	s.clock.pass(3 * time.Second)
	s.want(401, "Open the link", "GET", "/")
}

func TestDNSRebindingIsRefused(t *testing.T) {
	t.Parallel()
	s, l := newLocalSite(t)
	for _, host := range []string{"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example:1",
		"192.168.0.7:80", "0.0.0.0:80", "[2001:db8::1]:80", "2130706433"} {
		s.want(421, "127.0.0.1 or localhost", "GET", l.Link(), "Host", host)
	}
	for _, host := range []string{"localhost:80", "localhost", "127.0.0.1:1", "127.0.0.1", "[::1]:80", "[::1]"} {
		s.want(401, "Open the link", "GET", "/", "Host", host)
	}
	s.want(303, "", "GET", l.Link()) // no other name used it up
}
