package login

import (
	"net/url"
	"strings"
	"testing"
)

func TestReturnPathStaysOnSite(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/documents/x":           "/documents/x",
		"/documents?state=a&q=b": "/documents?state=a&q=b",
		"/a%2f%2fb":              "/a%2f%2fb",
	} {
		if got := ReturnPath(path); got != want {
			t.Errorf("%q: got %q", path, got)
		}
	}
	for _, path := range []string{"", "documents", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example",
		"https://evil.example", "https:evil.example", "javascript:alert(1)", "/\t/evil.example", "/\n/evil.example",
		" /documents", "/x\r\nSet-Cookie: a=b", "http:///evil.example", "@evil.example", "/logout", "/login",
		"/login/callback?code=1", "/%zz", "/" + strings.Repeat("a", 2000)} {
		if got := ReturnPath(path); got != "/" {
			t.Errorf("%q: got %q", path, got)
		}
	}
}

func FuzzReturnPath(f *testing.F) {
	for _, seed := range []string{"/", "//evil.example", "/\\evil", "/a?b#c", "/%2f/evil", "/\t/evil"} {
		f.Add(seed)
	}
	base, _ := url.Parse("https://console.example/login")
	f.Fuzz(func(t *testing.T, path string) {
		got := ReturnPath(path)
		// A browser drops tabs and newlines, and takes a backslash for a slash.
		seen := strings.NewReplacer("\t", "", "\r", "", "\n", "", "\\", "/").Replace(strings.TrimSpace(got))
		to, err := base.Parse(seen)
		if err != nil || to.Host != "console.example" || to.Scheme != "https" || to.User != nil {
			t.Errorf("%q leads to %q", path, to)
		}
	})
}

// Whatever a cookie has, it is a session or none.
func FuzzCookie(f *testing.F) {
	f.Add("")
	f.Add("__Host-matchbook=AAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Add("__Host-matchbook=\x00; __Host-matchbook=\"")
	f.Fuzz(func(t *testing.T, header string) {
		s := newGate(t)
		if status := s.get(header); status != 401 {
			t.Errorf("%q: got %d", header, status)
		}
	})
}
