// Package byrules extracts business documents from a transcription by rules: labels, places,
// formats and sums. The words are Czech, Danish, Dutch, English, French, German, Greek, Hungarian,
// Italian, Polish, Portuguese, Romanian, Spanish and Swedish; some are Norwegian and Finnish.
//
// A word is a hint, never a verdict. A label proposes the values behind it, to its right, and
// below it. The format of a value, its place, and above all arithmetic between printed amounts
// decide. What stays open is left out, because a person sees a missing field but may overlook
// a wrong one.
//
// The trust of a field is at most Printed; see package gate, which raises it.
package byrules

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/lazy"
)

// Source names the rules in an extraction.
const Source = "rules"

// Extract reads the documents of a transcription: one, or several if pages carry different
// document numbers. Our own companies, by name or VAT id, are never a supplier.
func Extract(t transcript.Transcription, own ...document.Party) (documents []extraction.Extraction) {
	found := split(t.Pages)
	for _, pages := range found {
		e := extract(pages, own)
		for _, text := range doubts(pages, found) {
			e.Doubts = append(e.Doubts, extraction.Doubt{Field: "type", Text: text})
		}
		documents = append(documents, e)
	}
	return documents
}

// ExtractOne reads the pages as one document, because a person has decided it.
func ExtractOne(t transcript.Transcription, own ...document.Party) extraction.Extraction {
	return extract(t.Pages, own)
}

type reader struct {
	cells []cell
	own   []document.Party
	e     extraction.Extraction
}

func (r *reader) field(path, value, quote string, page int) {
	r.e.Fields[path] = extraction.Field{Value: value, Quote: quote, Page: page, Trust: extraction.Printed}
}

func extract(pages []transcript.Page, ours []document.Party) extraction.Extraction {
	r := &reader{cells: cellsOf(pages), own: ours, e: extraction.Extraction{Source: Source, Confidence: extraction.Medium,
		Fields: map[string]extraction.Field{}}}
	for _, p := range pages {
		r.e.Pages = append(r.e.Pages, p.Number)
	}
	if len(r.cells) == 0 {
		r.e.Confidence = extraction.Low
		return r.e
	}
	found, headings := numbers(r.cells)
	kind := typeOf(found, headings)
	r.settleType(found, headings)
	number, ok := own(r.cells, found, kind)
	if ok {
		r.e.Data.Number = number.number
		r.field("number", number.number, number.quote, number.page)
		if r.rivalled(number, found) {
			r.ask("number", "another number has a label of the same kind")
		}
	}
	r.parties(len(headings) > 0)
	r.currency(r.sums())
	r.dates(number)
	r.references(number, found)
	r.missing()
	return r.e
}

func (r *reader) dates(number named) {
	number.kind = r.e.Type
	all := dates(r.cells, number)
	dayFirst, known := order(all, r.e.Data.Currency, r.e.Data.Supplier.VATID != "" || r.says(foreignDate))
	best := dated{score: -1}
	for _, d := range all {
		if _, ok := d.reading(dayFirst, known); ok && d.score > best.score {
			best = d
		}
	}
	if v, ok := best.reading(dayFirst, known); ok {
		r.e.Data.Date = v
		r.field("date", v.String(), best.quote, best.page)
		r.guessed("date", best.score < 1)
		rival := func(d dated) bool {
			w, ok := d.reading(dayFirst, known)
			return ok && w != v && d.rivals(best) && !priced(append(right(r.cells, d.at), r.cells[d.at])) // no payment
		}
		switch {
		case best.score < 1 && r.strange(best):
			r.ask("date", "the date has an unknown label")
		case slices.ContainsFunc(all, rival):
			r.ask("date", "another date may be the document's")
		}
	}
	r.terms(all, dayFirst, known)
	r.period(dayFirst, known)
}

// ask adds a doubt about a field, which a person must settle.
func (r *reader) ask(field, text string) {
	r.e.Doubts = append(r.e.Doubts, extraction.Doubt{Field: field, Text: text})
}

func (r *reader) period(dayFirst, known bool) {
	for i, c := range r.cells {
		at := periodLabel().FindString(c.Text)
		if at == "" {
			continue
		}
		for _, h := range hints(r.cells, i, c.Text[len(at):]) {
			found := printed.Dates(h.text)
			if len(found) != 2 {
				continue
			}
			from, ok := dated{Date: found[0]}.reading(dayFirst, known)
			to, both := dated{Date: found[1]}.reading(dayFirst, known)
			if ok && both {
				r.e.Data.Period = document.Period{From: from, To: to}
				r.field("period.from", from.String(), h.quote(), h.value.page)
				r.field("period.to", to.String(), h.quote(), h.value.page)
				return
			}
		}
	}
}

// references adds the numbers of other documents, by label or in running text.
func (r *reader) references(number named, found []named) {
	d := &r.e.Data
	known := map[string]bool{reference.Canonical(number.number): true}
	add := func(kind, n, quote string, page int) {
		key := reference.Canonical(n)
		part := strings.Contains(reference.Canonical(number.number), key) && strings.Contains(quote, number.number)
		if kind == "" || known[key] || part || grouped().MatchString(n) {
			return
		}
		known[key] = true
		d.References = append(d.References, document.Reference{Type: kind, Number: n})
		r.field(fmt.Sprintf("references.%d.number", len(d.References)-1), n, quote, page)
	}
	for _, n := range found {
		if n.kind != r.e.Type && n.score >= withMark {
			add(string(n.kind), n.number, n.quote, n.page)
		}
	}
	for i, c := range r.cells {
		text := c.Text
		if next := right(r.cells, i); len(next) > 0 {
			text += " " + next[0].Text // a label and its value
		}
		for _, f := range append(reference.Find(c.Text), reference.Find(text)...) {
			add(f.Type, f.Number, text, c.page)
		}
		if value, ok := r.valueBelow(i); ok {
			for _, f := range reference.Find(c.Text + " " + value.Text) {
				add(f.Type, f.Number, value.Text, value.page)
			}
		}
	}
}

// grouped is a quantity with its thousands divided, behind a unit: PZ 30.000.
var grouped = lazy.Regexp(`^\d{1,3}(?:[.,]\d{3})+$`)

// valueBelow returns the value below cell i if that is the head of a column: without a number itself, and
// without one to its right.
func (r *reader) valueBelow(i int) (value cell, ok bool) {
	row := append([]cell{r.cells[i]}, right(r.cells, i)...)
	if numbered(row[:min(len(row), 2)]) {
		return cell{}, false
	}
	value, ok = under(r.cells, i)
	return value, ok && numbered([]cell{value})
}

// missing lists the fields every document should have, but this one doesn't.
func (r *reader) missing() {
	for _, path := range []string{"number", "date", "supplier.name", "total"} {
		if _, ok := r.e.Fields[path]; !ok {
			r.e.Missing = append(r.e.Missing, path)
		}
	}
}
