package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// old are sentences of the old kind, with the words that are refused, in each kind of text.
var old = []struct{ file, text, refused string }{
	{"a.go", "// Rows is those that are claimed.\npackage a\n", `"those that"`},
	{"b.go", "// Package b has a lease whose end is near.\npackage b\n", `"whose"`},
	{"c.go", "package c\n\n// c runs beside the queue.\nvar c = 1\n", `"beside"`},
	{"d.go", "package d\n\nvar d = 1 // a connection of its own\n", `"of its own"`},
	{"e.md", "# E\n\nThe file is read\nanew.\n", `"anew"`},
	{"f.md", "A folder stands in\nplace of the bucket.\n", `"in place of"`},
	{"g.md", "What counts is what a person sees.\n", `"is what"`},
	{"h.go", "package h\n\nvar h = fmt.Errorf(\"%.20q is no severity\", x)\n", `"is no"`},
	{"i.go", "package i\n\nvar i = errors.New(\"the model is of a kind\" +\n\t\" we can't ask\")\n", `"the"`},
	{"j.go", "package j\n\nvar j = cobra.Command{Short: \"Show the ones that failed\"}\n", `"the ones that"`},
	{"k.go", "package k\n\nfunc k(f *pflag.FlagSet) { f.BoolVar(&x, \"x\", false, \"a try of no use\") }\n", `"of no use"`},
}

func TestRefusesOldSentences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, o := range old {
		must.OK(t, os.WriteFile(filepath.Join(dir, o.file), []byte(o.text), 0o600))
	}
	ok, report := checked(t, dir)
	if ok {
		t.Error("accepted")
	}
	for _, o := range old {
		place := filepath.Join(dir, o.file)
		found := false
		for line := range strings.Lines(report) {
			found = found || strings.HasPrefix(line, place) && strings.Contains(line, o.refused)
		}
		if !found {
			t.Errorf("%s: %s is not refused:\n%s", o.file, o.refused, report)
		}
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.md")
	good := "You must close it, because a row stays leased otherwise."
	must.OK(t, os.WriteFile(file, []byte(good), 0o600))
	if ok, report := checked(t, dir); !ok {
		t.Errorf("refused:\n%s", report)
	}
	must.OK(t, os.WriteFile(file, []byte(good+strings.Repeat(" A row that waits.", 10)), 0o600))
	if ok, report := checked(t, dir); ok || !strings.Contains(report, "that, which") {
		t.Errorf("accepted:\n%s", report)
	}
}

// Code, golden files and tests are no prose.
func TestLeavesCodeAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"page.md":           "You must see `whose`, so use it.\n\n```\n$ echo whose\n```\n",
		"a_test.go":         "// whose\npackage a\n",
		"CHANGELOG.md":      "whose",
		"testdata/shown.md": "whose",
	} {
		must.OK(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o700))
		must.OK(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	if ok, report := checked(t, dir); !ok {
		t.Errorf("refused:\n%s", report)
	}
}

func checked(t *testing.T, dir string) (ok bool, report string) {
	t.Helper()
	texts := must.Get(read(dir))(t)
	var b strings.Builder
	return check(&b, texts), b.String()
}
