package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

func TestReadmeShowsTheRealOutput(t *testing.T) {
	t.Parallel()
	wantReadme(t, "match", cli.ExitOK)
}

func TestReadmeShowsTheRealEvidence(t *testing.T) {
	t.Parallel()
	wantReadme(t, "match testdata/documents --verbose", cli.ExitOK)
}

func TestReadmeShowsTheRealIngestion(t *testing.T) {
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
	env := func(name string) string { return map[string]string{manifest.EnvDatabaseURL: url}[name] }
	args = append(args, "--database") // the README's is a private one, which takes longer
	var out bytes.Buffer
	if code := run(t.Context(), args, env, &out, &out); code != wantCode {
		t.Fatalf("exit status %d\n%s", code, &out)
	}
	clitest.WantShown(t, want, folded.ReplaceAllString(out.String(), "$1 s"))
}

// folded is a time at the end of a line that has no room for its unit: a slow machine
// has more digits than the page.
var folded = regexp.MustCompile(`(\d\.\d)\n +s\b`)

func TestPageListsThePackagesThatGoTestTests(t *testing.T) {
	t.Parallel()
	_, lines := clitest.Shown(t, "go test ./...")
	var listed []string
	for _, line := range lines {
		listed = append(listed, strings.Fields(line)[1])
	}
	var tested []string
	err := filepath.WalkDir(clitest.Root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			dir, _ := filepath.Rel(clitest.Root, filepath.Dir(path))
			tested = append(tested, "matchbook/"+filepath.ToSlash(dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(tested)
	if tested = slices.Compact(tested); !slices.Equal(listed, tested) {
		if *updatePages {
			listPackages(t, lines, tested)
			return
		}
		t.Errorf("the page lists\n%s\nbut tests are in\n%s\n-update writes it anew", strings.Join(listed, "\n"), strings.Join(tested, "\n"))
	}
}

// listPackages writes the list of packages anew, with the times that were
// there.
func listPackages(t *testing.T, lines, tested []string) {
	t.Helper()
	file := filepath.Join(clitest.Root, ".github", "CONTRIBUTING.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var now []string
	for _, name := range tested {
		line := "ok  \t" + name + "\t(cached)"
		if i := slices.IndexFunc(lines, func(l string) bool { return strings.Fields(l)[1] == name }); i >= 0 {
			line = lines[i]
		}
		now = append(now, line)
	}
	anew := strings.Replace(string(text), strings.Join(lines, "\n"), strings.Join(now, "\n"), 1)
	if err := os.WriteFile(file, []byte(anew), 0o644); err != nil {
		t.Fatal(err)
	}
}
