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

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

const root = "../../.."

func readme(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// shown returns the block of the README that shows a command and its output.
func shown(t *testing.T, command string) (args []string, output []string) {
	t.Helper()
	for block := range strings.SplitSeq(readme(t), "```") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if rest, ok := strings.CutPrefix(lines[0], "$ "+command); ok {
			return strings.Fields(rest), lines[1:]
		}
	}
	t.Fatalf("the README does not show %q", command)
	return nil, nil
}

// steady replaces what differs from run to run.
func steady(line string) string {
	for pattern, with := range map[string]string{
		`\d+\.\d s`:                              "N s",
		`killed \d+ times \(seed \d+\)`:          "killed N times (seed N)",
		`^ +\d+ (acknowledged|interrupted) on .`: "N $1",
	} {
		line = regexp.MustCompile(pattern).ReplaceAllString(line, with)
	}
	return line
}

func TestReadmeShowsTheRealOutput(t *testing.T) {
	t.Parallel()
	args, want := shown(t, "go run ./lambda/cmd/matchbook")
	for i, arg := range args {
		if strings.HasPrefix(arg, "testdata/") {
			args[i] = filepath.Join(root, arg)
		}
	}
	url := postgrestest.EmptyURL(t)
	env := func(name string) string { return map[string]string{manifest.EnvDatabaseURL: url}[name] }
	args = append(args, "--database") // the README's is a private one, which takes longer
	var out bytes.Buffer
	if code := run(t.Context(), args, env, &out, &out); code != exitOK {
		t.Fatalf("exit status %d\n%s", code, &out)
	}
	got := strings.Split(strings.ReplaceAll(out.String(), root+"/", ""), "\n")
	elided := false
	for _, line := range want {
		if line == "..." {
			elided = true
			continue
		}
		i := slices.IndexFunc(got, func(g string) bool { return steady(g) == steady(line) })
		if i < 0 || i > 0 && !elided {
			t.Fatalf("the README shows\n%s\nbut what comes next is\n%s", line, strings.Join(got[:min(3, len(got))], "\n"))
		}
		got, elided = got[i+1:], false
	}
}

func TestReadmeListsThePackagesThatGoTestTests(t *testing.T) {
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
		t.Errorf("the README lists\n%s\nbut tests are in\n%s", strings.Join(listed, "\n"), strings.Join(tested, "\n"))
	}
}

func TestReadmeLinksLeadToTheTestsTheyName(t *testing.T) {
	t.Parallel()
	links := regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`).FindAllStringSubmatch(readme(t), -1)
	tests := 0
	for _, link := range links {
		raw, err := os.ReadFile(filepath.Join(root, link[2]))
		switch {
		case err != nil:
			t.Errorf("%s: %v", link[0], err)
		case strings.HasPrefix(link[1], "Test"):
			tests++
			if !strings.Contains(string(raw), "func "+link[1]+"(") {
				t.Errorf("%s holds no %s", link[2], link[1])
			}
		}
	}
	if tests < 5 {
		t.Errorf("only %d tests are linked", tests)
	}
}
