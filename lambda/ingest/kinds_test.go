package ingest_test

import (
	"bytes"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/internal/golden"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

func kindsRows(t *testing.T) (rows []kindsRow) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(strings.TrimRight(kindsTable, "\n")+moreKindsTable), "\n") {
		f := strings.Fields(line)
		if len(f) != 9 {
			t.Fatalf("%q has %d columns, want 9", line, len(f))
		}
		rows = append(rows, kindsRow{f[0], f[1], strings.ReplaceAll(f[2], "_", " "), f[3], f[4], f[5], f[6], f[7], f[8], i})
	}
	return rows
}

// forPeople are the kinds that nothing but a person may accept.
var forPeople = []string{"badlines", "proforma", "reminder", "quote", "statement", "copy", "nocurrency", "missing", "draftly", "dunned", "selfbill"}

// inTwo are the kinds with two documents.
var inTwo = []string{"two", "stray", "turned", "twoup", "stacked"}

// file prints a row.
func (r kindsRow) file(t *testing.T) []byte {
	t.Helper()
	d := newDraft(r)
	pages := d.draw()
	if slices.Contains(inTwo, r.kind) {
		other := d.second()
		if r.kind == "stray" {
			other.meta = other.meta[1:] // no number
		}
		pages = append(pages, other.draw()...)
		pages = r.onOneSheet(pages)
	}
	content := printedPDF(pages)
	if r.kind != "turned" {
		return content
	}
	reader := must.Get(parser())(t)
	doc := must.Get(reader.Open(t.Context(), bytes.NewReader(content), int64(len(content))))(t)
	defer doc.Close()
	const dpi = 200
	first, second := must.Get(doc.Render(t.Context(), 1, dpi))(t), must.Get(doc.Render(t.Context(), 2, dpi))(t)
	return scannedPages([]*image.Gray{first, turned(second)})
}

// onOneSheet prints two pages on one, at half their size: next to each other, or one above the
// other.
func (r kindsRow) onOneSheet(pages [][]piece) [][]piece {
	if r.kind != "twoup" && r.kind != "stacked" {
		return pages
	}
	var all []piece
	for i, page := range pages {
		for _, p := range page {
			p.x, p.y, p.size = p.x/2, p.y/2, p.size/2
			if r.kind == "stacked" {
				p.y += 421 * float64(i)
			} else {
				p.x += 297 * float64(i)
			}
			all = append(all, p)
		}
	}
	return [][]piece{all}
}

// outcome is right, people or wrong, and why it is wrong: as score.py has it.
func (r kindsRow) outcome(docs []ingestion.Extracted) (outcome, why string) {
	person := len(docs) == 0 || slices.ContainsFunc(docs, func(d ingestion.Extracted) bool { return !d.Valid })
	switch {
	case slices.Contains(forPeople, r.kind) && person:
		return "right", ""
	case slices.Contains(forPeople, r.kind):
		return "wrong", "accepted " + text(docs)
	case person:
		return "people", strings.TrimSpace(text(docs))
	case slices.Contains(inTwo, r.kind) && len(docs) < 2:
		return "wrong", "one document for two"
	}
	var bad []string
	for path, want := range newDraft(r).wants() {
		if got := valueAt(docs[0], path); !sameValue(got, want) {
			bad = append(bad, fmt.Sprintf("%s is %q, want %q", path, got, want))
		}
	}
	if slices.Sort(bad); len(bad) > 0 {
		return "wrong", strings.Join(bad, "; ")
	}
	return "right", ""
}

func valueAt(d ingestion.Extracted, path string) string {
	if path == "type" {
		return string(d.Type)
	}
	for _, v := range extraction.Values(d.Data) {
		if v.Path == path {
			return v.Text
		}
	}
	return ""
}

// values lists all values that were read, and what a person is asked about.
func values(docs []ingestion.Extracted) string {
	var all []string
	for _, d := range docs {
		all = append(all, string(d.Type))
		for _, v := range extraction.Values(d.Data) {
			all = append(all, v.Path+"="+v.Text)
		}
		all = append(all, d.Reasons...)
	}
	return strings.Join(all, " | ")
}

// sameValue disregards signs of amounts, blanks and case.
func sameValue(got, want string) bool {
	a, errA := document.ParseAmount(strings.TrimPrefix(got, "-"))
	b, errB := document.ParseAmount(strings.TrimPrefix(want, "-"))
	if errA == nil && errB == nil && a.Canonical() == b.Canonical() {
		return true
	}
	squash := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
	return squash(got) == squash(want)
}

// Files of the kinds that have once passed with a wrong value. None may, in other
// languages, layouts and companies either; asking a person is no mistake.
func TestKindsPassNothingWrong(t *testing.T) {
	t.Parallel()
	engine, noOCR := tesseract.New(t.Context(), tesseract.Config{Time: time.Hour})
	var mu sync.Mutex
	count, rows, read := map[string]int{}, kindsRows(t), []string{}
	usual := func(r kindsRow) bool { return r.place < reported || r.place%3 == 0 }
	if !testenv.Thorough() {
		rows = slices.DeleteFunc(rows, func(r kindsRow) bool { return !usual(r) })
	}
	t.Run("files", func(t *testing.T) {
		for _, row := range rows {
			t.Run(row.name(), func(t *testing.T) {
				t.Parallel()
				if row.kind == "turned" && noOCR != nil {
					testenv.Missing(t, noOCR.Error()+": apt-get install tesseract-ocr tesseract-ocr-deu")
				}
				r := newRigWith(t, row.file(t))
				if noOCR == nil {
					r.OCR = engine
				}
				must.OK(t, r.ingest(t))
				outcome, why := row.outcome(r.store.documents)
				mu.Lock()
				defer mu.Unlock()
				if count[outcome]++; usual(row) && row.kind != "turned" { // what OCR reads depends on its version
					read = append(read, fmt.Sprintf("%03d %s: %s", row.place, row.name(), values(r.store.documents)))
				}
				if outcome == "wrong" {
					t.Errorf("%s", why)
				} else {
					t.Logf("%s: %s", outcome, why)
				}
			})
		}
	})
	t.Logf("%v", count)
	if slices.Sort(read); len(read) > len(kindsRows(t))/4 { // not some, by -run
		golden.Compare(t, "kinds.txt", strings.Join(read, "\n")+"\n")
	}
	all := count["right"]+count["people"]+count["wrong"] == len(kindsRows(t)) // otherwise -run chose some, or not -thorough
	if all && count["right"] < leastRight {
		t.Errorf("%v, want %d right", count, leastRight)
	}
}

// reported are the rows of kinds that were once reported as wrong; of the others a third runs
// without -thorough.
const reported = 85

// leastRight may only rise.
const leastRight = 343
