package bymodel

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// Failed is a check that an extraction failed, or a page that it left out.
type Failed struct {
	Document int      // its place in the extraction; -1 for a page
	Page     int      // left out
	Fields   []string // to be read again: paths of values, or names of lists and groups; nil: all
	Why      string   // a sentence
	Passes   string   // what would pass, in a few words
}

// Again asks once more, only about the pages and fields that failed, and shows what was read. It
// returns the first extraction with these fields replaced, and with documents on pages that it
// left out. paid is as in Extract.
func (r *Reader) Again(ctx context.Context, tenant, id uuid.UUID, t transcript.Transcription,
	first []extraction.Extraction, failed []Failed) (documents []extraction.Extraction, paid llm.Usage, err error) {
	failed = failed[:min(len(failed), maxFailed)]
	var pages []int
	for _, f := range failed {
		pages = append(pages, f.pages(first)...)
	}
	windows, size := windowsOf(t.Only(pages))
	if size > maxSize {
		return first, paid, failure.Permanently("text too long for a model: %d characters, limit %d", size, maxSize)
	}
	a := asking{Asker: *r.Asker, tenant: tenant, document: id, quotes: printed.QuotesOf(t),
		earlier: func(w window) string { return earlier(w, first, failed) }}
	a.Model = counting{r.Asker.Model, &paid}
	var second []extraction.Extraction
	for _, w := range windows {
		parts, err := a.ask(ctx, w, 0)
		if err != nil {
			return first, paid, err
		}
		second = append(second, slices.Concat(parts...)...)
	}
	documents, err = mend(first, second, failed)
	return documents, paid, err
}

// pages returns the pages to show. A page that was left out may go on with the one before it.
func (f Failed) pages(first []extraction.Extraction) []int {
	if f.Document < 0 {
		return []int{f.Page - 1, f.Page}
	}
	return first[f.Document].Pages
}

// earlier names the failed checks of a window, with the values read, or is empty. All of it may be a
// stranger's, so it stands between fences.
func earlier(w window, first []extraction.Extraction, failed []Failed) string {
	var b strings.Builder
	for _, f := range failed {
		pages := []int{f.Page}
		if f.Document >= 0 {
			pages = first[f.Document].Pages
		}
		if !slices.ContainsFunc(w.pieces, func(p piece) bool { return slices.Contains(pages, p.page) }) {
			continue
		}
		fmt.Fprintf(&b, "pages %s: %s\n", strings.Trim(fmt.Sprint(pages), "[]"), clean(f.Why))
		if f.Document < 0 {
			continue
		}
		fields := cmp.Or(strings.Join(f.Fields, ", "), "all of the document, or of each document on these pages")
		fmt.Fprintf(&b, "  fields: %s; would pass: %s\n", fields, f.Passes)
		for _, line := range f.values(first[f.Document]) {
			fmt.Fprintf(&b, "  was %s\n", line)
		}
	}
	return b.String()
}

// values shows the values read, without rows: these are many, and their sums are in the sentence.
func (f Failed) values(e extraction.Extraction) (lines []string) {
	show := func(path, value, quote string) {
		lines = append(lines, fmt.Sprintf("%s: %q, quote %q", path, clean(value), clean(quote)))
	}
	for _, v := range extraction.Values(e.Data) {
		if !isRow(v.Path) && covers(f.Fields, v.Path) {
			show(v.Path, v.Text, e.Fields[v.Path].Quote)
		}
	}
	for _, path := range e.Dropped {
		if covers(f.Fields, path) {
			show(path, e.Refused[path].Value, e.Refused[path].Quote)
		}
	}
	return lines
}

func isRow(path string) bool {
	list, _, _ := strings.Cut(path, ".")
	return slices.Contains([]string{"references", "line_items", "taxes", "charges"}, list)
}

// covers reports whether a path is one of these, or below one.
func covers(paths []string, path string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return path == p || strings.HasPrefix(path, p+".") })
}

// again holds the fields of a document to be read again, and the answers.
type again struct {
	fields  []string
	whole   bool // a check of the document failed
	all     bool // whole, or a page goes on with it
	answers []extraction.Extraction
}

