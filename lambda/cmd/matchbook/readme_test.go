package main

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/pagetest"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

const root = "../../.."

// updatePages writes the list of packages in CONTRIBUTING.md anew.
var updatePages = flag.Bool("update", false, "write what a page lists anew")

// shown returns the arguments and the output of the first command of the pages
// that begins like this.
func shown(t *testing.T, command string) (args []string, output []string) {
	t.Helper()
	for _, page := range pagetest.Read(t, root) {
		for _, c := range page.Commands() {
			if rest, ok := strings.CutPrefix(c.Line, command); ok {
				return strings.Fields(rest), c.Output
			}
		}
	}
	t.Fatalf("no page shows %q", command)
	return nil, nil
}

// wantShown compares what a page shows with what was printed. A line "..." of
// the page stands for any number of lines.
func wantShown(t *testing.T, shown []string, printed string) {
	t.Helper()
	got := strings.Split(strings.ReplaceAll(printed, root+"/", ""), "\n")
	elided := false
	for _, line := range shown {
		if line == "..." {
			elided = true
			continue
		}
		i := slices.IndexFunc(got, func(g string) bool { return steady(g) == steady(line) })
		if i < 0 || i > 0 && !elided {
			t.Fatalf("the page shows\n%s\nbut next comes\n%s", line, strings.Join(got[:min(3, len(got))], "\n"))
		}
		got, elided = got[i+1:], false
	}
}

// steady replaces what differs from run to run.
func steady(line string) string {
	for pattern, with := range map[string]string{
		`\d+\.\d s`:                     "N s",
		`killed \d+ times \(seed \d+\)`: "killed N times (seed N)",
		`^ +\d+ (acknowledged|interrupted) on delivery \d$`: "N $1",
	} {
		line = regexp.MustCompile(pattern).ReplaceAllString(line, with)
	}
	return line
}

func TestReadmeShowsTheRealOutput(t *testing.T) {
	t.Parallel()
	wantReadme(t, "match", exitOK)
}

func TestReadmeShowsTheRealEvidence(t *testing.T) {
	t.Parallel()
	wantReadme(t, "match testdata/documents --verbose", exitOK)
}

func TestReadmeShowsTheRealIngestion(t *testing.T) {
	t.Parallel()
	needTesseract(t)
	wantReadme(t, "ingest", exitFindings) // one of the files is broken
}

// wantReadme runs the first example that begins like this, and compares its output.
func wantReadme(t *testing.T, command string, wantCode int) {
	t.Helper()
	rest, want := shown(t, "go run ./lambda/cmd/matchbook "+command)
	args := append(strings.Fields(command), rest...)
	for i, arg := range args {
		if strings.HasPrefix(arg, "testdata/") {
			args[i] = filepath.Join(root, arg)
		}
	}
	url := postgrestest.EmptyURL(t)
	env := func(name string) string { return map[string]string{manifest.EnvDatabaseURL: url}[name] }
	args = append(args, "--database") // the README's is a private one, which takes longer
	var out bytes.Buffer
	if code := run(t.Context(), args, env, &out, &out); code != wantCode {
		t.Fatalf("exit status %d\n%s", code, &out)
	}
	wantShown(t, want, folded.ReplaceAllString(out.String(), "$1 s"))
}

// folded is a time at the end of a line that has no room for its unit: a slow machine
// has more digits than the page.
var folded = regexp.MustCompile(`(\d\.\d)\n +s\b`)

func TestPageListsThePackagesThatGoTestTests(t *testing.T) {
	t.Parallel()
	_, lines := shown(t, "go test ./...")
	var listed []string
	for _, line := range lines {
		listed = append(listed, strings.Fields(line)[1])
	}
	var tested []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			dir, _ := filepath.Rel(root, filepath.Dir(path))
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
	file := filepath.Join(root, ".github", "CONTRIBUTING.md")
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
