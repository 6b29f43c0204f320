package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/golden"
)

// seconds of a duration until now depend on the machine's load.
var seconds = regexp.MustCompile(`\b(\d+h\d+m)\d+s\b`)

// compare compares whole pages, and what is stored, with a file.
func compare(t testing.TB, name string, pages ...answer) {
	t.Helper()
	var got strings.Builder
	for i, p := range pages {
		main := p.body
		if head, rest, ok := strings.Cut(p.body, "<main"); ok && i > 0 { // one page of a file has the frame
			main = regexp.MustCompile("<title>.*").FindString(head) + "\n" + rest
		}
		fmt.Fprintf(&got, "%d %s %s\n%s\n\n", p.code, p.path, p.kind, strings.TrimSpace(main))
	}
	golden.Compare(t, name+".html", seconds.ReplaceAllString(got.String(), "${1}0s"))
}

// part is what a page has from one text to another.
func (a answer) part(t testing.TB, from, to string) answer {
	t.Helper()
	_, rest, ok := strings.Cut(a.body, from)
	rest, _, end := strings.Cut(rest, to)
	if !ok || !end {
		t.Fatalf("%s: no %s in\n%s", a.path, from, a.text())
	}
	a.body = from + rest
	return a
}

// done lists the notices of a page after each act.
func (c *client) done(page string) (a answer) {
	c.t.Helper()
	for _, act := range []string{"confirmed", "rejected", "withdrawn", "published", "finished", "read", "dismissed", "divided", "approve", "hold", "dispute",
		"withdraw", "comment", "assign", "settled", "accept", "reject", "reopen", "tolerance", "x"} {
		_, said, _ := strings.Cut(c.page(page+"?done="+act).body, `class="done"`)
		said, _, _ = strings.Cut(said, "</p>")
		a.body += act + said + "\n"
	}
	return a
}

// stored lists all columns of tables, as they were written.
func (s *site) stored(tables ...string) (a answer) {
	s.t.Helper()
	for _, table := range tables {
		a.path += " " + table
		a.body += found[string](s, "SELECT coalesce(string_agg(to_jsonb(t)::text, E'\n' ORDER BY ctid) || E'\n', '') FROM "+table+" AS t")
	}
	return a
}

// journal has what a console answered to acts and mistakes of a test, whatever the test looks at.
type journal struct {
	mu   sync.Mutex
	list []string
}

// newJournal compares the answers, and what was logged, with a file at the end of the test.
func newJournal(t testing.TB, logged fmt.Stringer) *journal {
	t.Helper()
	j := &journal{}
	t.Cleanup(func() {
		if len(j.list) > 0 && !t.Failed() {
			for line := range strings.Lines(logged.String()) {
				_, line, _ = strings.Cut(strings.TrimSpace(line), " ") // without its time
				j.list = append(j.list, anyID.ReplaceAllString(line, "ID"))
			}
			slices.Sort(j.list) // some clicks are at once
			golden.Compare(t, "answers/"+strings.ReplaceAll(t.Name(), "/", "-")+".txt", strings.Join(j.list, "\n")+"\n")
		}
	})
	return j
}

var (
	anyID   = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|1[78][0-9]{14}`) // or the microsecond of a place in a list
	noticed = regexp.MustCompile(`<h1>.*?</h1>|<p class="(?:done|problem)" role="(?:status|alert)">.*?</p>|<p>.*?</p>\n<p><a href="/">|` +
		`<ul class="flaws".*?</ul>|data-of="[^"]*" aria-live="polite">[^<]+`)
)

// note keeps the answer to an act, any other than a page, and where a link leads to.
func (j *journal) note(method, path string, a answer) {
	kind, page := strings.CutPrefix(" "+a.kind, " text/html; charset=utf-8")
	switch fine := method == http.MethodGet && a.code == http.StatusOK; {
	case fine && page && (a.path == path || strings.HasPrefix(path, "/login")):
		return
	case fine:
		a.body = ""
	case page:
		a.body = strings.Join(noticed.FindAllString(a.body, -1), "\n")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list = append(j.list, anyID.ReplaceAllString(fmt.Sprintf("%s %s\n\t%d %s%s %s", method, path, a.code, a.path, kind, a.text()), "ID"))
}
