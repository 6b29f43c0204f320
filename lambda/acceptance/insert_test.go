package acceptance_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// The example of INTEGRATE.md, as it stands there, inserts two rows and sends
// nothing. The sweep publishes them, they match, and its query finds the match.
func TestOtherLanguagesInsert(t *testing.T) {
	t.Parallel()
	testenv.Program(t, "python3", "apt-get install python3")
	wantInserted(t, exec.CommandContext(t.Context(), "python3", "-c", pageExample(t, "python")))
}

// wantInserted runs a program of the page, and wants its documents matched.
func wantInserted(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	testenv.Program(t, "psql", "apt-get install postgresql-client")
	l := newLineAt(t, time.Time{}, 2) // defaults know the real time only
	cmd.Env = append(os.Environ(), "DATABASE_URL="+l.conn.Config().ConnString())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if r, err := l.Sweep(t.Context()); err != nil || r.Inserted != 0 {
		t.Errorf("at once the sweep published %+v, error %v; the program may still send messages itself", r, err)
	}
	must.OK(t, l.Advance(t.Context(), time.Minute+time.Second))
	r, err := l.Sweep(t.Context())
	if err != nil || r.Inserted != 2 {
		t.Fatalf("the sweep published %+v, error %v; want the two documents", r, err)
	}
	waitFor(t, "both documents succeed", func() bool {
		return query[int](l, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'") == 2
	})
	read := exec.CommandContext(t.Context(), "psql", l.conn.Config().ConnString(), "-qXAt", "-v", "ON_ERROR_STOP=1", "-c", pageExample(t, "sql"))
	out, err := read.CombinedOutput()
	if got := strings.Fields(strings.ReplaceAll(string(out), "|", " ")); err != nil || len(got) != 4 || got[3] != "rules" ||
		!slices.Contains(got, "PO-7") || !slices.Contains(got, "RE-1") {
		t.Errorf("%v\n%s", err, out)
	}
}

// pageExample is the page's first block of code in that language.
func pageExample(t *testing.T, language string) string { return pageExampleAfter(t, "", language) }

// pageExampleAfter is the first one after a heading.
func pageExampleAfter(t *testing.T, heading, language string) string {
	t.Helper()
	text := must.Get(os.ReadFile("../INTEGRATE.md"))(t)
	_, rest, _ := strings.Cut(string(text), heading)
	_, after, found := strings.Cut(rest, "```"+language+"\n")
	code, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatalf("lambda/INTEGRATE.md has no example in %s", language)
	}
	return code
}
