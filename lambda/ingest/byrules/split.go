package byrules

import (
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/lazy"
)

// sheet has the marks by which a page, or the pages of a document so far, differ from others.
type sheet struct {
	pages     []transcript.Page
	kind      document.Type
	number    string   // canonical, printed behind its title
	supplier  string   // as printed.Letters has it
	vats      []string // in plain form
	ibans     []string
	at, of    int  // as counted by the page: 2 of 3; 0 if it doesn't
	money     bool // it prints amounts
	summed    bool // it has a labelled total
	titled    bool // it has a title in its upper half
	plainText string
}

// split divides the pages of a file into documents. A page joins the document before it if it
// goes on counting its pages or names nothing else; it joins an earlier document if both name
// the same number. A page that names another number, supplier, VAT id or account begins a
// document, because a page too many makes a wrong document and a page too few an open question.
func split(pages []transcript.Page) [][]transcript.Page {
	var documents []*sheet
	for _, p := range parts(pages) {
		s := sheetOf(p)
		if d := s.home(documents); d != nil {
			d.join(s)
		} else {
			documents = append(documents, s)
		}
	}
	found := make([][]transcript.Page, len(documents))
	for i, d := range documents {
		found[i] = d.pages
	}
	return found
}

// parts divides the sheets with two documents.
func parts(pages []transcript.Page) (all []transcript.Page) {
	for _, p := range pages {
		if two := halves(p); two != nil {
			all = append(all, two...)
		} else {
			all = append(all, p)
		}
	}
	return all
}

// home returns the document that a page belongs to, or nil if the page begins one.
func (s *sheet) home(documents []*sheet) *sheet {
	for _, d := range slices.Backward(documents) {
		if s.number != "" && s.number == d.number && s.kind == d.kind && !s.strange(d) {
			return d
		}
	}
	if len(documents) == 0 {
		return nil
	}
	if last := documents[len(documents)-1]; s.follows(last) {
		return last
	}
	return nil
}

// follows reports whether a page goes on with a document.
func (s *sheet) follows(d *sheet) bool {
	goesOn := s.at > 1 && s.at == d.at+1 && s.of == d.of
	switch {
	case s.number != "" && d.number != "" && s.number != d.number, s.strange(d):
		return false
	case goesOn, d.number != "" && strings.Contains(s.plainText, printed.Letters(d.number)):
		return true
	case s.at == 1:
		return false
	case s.number != "" && d.number == "":
		return !d.money // a cover letter
	case s.titled && s.money && d.money && s.kind == d.kind:
		return false // another title, its number unread
	}
	return !s.foreign(d)
}

// strange reports whether a page has a VAT id or an account that the document lacks, and lacks
// one that the document has. Both have the recipient's.
func (s *sheet) strange(d *sheet) bool {
	other := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(id string) bool { return !slices.Contains(b, id) })
	}
	return other(s.vats, d.vats) && other(d.vats, s.vats) || other(s.ibans, d.ibans) && other(d.ibans, s.ibans)
}

// foreign reports whether a page names a supplier unknown to the document, and not the
// document's.
func (s *sheet) foreign(d *sheet) bool {
	return s.supplier != "" && d.supplier != "" &&
		!strings.Contains(d.plainText, s.supplier) && !strings.Contains(s.plainText, d.supplier)
}

// join adds a page. A copy of a page that the document has is kept without its text, because
// its amounts must not count twice.
func (s *sheet) join(p *sheet) {
	for _, page := range s.pages {
		if alike(page, p.pages[0]) {
			p.pages[0].Lines = nil
			s.pages = append(s.pages, p.pages[0])
			return
		}
	}
	s.pages, s.plainText = append(s.pages, p.pages...), s.plainText+p.plainText
	s.vats, s.ibans = append(s.vats, p.vats...), append(s.ibans, p.ibans...)
	s.money = s.money || p.money
	if s.number == "" {
		s.number, s.kind = p.number, p.kind
	}
	if s.supplier == "" {
		s.supplier = p.supplier
	}
	if p.at != 0 {
		s.at, s.of = p.at, p.of
	}
}

// alike reports whether nine of ten lines of the longer page are on the other one.
func alike(a, b transcript.Page) bool {
	if len(a.Lines) < len(b.Lines) {
		a, b = b, a
	}
	texts := map[string]int{}
	for _, l := range b.Lines {
		texts[l.Text]++
	}
	same := 0
	for _, l := range a.Lines {
		if texts[l.Text] > 0 {
			texts[l.Text]--
			same++
		}
	}
	return len(a.Lines) > 0 && 10*same >= 9*len(a.Lines)
}

func sheetOf(p transcript.Page) *sheet {
	s := &sheet{pages: []transcript.Page{p}, plainText: printed.Letters(p.Text())}
	cells := cellsOf(s.pages)
	found, headings := numbers(cells)
	s.kind = typeOf(found, headings)
	highest := 0.0
	for _, n := range found {
		if n.kind == s.kind && n.score >= withMark && n.score > highest && n.cell.Box.Top < 0.5 {
			s.number, highest = reference.Canonical(n.number), n.score
		}
	}
	s.titled = slices.ContainsFunc(headings, func(n named) bool { return n.kind == s.kind && n.cell.Box.Top < 0.5 })
	if supplier, _ := parties(cells, nil, s.kind, false); legalForm().MatchString(supplier.text) {
		s.supplier = printed.Letters(supplier.text)
	}
	for _, v := range ids(cells, vatForm, company.VATID) {
		s.vats = append(s.vats, v.value)
	}
	for _, v := range ids(cells, ibanForm, company.IBAN) {
		s.ibans = append(s.ibans, v.value)
	}
	all := sumsOf(cells)
	s.summed = len(all.totals)+len(all.dues) > 0
	for _, c := range cells {
		s.money = s.money || len(moneyIn(c)) > 0
		if s.at == 0 {
			s.count(cells, c)
		}
	}
	return s
}

// Ways to count pages: a word and a number anywhere, such as Page 2 of 3, or two numbers at an
// edge of the page, since 2/3 is also a date or a part.
var (
	counted   = lazy.Regexp(`(?i)(?:^|[^\pL])` + pageWord + `[.:]? *:? *(\d{1,3})(?: *` + outOf + `)?$`)
	pageLabel = lazy.Regexp(`(?i)^` + pageWord + `[.:]? *:?$`)
	bare      = lazy.Regexp(`(?i)^[-–(]* *(\d{1,3}) *` + outOf + ` *[-–)]*$`)
)

const pageWord = `(?:page|seite|blatt|oldal|σελίδα|sivu|página|pagina|pág|pag|hoja|folha|side|sida|strona)`

const outOf = `(?:/|of|von|de|di|sur|van|av|af|z|ze) *(\d{1,3})`

// count reads the count of the pages in a cell, or next to or below its label.
func (s *sheet) count(cells []cell, c cell) {
	const edge = 0.1
	text := strings.TrimSpace(c.Text)
	if pageLabel().MatchString(text) {
		for _, h := range hints(cells, c.at, "") {
			if whole := text + " " + h.text; counted().MatchString(whole) {
				text = whole
				break
			}
		}
	}
	m := counted().FindStringSubmatch(text)
	if m == nil && (c.Box.Bottom < edge || c.Box.Top > 1-edge) {
		m = bare().FindStringSubmatch(text)
	}
	if m == nil {
		return
	}
	at, _ := strconv.Atoi(m[1])
	if of, _ := strconv.Atoi(m[2]); of == 0 || at <= of {
		s.at, s.of = at, of
	}
}