// mend replaces the failed fields by the second answers about their document, and adds documents on
// pages that were left out.
func mend(first, second []extraction.Extraction, failed []Failed) (mended []extraction.Extraction, err error) {
	perDocument, leftOut := make([]again, len(first)), []int{}
	for _, f := range failed {
		switch {
		case f.Document < 0:
			leftOut = append(leftOut, f.Page)
		case f.Fields == nil:
			perDocument[f.Document].whole, perDocument[f.Document].all = true, true
		default:
			perDocument[f.Document].fields = append(perDocument[f.Document].fields, f.Fields...)
		}
	}
	var added []extraction.Extraction
	for _, e := range second {
		goesOn := meet(e.Pages, leftOut)
		switch at := same(first, e, perDocument); {
		case at >= 0:
			perDocument[at].add(e)
			perDocument[at].all = perDocument[at].all || goesOn
		case goesOn:
			added = append(added, e)
		}
	}
	for i, a := range perDocument {
		switch {
		case len(a.answers) == 0:
			mended = append(mended, first[i])
		case !a.all:
			e, err := replaced(first[i], a.answers[0], a.fields)
			if err != nil {
				return first, err
			}
			mended = append(mended, e)
		case !a.whole && !meet(a.answers[0].Pages, first[i].Pages):
			mended = append(mended, merge(first[i].Clone(), a.answers[0])) // a page behind it
		default:
			mended = append(mended, a.answers...)
		}
	}
	return append(mended, added...), nil
}

func meet(a, b []int) bool {
	return slices.ContainsFunc(a, func(page int) bool { return slices.Contains(b, page) })
}

// add adds an answer. Answers of several windows about one document are one.
func (a *again) add(e extraction.Extraction) {
	for i, have := range a.answers {
		if !a.all || have.Data.Number == e.Data.Number {
			a.answers[i] = merge(have, e)
			return
		}
	}
	a.answers = append(a.answers, e)
}

// same returns the document of the first extraction that a second answer is about, or -1: the one
// with its number, otherwise one on its pages with a number in doubt.
func same(first []extraction.Extraction, e extraction.Extraction, perDocument []again) int {
	number := reference.Canonical(e.Data.Number)
	equal := func(f extraction.Extraction) bool {
		return number != "" && reference.Canonical(f.Data.Number) == number
	}
	if i := slices.IndexFunc(first, equal); i >= 0 {
		return i
	}
	for i, f := range first {
		open := len(perDocument[i].fields) > 0 && (number == "" || f.Data.Number == "" || covers(perDocument[i].fields, "number"))
		if meet(f.Pages, e.Pages) && (open || perDocument[i].all) {
			return i
		}
	}
	return -1
}

// replaced returns e with these fields of another extraction.
func replaced(e, by extraction.Extraction, fields []string) (extraction.Extraction, error) {
	kept := func(path string) bool { return !covers(fields, path) }
	e.Fields, e.Dropped = maps.Clone(e.Fields), slices.Clone(e.Dropped)
	maps.DeleteFunc(e.Fields, func(path string, _ extraction.Field) bool { return !kept(path) })
	for path, f := range by.Fields {
		if !kept(path) {
			e.Fields[path] = f
		}
	}
	e.Dropped = slices.DeleteFunc(e.Dropped, func(path string) bool { return !kept(path) })
	e.Dropped = append(e.Dropped, slices.DeleteFunc(slices.Clone(by.Dropped), kept)...)
	e.Confidence = lower(e.Confidence, by.Confidence)
	if slices.Contains(fields, "type") {
		e.Type = by.Type
	}
	data, other := tree(e.Data), tree(by.Data)
	for _, path := range fields {
		move(data, other, strings.Split(path, "."))
	}
	raw, err := json.Marshal(data)
	if err == nil {
		e.Data, err = document.Parse(raw)
	}
	return e, err
}

func tree(d document.Data) (t map[string]any) {
	if raw, err := json.Marshal(d); err == nil {
		_ = json.Unmarshal(raw, &t) // what was encoded can be decoded
	}
	return t
}

// move sets a value to the one in another tree, or removes it.
func move(to, from map[string]any, path []string) {
	v, found := from[path[0]]
	switch {
	case len(path) > 1:
		below, _ := to[path[0]].(map[string]any)
		if below == nil {
			below = map[string]any{}
			to[path[0]] = below
		}
		other, _ := v.(map[string]any)
		move(below, other, path[1:])
	case found:
		to[path[0]] = v
	default:
		delete(to, path[0])
	}
}
