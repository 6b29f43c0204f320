package erase

import (
	"fmt"
	"slices"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/postgres"
)

func (r *Report) add(n postgres.TableRows) {
	at := slices.IndexFunc(r.Rows, func(t postgres.TableRows) bool { return t.Table == n.Table })
	switch {
	case at >= 0:
		r.Rows[at].Rows += n.Rows
	case n.Rows > 0:
		r.Rows = append(r.Rows, n)
	}
}

// count counts versions. The versions of a file come one after the other.
func (r *Report) count(versions []blob.Version) {
	r.Versions += len(versions)
	keys := map[string]bool{}
	for _, v := range versions {
		keys[v.Key] = true
	}
	r.Files += len(keys)
}

// Text returns the report for a terminal.
func (r *Report) Text() string {
	var p term.Page
	verb := "deleted"
	if r.DryRun {
		verb = "would delete"
	}
	var rows int64
	for _, t := range r.Rows {
		rows += t.Rows
	}
	of := fmt.Sprintf("tenant %s", r.Tenant)
	if n := len(r.Documents); n > 0 {
		of = plural.Of(n, "document") + " of " + of
	}
	p.Line("%s %s: %s, %s in %s", verb, of, plural.Of(int(rows), "row"), plural.Of(r.Files, "file"), plural.Of(r.Versions, "version"))
	for _, d := range r.Documents {
		p.Line("  %s", d)
	}
	for _, t := range r.Rows {
		p.Line("%10d  %s", t.Rows, t.Table)
	}
	if r.DeadLetters > 0 {
		p.Line("%s deleted", plural.Of(r.DeadLetters, "dead letter"))
	}
	if r.Published > 0 {
		p.Line("%s to match again, because they were compared with it", plural.Of(r.Published, "document"))
	}
	return p.String()
}
