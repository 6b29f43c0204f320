package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

// visitor is the standard error of a review that serves its page: when the review
// is over it visits the page, and interrupts the command.
type visitor struct {
	bytes.Buffer
	interrupt context.CancelFunc
	pages     map[string]string
}

var (
	pageAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/reviews/\S+`)
	served      = []byte("serving the page until")
)

func (v *visitor) Write(p []byte) (int, error) {
	n, err := v.Buffer.Write(p)
	if address := pageAddress.FindString(v.String()); bytes.Contains(p, served) && address != "" {
		v.pages["page"] = body(address)
		v.pages["report"] = body(strings.Replace(address, "/page?", "/report?", 1))
		v.pages["forged"] = body(address + "x")
		v.interrupt()
	}
	return n, err
}

func body(address string) string {
	response, err := http.Get(address)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.Status + " " + string(text)
}

func TestReviewServe(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	ctx, interrupt := context.WithCancel(t.Context())
	v := &visitor{interrupt: interrupt, pages: map[string]string{}}
	env := func(name string) string { return map[string]string{variable.DatabaseURL: url}[name] }
	args := []string{"review", "--serve", "--database", filepath.Join(sampleContracts, "wartungsvertrag.txt")}
	if code := run(ctx, args, env, io.Discard, v); code != cli.ExitOK {
		t.Fatalf("exit status %d\n%s", code, v)
	}
	for name, want := range map[string]string{"page": "200 OK ", "report": "<h2>Categories of clauses</h2>", "forged": "404 "} {
		if !strings.Contains(v.pages[name], want) {
			t.Errorf("%s: got %.200s, want %q", name, v.pages[name], want)
		}
	}
}
