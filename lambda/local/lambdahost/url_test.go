package lambdahost

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/internal/gatetest"
)

// newURL serves the URL of a test function.
func newURL(t *testing.T, cfg Config) (url string, f *Function) {
	t.Helper()
	cfg.Env = append(cfg.Env, "URL=1")
	f = newTestFunction(t, cfg)
	server := httptest.NewServer(f.URL())
	t.Cleanup(server.Close)
	return server.URL, f
}

func TestURLRequest(t *testing.T) {
	t.Parallel()
	url, _ := newURL(t, Config{})
	for contentType, body := range map[string]string{"application/json": `{"a":"ü"}`, "application/pdf": "\x00\xff\x01",
		"text/plain": ""} {
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/echo?q=1%20%26", strings.NewReader(body)))(t)
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("X-Given", "y")
		response, err := http.DefaultClient.Do(r)
		must.OK(t, err)
		got, err := io.ReadAll(response.Body)
		response.Body.Close()
		h := response.Header
		if err != nil || string(got) != body || response.StatusCode != http.StatusTeapot || h.Get("X-Method") != "POST" ||
			h.Get("X-Query") != "1 &" || h.Get("X-Host") != strings.TrimPrefix(url, "http://")+" y" || h.Get("Set-Cookie") != "a=1" {
			t.Errorf("%s: got %q, %v, %d, %v", contentType, got, err, response.StatusCode, h)
		}
	}
}

// What the function wrote is there while it goes on.
func TestURLStreams(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	url, _ := newURL(t, Config{})
	response, err := http.Get(url + "/stream?addr=" + g.Addr())
	must.OK(t, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	if !lines.Scan() || lines.Text() != "first" {
		t.Fatalf("got %q, %v", lines.Text(), lines.Err())
	}
	process := g.Next()
	second, err := http.Get(url + "/echo")
	if err != nil || second.StatusCode != http.StatusTooManyRequests {
		t.Errorf("its only environment is busy: got %v, %v", second.Status, err)
	}
	second.Body.Close()
	process.Release()
	if !lines.Scan() || lines.Text() != "second" || lines.Scan() || lines.Err() != nil {
		t.Errorf("got %q, %v", lines.Text(), lines.Err())
	}
}

// A client that goes away does not end the invocation, as in AWS.
func TestURLClientMayLeave(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	url, f := newURL(t, Config{MaxConcurrency: 2})
	response, err := http.Get(url + "/stream?addr=" + g.Addr())
	must.OK(t, err)
	process := g.Next()
	response.Body.Close()
	if !f.Kill(nil) {
		t.Error("no environment is busy")
	}
	process.WaitForEnd()
}

// A process that dies in its response does not look as if it had finished.
func TestURLDeadProcess(t *testing.T) {
	t.Parallel()
	g := gatetest.New(t)
	url, f := newURL(t, Config{})
	response, err := http.Get(url + "/stream?addr=" + g.Addr())
	must.OK(t, err)
	defer response.Body.Close()
	g.Next()
	f.Kill(nil)
	if got, err := io.ReadAll(response.Body); err == nil || string(got) != "first\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestURLRefusals(t *testing.T) {
	t.Parallel()
	url, _ := newURL(t, Config{})
	response, err := http.Post(url+"/echo", "text/plain", bytes.NewReader(make([]byte, maxPayload+1)))
	if err != nil || response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: got %v, %v", response, err)
	}
	response.Body.Close()
	plain := newTestFunction(t, Config{}) // answers without a head
	server := httptest.NewServer(plain.URL())
	defer server.Close()
	response, err = http.Get(server.URL)
	if err != nil || response.StatusCode != http.StatusBadGateway {
		t.Errorf("no head: got %v, %v", response, err)
	}
	response.Body.Close()
}
