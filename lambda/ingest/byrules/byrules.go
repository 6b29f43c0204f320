// Package byrules extracts business documents from a transcription by rules: labels, places,
// formats and sums, in English, German, French, Italian and Spanish. Titles, roles and dates are
// also known in Dutch, Portuguese, Polish, Swedish, Danish, Norwegian, Czech and Finnish.
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
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// Source names the rules in an extraction.
const Source = "rules"

// Extract reads the documents of a transcription: one, or several if pages carry different
// document numbers. Our own companies, by name or VAT id, are never a supplier.
func Extract(t transcript.Transcription, own ...document.Party) (documents []extraction.Extraction) {
	for _, pages := range split(t.Pages) {
		documents = append(documents, extract(pages, own))
	}
	return documents
}

// split divides the pages of a file into documents. A page with another number behind its
// title begins the next one; a page without a number belongs to the one before.
func split(pages []transcript.Page) (documents [][]transcript.Page) {
	current := ""
	for _, p := range pages {
		cells := cellsOf([]transcript.Page{p})
		found, headings := numbers(cells)
		kind := typeOf(found, headings)
		first, ok := named{}, false
		for _, n := range found {
			if n.kind == kind && n.score >= withMark && n.score > first.score && n.cell.Box.Top < 0.5 {
				first, ok = n, true
			}
		}
		switch key := reference.Canonical(first.number); {
		case len(documents) == 0 || ok && current != "" && key != current:
			documents, current = append(documents, []transcript.Page{p}), key
		default:
			documents[len(documents)-1] = append(documents[len(documents)-1], p)
			if current == "" {
				current = key
			}
		}
	}
	return documents
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
	}
	r.parties(len(headings) > 0)
	r.currency()
	r.dates(number)
	r.sums()
	r.references(number, found)
	r.missing()
	return r.e
}

// signs are ways to print a currency.
var signs = [][2]string{{"EUR", "EUR"}, {"€", "EUR"}, {"CHF", "CHF"}, {"GBP", "GBP"}, {"£", "GBP"}, {"USD", "USD"},
	{"US$", "USD"}, {"PLN", "PLN"}, {"SEK", "SEK"}, {"DKK", "DKK"}, {"NOK", "NOK"}, {"CZK", "CZK"}, {"CAD", "CAD"},
	{"AUD", "AUD"}, {"$", "USD"}, {"Euro", "EUR"}, {"MYR", "MYR"}, {"RM", "MYR"}}

// shows reports whether a sign stands in a text, not as part of a word.
func shows(text, sign string) bool {
	i := strings.Index(text, sign)
	if i < 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+len(sign):])
	return !unicode.IsLetter(before) && !unicode.IsLetter(after)
}

// currency uses the sign printed most often.
func (r *reader) currency() {
	count, quotes := map[string]int{}, map[string]cell{}
	for _, c := range r.cells {
		for _, s := range signs {
			if shows(c.Text, s[0]) {
				count[s[1]]++
				if _, ok := quotes[s[1]]; !ok {
					quotes[s[1]] = c
				}
				break
			}
		}
	}
	for _, s := range signs {
		if best := r.e.Data.Currency; count[s[1]] > count[best] {
			r.e.Data.Currency = s[1]
		}
	}
	if cur := r.e.Data.Currency; cur != "" {
		r.field("currency", cur, quotes[cur].Text, quotes[cur].page)
	}
}

func (r *reader) dates(number named) {
	all := dates(r.cells, number)
	dayFirst, known := order(all, r.e.Data.Currency, r.e.Data.Supplier.VATID != "")
	best := dated{score: -1}
	for _, d := range all {
		if v, ok := d.reading(dayFirst, known); ok && d.score > best.score && !v.IsZero() {
			best = d
		}
	}
	if v, ok := best.reading(dayFirst, known); ok && len(best.Readings) > 0 {
		r.e.Data.Date = v
		r.field("date", v.String(), best.quote, best.page)
		r.guessed("date", best.score < 1)
	}
	r.terms(all, dayFirst, known)
	r.period(dayFirst, known)
}

func (r *reader) period(dayFirst, known bool) {
	for i, c := range r.cells {
		at := periodLabel.FindString(c.Text)
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

func (r *reader) sums() {
	d := &r.e.Data
	found := sumsOf(r.cells).settle()
	set := func(path string, to *document.Amount, s sum) {
		if !s.amount.IsZero() {
			*to = s.amount
			r.field(path, s.amount.Canonical(), s.quote, s.page)
		}
	}
	set("subtotal", &d.Subtotal, found.subtotal)
	set("tax", &d.Tax, found.tax)
	set("total", &d.Total, found.total)
	for i, x := range found.byRate {
		at := fmt.Sprintf("taxes.%d.", i)
		d.Taxes = append(d.Taxes, document.Tax{})
		t := &d.Taxes[i]
		set(at+"rate", &t.Rate, *x.rate)
		set(at+"amount", &t.Amount, x)
		if x.base != nil {
			set(at+"base", &t.Base, *x.base)
		}
	}
	r.lines()
	priced := r.e.Type == document.Invoice || r.e.Type == document.CreditNote
	if priced && !found.proved && (len(d.Lines) < 2 || r.printsMore(d.Total)) {
		r.e.Confidence = extraction.Low // a label alone may name another sum
	}
}

// lines reads the tables if their amounts add up to the subtotal.
func (r *reader) lines() {
	d := &r.e.Data
	net := d.Subtotal
	if net.IsZero() {
		net = d.Total
	}
	found := fitting(itemsOf(r.cells, false), net)
	if len(found) == 0 {
		found = fitting(itemsOf(r.cells, true), net)
	}
	for i, it := range found {
		d.Lines = append(d.Lines, it.line)
		r.line(i, it)
	}
}

func (r *reader) printsMore(total document.Amount) bool {
	for _, c := range r.cells {
		if slices.ContainsFunc(moneyIn(c), func(s sum) bool { return s.amount.Minus(total).Sign() > 0 }) {
			return true
		}
	}
	return false
}

func (r *reader) line(i int, it item) {
	at := fmt.Sprintf("line_items.%d.", i)
	for _, f := range []struct{ name, value, col string }{
		{"description", it.line.Description, "description"},
		{"quantity", it.line.Quantity.Canonical(), "quantity"},
		{"unit", it.line.Unit, "quantity"},
		{"unit_price", it.line.UnitPrice.Canonical(), "price"},
		{"amount", it.line.Amount.Canonical(), "amount"},
	} {
		if f.value != "" {
			r.field(at+f.name, f.value, it.cells[f.col].Text, it.cells[f.col].page)
		}
	}
}

// references adds the numbers of other documents, by label or in running text.
func (r *reader) references(number named, found []named) {
	d := &r.e.Data
	known := map[string]bool{reference.Canonical(number.number): true}
	add := func(kind, n, quote string, page int) {
		key := reference.Canonical(n)
		part := strings.HasPrefix(reference.Canonical(number.number), key) && strings.Contains(quote, number.number)
		if kind == "" || known[key] || part {
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
	}
}

// missing lists the fields every document should have, but this one doesn't.
func (r *reader) missing() {
	for _, path := range []string{"number", "date", "supplier.name", "total"} {
		if _, ok := r.e.Fields[path]; !ok {
			r.e.Missing = append(r.e.Missing, path)
		}
	}
}
