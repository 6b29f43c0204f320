package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest/variable"
)

// browser is the standard output of a console: it follows the link, and interrupts the
// command.
type browser struct {
	bytes.Buffer
	interrupt context.CancelFunc
	first     string
	again     string // without a cookie
}

// Write follows the link.
func (b *browser) Write(p []byte) (int, error) {
	defer b.interrupt()
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	link := strings.TrimSpace(string(p))
	if response, err := client.Get(link); err == nil {
		var page bytes.Buffer
		_, _ = page.ReadFrom(response.Body)
		b.first = response.Status + " " + page.String()
		response.Body.Close()
	}
	b.again = body(link)
	return b.Buffer.Write(p)
}

func TestConsoleUntilInterrupt(t *testing.T) {
	t.Parallel()
	url := storedSample(t)
	env := func(name string) string { return map[string]string{variable.DatabaseURL: url}[name] }
	ctx, interrupt := context.WithCancel(t.Context())
	b, problems := &browser{interrupt: interrupt}, &bytes.Buffer{}
	if code := run(ctx, []string{"console", "--tenant", lampTenant, "--role", "viewer", "--by", "paula"}, env, b, problems); code != cli.ExitOK {
		t.Fatalf("exit status %d\n%s", code, problems)
	}
	if !strings.HasPrefix(b.first, "200 OK") || !strings.Contains(b.first, "<bdi>paula</bdi>") || !strings.Contains(b.first, lampTenant) {
		t.Errorf("the first time: %.300s", b.first)
	}
	if !strings.HasPrefix(b.again, "403 ") {
		t.Errorf("the second time: %.100s", b.again)
	}
	wantRefused(t, url, "console", clitest.Refusals{
		{[]string{"--role", "x"}, "--role"}, {[]string{"--tenant", "x"}, "--tenant"}, {[]string{"--addr", "nowhere:x"}, "--addr"}})
}
