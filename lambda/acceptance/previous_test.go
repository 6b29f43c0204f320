package acceptance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
)

// The functions of the version before the newest migration work with the schema of today: while
// a deployment runs, and after a rollback. With -thorough, those before the last five are tried.
func TestPreviousVersionWorks(t *testing.T) {
	t.Parallel()
	commits := migrationCommits(t, testenv.Size(1, 5))
	for _, commit := range commits {
		t.Run(commit[:8], func(t *testing.T) {
			match, sweep := previous(t, commit, manifest.Match.Package, manifest.Sweep.Package)
			l := newLine(t, 1, func(c *local.FunctionConfig) { c.Bootstrap = match })
			ids := l.store(4)
			l.publish(ids...)
			l.drain(ids)
			check(t, "succeeded", query[int](l, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'"), len(ids))
			check(t, "matches", query[int](l, "SELECT count(*) FROM document_match"), len(ids)/2)
			check(t, "ended attempts", query[int](l, "SELECT count(*) FROM attempt WHERE ended_at IS NOT NULL"), len(ids))

			// The sweep's statements are on the tables of all workloads.
			l.exec("UPDATE document SET matching_status = 'in-progress', matching_lease_until = $1, matching_due_at = $1", testStart.Add(-time.Hour))
			s := lambdahost.New(lambdahost.Config{Name: "sweep", Bootstrap: sweep, Timeout: time.Minute, Logs: l.output(), Env: l.Env()})
			defer s.Close()
			if out, err := s.Invoke(t.Context(), []byte(`{}`)); err != nil || !strings.Contains(strings.ToLower(string(out)), `"recovered":4`) {
				t.Errorf("the sweep: got %s, %v", out, err)
			}
			l.drain(ids)
			check(t, "succeeded again", query[int](l, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'"), len(ids))
		})
	}
}

// migrationCommits returns the last n commits that added a migration.
func migrationCommits(t *testing.T, n int) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "log", "--format=%H", "--diff-filter=A", fmt.Sprint("-", n), "--", "migrations/*.sql").Output()
	commits := strings.Fields(string(out))
	if err != nil || len(commits) == 0 {
		t.Skip("skipped: no history of migrations here, as in an archive")
	}
	return commits
}

// previous builds functions of the commit before this one: in this tree, with an overlay of the files that
// changed since, because all other packages are built already.
func previous(t *testing.T, commit string, packages ...string) (match, sweep string) {
	t.Helper()
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", "../.."}, args...)...).Output()
		return string(out), err
	}
	parts := []string{"--", "go.mod", "go.sum", "lambda", "migrations"}
	changed, err := git(append([]string{"diff", "--name-only", "--no-renames", commit + "^"}, parts...)...)
	if err != nil {
		t.Skipf("skipped: the commit before %s is missing, as in a shallow clone", commit[:8])
	}
	added := must.Get(git(append([]string{"ls-files", "--others", "--exclude-standard"}, parts...)...))(t)
	root, dir := must.Get(filepath.Abs("../.."))(t), t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for i, name := range strings.Fields(changed + added) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := "" // it wasn't there
		if old, err := git("cat-file", "blob", commit+"^:"+name); err == nil {
			file = filepath.Join(dir, fmt.Sprint(i, filepath.Ext(name)))
			must.OK(t, os.WriteFile(file, []byte(old), 0o600))
		}
		overlay.Replace[filepath.Join(root, name)] = file
	}
	list := filepath.Join(dir, "overlay.json")
	must.OK(t, os.WriteFile(list, must.Get(json.Marshal(overlay))(t), 0o600))
	var files []string
	for _, pkg := range packages {
		files = append(files, filepath.Join(dir, filepath.Base(pkg)))
		build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-overlay", list, "-o", files[len(files)-1], pkg)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return files[0], files[1]
}
