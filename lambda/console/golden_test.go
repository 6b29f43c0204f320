package console_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/internal/golden"
)

// compare compares whole pages, and what is stored, with a file.
func compare(t testing.TB, name string, pages ...answer) {
	t.Helper()
	var got strings.Builder
	for i, p := range pages {
		_, main, ok := strings.Cut(p.body, "<main")
		if !ok || i == 0 { // one page of a file has the frame
			main = p.body
		}
		fmt.Fprintf(&got, "%d %s %s\n%s\n\n", p.code, p.path, p.kind, strings.TrimSpace(main))
	}
	golden.Compare(t, name+".html", got.String())
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
