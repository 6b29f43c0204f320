package ingestrun

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"
)

// Text returns the report for people.
func (rep *Report) Text() string {
	p := &term.Page{Width: rep.width}
	for _, f := range rep.Files {
		rep.file(p, f)
	}
	if rep.Matched != nil {
		p.WriteString(rep.Matched.Text())
	}
	rep.person(p)
	for _, l := range rep.LeftOut {
		p.Hang("LEFT OUT   ", term.Clean(l.File, term.MaxText)+": "+l.Reason)
	}
	a := rep.Accounting
	if rep.OCR.Missing != "" {
		p.Hang("OCR        ", "none: "+rep.OCR.Missing)
	}
	p.Line("ACCOUNTING %s = %d read + %d failed + %d unfinished + %d the same as another",
		plural.Of(a.Files, "file", "files"), a.Completed, a.Failed, a.Files-a.Completed-a.Failed-a.Same, a.Same)
	if a.LeftOut+a.Opened > 0 {
		p.Line("           %d found = %s + %d left out + %s with %s", a.Found, plural.Of(a.Files-a.Inside, "file", "files"), a.LeftOut,
			plural.Of(a.Opened, "container", "containers"), plural.Of(a.Inside, "file", "files"))
	}
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
	kind := "document of unknown type"
	if d.Type != "" {
		kind = d.Type.Words()
	}
	return kind + " " + cmp.Or(term.Clean(d.Number, term.MaxValue), "without a number")
}

// called returns the document's name with its place, because a person looks for it there.
func (d documentReport) called(file string) string {
	file = term.Clean(file, term.MaxText)
	if len(d.Pages) == 0 {
		return d.name() + " in " + file
	}
	return d.name() + " on " + d.onPages() + " of " + file
}

func (d documentReport) onPages() string {
	if len(d.Pages) == 1 {
		return fmt.Sprintf("page %d", d.Pages[0])
	}
	pages := make([]string, len(d.Pages))
	for i, n := range d.Pages {
		pages[i] = strconv.Itoa(n)
	}
	return "pages " + strings.Join(pages, ", ")
}

// from returns the pages and the source.
func (d documentReport) from() string {
	source := map[string]string{"einvoice": "an e-invoice", "rules": "rules"}[d.Source]
	source = "read by " + cmp.Or(source, "the model "+term.Clean(d.Source, term.MaxValue))
	if d.Source == "einvoice" {
		source = "read from its e-invoice"
	}
	if len(d.Pages) == 0 {
		return source
	}
	return d.onPages() + ", " + source
}

// Maximum widths of printed values and quotes.
const (
	maxValue = 40
	maxQuote = 24
)

func (d documentReport) print(p *term.Page) {
	p.Line("  %s (%s)", d.name(), d.from())
	lines, fields := split(d.views(""))
	rows, widths := make([][]string, len(fields)), make([]int, 4)
	for i, f := range fields {
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
	lines.print(p, cmp.Or(p.Width, term.Width))
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
func (f fieldView) cells() []string {
	page := ""
	if f.Page > 0 {
		page = fmt.Sprintf("page %d", f.Page)
	}
	value := term.Cut(term.Clean(f.Shown, term.MaxValue), maxValue)
	return []string{term.Clean(f.Path, term.MaxValue), value, f.quoted(), page, f.Words}
}

// quoted returns the quote if it differs from the value.
func (f fieldView) quoted() string {
	if f.Quote == "" || f.Quote == f.Value || f.Quote == f.Shown {
		return ""
	}
	return `"` + term.Cut(term.Clean(f.Quote, term.MaxValue), maxQuote-2) + `"`
}

// person lists the files and documents for a person, with the reasons.
func (rep *Report) person(p *term.Page) {
	head := "FOR A PERSON"
	add := func(name string, reasons ...string) {
		if head != "" {
			p.Line("%s", head)
			head = ""
		}
		p.Hang("  ", name)
		for _, reason := range reasons {
			p.Hang("    - ", term.Clean(reason, term.MaxText))
		}
	}
	for _, f := range rep.Files {
		if f.Status == "failed" {
			add(term.Clean(f.File, term.MaxText)+" was not read", f.Error)
		}
		for _, d := range f.Documents {
			if d.Review {
				add(d.called(f.File), d.Reasons...)
			}
		}
	}
	if head == "" {
		p.Line("")
	}
}
