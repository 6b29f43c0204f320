package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

func TestReadmeMatch(t *testing.T) {
	t.Parallel()
	wantReadme(t, "match", cli.ExitOK)
}

func TestReadmeEvidence(t *testing.T) {
	t.Parallel()
	wantReadme(t, "match testdata/documents --verbose", cli.ExitOK)
}

func TestReadmeIngest(t *testing.T) {
	t.Parallel()
	needTesseract(t)
	wantReadme(t, "ingest", cli.ExitFindings) // one of the files is broken
}

// wantReadme runs the first example that begins like this, and compares its output.
func wantReadme(t *testing.T, command string, wantCode int) {
	t.Helper()
	rest, want := clitest.Shown(t, "go run ./lambda/cmd/matchbook "+command)
	args := append(strings.Fields(command), rest...)
	for i, arg := range args {
		if strings.HasPrefix(arg, "testdata/") {
			args[i] = filepath.Join(clitest.Root, arg)
		}
	}
	url := postgrestest.EmptyURL(t)
	env := func(name string) string { return map[string]string{variable.DatabaseURL: url}[name] }
	args = append(args, "--database") // the README's is a private one, which takes longer
	var out bytes.Buffer
	if code := run(t.Context(), args, env, &out, &out); code != wantCode {
		t.Fatalf("exit status %d\n%s", code, &out)
	}
	text := folded.ReplaceAllString(out.String(), "$1 s")
	text = kills.ReplaceAllString(text, "killed 2 times")
	clitest.WantShown(t, want, delivered.ReplaceAllString(text, "10 acknowledged on delivery 3"))
}

// A busy machine is killed once or three times instead of twice, and so other documents are
// delivered again.
var (
	kills     = regexp.MustCompile(`killed [1-9]\d* times?`)
	delivered = regexp.MustCompile(`\d+ acknowledged on delivery [23]`)
)

// folded is a time at the end of a line that has no room for its unit: a slow machine
// has more digits than the page.
var folded = regexp.MustCompile(`(\d\.\d)\n +s\b`)
