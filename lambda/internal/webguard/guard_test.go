package webguard

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// serve returns the answer of a guarded handler, and the log.
func serve(t *testing.T, next http.HandlerFunc, method string, headers ...string) (*httptest.ResponseRecorder, string) {
	t.Helper()
	var log strings.Builder
	h := Handler(Config{Policy: "default-src 'none'", Log: slog.New(slog.NewTextHandler(&log, nil)),
		Refuse: func(w http.ResponseWriter, status int, sentence string) {
			w.WriteHeader(status)
			fmt.Fprint(w, sentence)
		}}, next)
	r := httptest.NewRequestWithContext(t.Context(), method, "http://console.example/login/PLANTED", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, log.String()
}

func TestCrossSiteRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method, header, value string
		status                int
	}{
		{"POST", "Sec-Fetch-Site", "cross-site", 403},
		{"POST", "Sec-Fetch-Site", "same-site", 403},
		{"DELETE", "Sec-Fetch-Site", "cross-site", 403},
		{"POST", "Origin", "https://evil.example", 403},
		{"POST", "Origin", "null", 403},
		{"POST", "Sec-Fetch-Site", "same-origin", 204},
		{"POST", "Origin", "http://console.example", 204},
		{"GET", "Sec-Fetch-Site", "cross-site", 204},
	} {
		done := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
		w, _ := serve(t, done, tc.method, tc.header, tc.value)
		if w.Code != tc.status {
			t.Errorf("%s, %s: %s: got %d, want %d", tc.method, tc.header, tc.value, w.Code, tc.status)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]*httptest.ResponseRecorder{
		"page":    first(serve(t, func(http.ResponseWriter, *http.Request) {}, "GET")),
		"refused": first(serve(t, nil, "POST", "Sec-Fetch-Site", "cross-site")),
		"panic":   first(serve(t, nil, "GET")),
	} {
		for header, want := range map[string]string{"Content-Security-Policy": "default-src 'none'",
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Cache-Control": "no-store"} {
			if got := answer.Header().Get(header); got != want {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
	}
}

func first[A, B any](a A, _ B) A { return a }

// The log has the place of a panic, and neither its value nor the address, which may have a
// token.
func TestPanicHidesItsValue(t *testing.T) {
	t.Parallel()
	w, log := serve(t, func(http.ResponseWriter, *http.Request) { panic("PLANTED") }, "GET")
	if w.Code != 500 || !strings.Contains(w.Body.String(), "its log has more") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if !strings.Contains(log, "panic (string)") || !strings.Contains(log, "guard_test.go:") || strings.Contains(log, "PLANTED") {
		t.Errorf("logged %s", log)
	}
}
