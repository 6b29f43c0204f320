package ingestrun

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/internal/plural"
)

// trustWords are the reasons to trust a field, for people.
var trustWords = map[extraction.Trust]string{
	extraction.PrintedXML: "e-invoice, and printed",
	extraction.XML:        "e-invoice",
	extraction.Arithmetic: "the sums agree",
	extraction.CheckDigit: "check digits",
	extraction.Printed:    "a label names it",
	extraction.ByPlace:    "by its place",
	extraction.OCRLayer:   "another program's OCR",
	extraction.ModelAlone: "the model alone",
}

// words describes a field's trust for people.
func words(t extraction.Trust) string {
	return cmp.Or(trustWords[t], term.Clean(string(t), term.MaxValue))
}

// Text returns the report for people.
func (rep *Report) Text() string {
	p := &term.Page{}
	for _, f := range rep.Files {
		rep.file(p, f)
	}
	if rep.Matched != nil {
		p.WriteString(rep.Matched.Text())
	}
	rep.person(p)
	a := rep.Accounting
	if rep.OCR.Missing != "" {
		p.Hang("OCR        ", "none: "+rep.OCR.Missing)
	}
	p.Line("ACCOUNTING %s = %d read + %d failed + %d unfinished + %d the same as another",
		plural.Of(a.Files, "file", "files"), a.Completed, a.Failed, a.Files-a.Completed-a.Failed-a.Same, a.Same)
	if a.Pages > 0 {
		p.Line("           %s = %d read + %d blank + %d not read", plural.Of(a.Pages, "page", "pages"),
			a.Pages-a.Blank-a.Unread, a.Blank, a.Unread)
	}
	p.Line("           %s, %d of them for a person, %.1f s", plural.Of(a.Documents, "document", "documents"), a.Review, a.Seconds)
	return p.String()
}

func (rep *Report) file(p *term.Page, f fileReport) {
	p.Line("%s", term.Clean(f.File, term.MaxText))
	switch {
	case f.SameAs != "":
		p.Hang("  ", "same content as "+term.Clean(f.SameAs, term.MaxText))
	case f.Status != "completed":
		p.Hang("  "+strings.ToUpper(f.Status)+"  ", term.Clean(cmp.Or(f.Error, "no attempt has finished"), term.MaxText))
	}
	for _, d := range f.Documents {
		d.print(p)
	}
	if a := f.Account; a != nil && (a.Pages > 1 || a.Read() < a.Pages) {
		p.Hang("  ", f.Account.String())
	}
	p.Line("")
}

// name returns the document's type and number.
func (d documentReport) name() string {
	if d.Type == "" {
		return "document of unknown type " + cmp.Or(term.Clean(d.Number, term.MaxValue), d.ID.String())
	}
	return term.Label(d.Type, d.Number, d.ID)
}

// from returns the pages and the source.
func (d documentReport) from() string {
	source := map[string]string{"einvoice": "an e-invoice", "rules": "rules"}[d.Source]
	source = "read by " + cmp.Or(source, "the model "+term.Clean(d.Source, term.MaxValue))
	if d.Source == "einvoice" {
		source = "read from its e-invoice"
	}
	switch len(d.Pages) {
	case 0:
		return source
	case 1:
		return fmt.Sprintf("page %d, %s", d.Pages[0], source)
	}
	pages := make([]string, len(d.Pages))
	for i, n := range d.Pages {
		pages[i] = strconv.Itoa(n)
	}
	return fmt.Sprintf("pages %s, %s", strings.Join(pages, ", "), source)
}

// Maximum widths of printed values and quotes.
const (
	maxValue = 40
	maxQuote = 24
)

func (d documentReport) print(p *term.Page) {
	p.Line("  %s (%s)", d.name(), d.from())
	rows, widths := make([][]string, len(d.Fields)), make([]int, 4)
	for i, f := range d.Fields {
		rows[i] = f.cells()
		for j := range widths {
			widths[j] = max(widths[j], term.Columns(rows[i][j]))
		}
	}
	for _, row := range rows {
		line := "   "
		for j, width := range widths {
			if width > 0 {
				line += " " + term.Pad(row[j], width) + " "
			}
		}
		p.Line("%s %s", line, row[len(widths)])
	}
	if d.unread() {
		p.Line("    lines were not read")
	}
	for _, s := range d.Sums {
		mark := "ok"
		if !s.Agrees {
			mark = "NO"
		}
		p.Line("    %s  %s", mark, s)
	}
}

// unread reports whether an invoice's page was read without its lines.
func (d documentReport) unread() bool {
	line := func(f Field) bool { return strings.HasPrefix(f.Path, "line_items.") }
	priced := d.Type == document.Invoice || d.Type == document.CreditNote
	return priced && d.Source != "einvoice" && !slices.ContainsFunc(d.Fields, line)
}

// cells returns the columns of a field: path, value, quote, page and trust.
func (f Field) cells() []string {
	page := ""
	if f.Page > 0 {
		page = fmt.Sprintf("page %d", f.Page)
	}
	value := term.Cut(term.Clean(f.Value, term.MaxValue), maxValue)
	return []string{term.Clean(f.Path, term.MaxValue), value, f.quoted(), page, words(f.Trust)}
}

// quoted returns the quote if it differs from the value.
func (f Field) quoted() string {
	if f.Quote == "" || f.Quote == f.Value {
		return ""
	}
	return `"` + term.Cut(term.Clean(f.Quote, term.MaxValue), maxQuote-2) + `"`
}

// person lists the documents for a person, with the reasons.
func (rep *Report) person(p *term.Page) {
	head := false
	for _, f := range rep.Files {
		for _, d := range f.Documents {
			if !d.Review {
				continue
			}
			if !head {
				p.Line("FOR A PERSON")
				head = true
			}
			p.Line("  %s in %s", d.name(), term.Clean(f.File, term.MaxText))
			for _, reason := range d.Reasons {
				p.Hang("    - ", term.Clean(reason, term.MaxText))
			}
		}
	}
	if head {
		p.Line("")
	}
}
