package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/reviewrun"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/record"
)

// Files and folders in one command: a table or a list, a report of each, and the reason of
// each refusal.
func TestReviewSeveral(t *testing.T) {
	t.Parallel()
	url, folder, reports := postgrestest.EmptyURL(t), t.TempDir(), filepath.Join(t.TempDir(), "reports")
	must.OK(t, os.Mkdir(filepath.Join(folder, "more"), 0o700))
	for name, text := range map[string]string{
		"lease.html":      "<html><h1>LEASE</h1><ol><li>Either party may terminate for convenience.<li>This Lease is governed by the laws of Kenya.</ol>",
		"more/terms.txt":  "TERMS\n\n1. The liability of the Supplier is limited to EUR 500.\n",
		"old.doc":         "\xd0\xcf\x11\xe0 Word",
		"more/labels.csv": "a,b",
		".hidden.txt":     "hidden",
	} {
		must.OK(t, os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	args := []string{"review", filepath.Join(sampleContracts, "wartungsvertrag.txt"), folder, filepath.Join(folder, "old.doc"),
		filepath.Join(folder, "lease.html"), "--database", "--model", "none"}
	list := decode[[]reviewrun.Listed](t, ends(t, url, cli.ExitFindings, append(args, "--json", "--markdown", reports)...))
	var got []string
	for _, l := range list {
		state := l.Refused
		if l.Result != nil {
			state = string(l.Status)
		}
		got = append(got, filepath.Base(l.File)+": "+state)
	}
	want := []string{"wartungsvertrag.txt: completed", "lease.html: completed", "terms.txt: completed",
		"old.doc: unsupported format, an old office document; save it as PDF or DOCX"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
	for _, name := range []string{"01 wartungsvertrag.md", "02 lease.md", "03 terms.md"} {
		if raw, err := os.ReadFile(filepath.Join(reports, name)); err != nil || !strings.Contains(string(raw), "## ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range list[1].Categories {
		if c.Name == record.GoverningLaw && (len(c.Marks) != 1 || !strings.Contains(c.Marks[0].Quote, "the laws of Kenya")) {
			t.Errorf("governing law: %+v", c.Marks)
		}
	}
	code, out, errOut := matchbook(t, url, args...)
	for _, want := range []string{"CONTRACTS", "complete ", "4 contracts: 3 complete, 0 incomplete, 1 refused; USD 0.0000"} {
		if code != cli.ExitFindings || !strings.Contains(out, want) {
			t.Errorf("exit status %d without %q\n%s", code, want, out)
		}
	}
	if want := "left out 1 file of other kinds, such as " + filepath.Join(folder, "more", "labels.csv"); !strings.Contains(errOut, want) {
		t.Errorf("no %q in\n%s", want, errOut)
	}
}
