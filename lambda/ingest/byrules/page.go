package byrules

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/lazy"
)

type cell struct {
	transcript.Line
	page int
	at   int    // its index among the cells
	side string // named by the nearest party label above it on the page

	read *[]printed.Amount // once read
}

// amounts returns the numbers of the cell. It keeps them, because many labels ask for them.
func (c cell) amounts() []printed.Amount {
	if c.read == nil {
		return printed.Amounts(c.Text)
	}
	if *c.read == nil {
		*c.read = append([]printed.Amount{}, printed.Amounts(c.Text)...)
	}
	return *c.read
}

// reach is the number of cells before and after a cell to compare it with, more than an
// invoice's page has. It must be bounded, because a page of thousands of lines would take
// minutes otherwise.
const reach = 300

// place is the position of a value relative to its label, the best last.
type place int

const (
	below place = iota + 1
	beside
	inside
)

// hint is a value's text near a label.
type hint struct {
	text  string // of the value, and the text after it
	value cell
	place place
}

// quote returns the printed text: label and value if they share a cell, otherwise the value.
func (h hint) quote() string { return strings.TrimSpace(h.value.Text) }

// cellsOf lists the cells of pages. It is bounded above 300 pages of a contract, because rules
// compare cells with each other and must not take minutes.
func cellsOf(pages []transcript.Page) (all []cell) {
	const most = 20_000
	for _, p := range pages {
		side := ""
		for _, l := range p.Lines {
			if l.Text = strings.TrimSpace(l.Text); l.Text == "" || len(all) == most {
				continue
			}
			all = append(all, cell{l, p.Number, len(all), side, new([]printed.Amount)})
			if named := sideOf(l.Text); named != "" {
				side = named
			}
		}
	}
	return all
}

func (c cell) height() float64 { return c.Box.Bottom - c.Box.Top }

func (c cell) row(d cell) bool {
	overlap := min(c.Box.Bottom, d.Box.Bottom) - max(c.Box.Top, d.Box.Top)
	return c.page == d.page && overlap > min(c.height(), d.height())/2
}

func (c cell) column(d cell) bool {
	return c.page == d.page && min(c.Box.Right, d.Box.Right) > max(c.Box.Left, d.Box.Left)
}

// right lists the cells of the same row to the right, the nearest first.
func right(cells []cell, i int) (found []cell) {
	for j := i + 1; j < len(cells) && j < i+40; j++ {
		if cells[i].row(cells[j]) && cells[j].Box.Left >= cells[i].Box.Left {
			found = append(found, cells[j])
		}
	}
	return found
}

// under returns the nearest cell below in the same column, within three lines.
func under(cells []cell, i int) (cell, bool) {
	const lines = 3.5
	for j := i + 1; j < min(len(cells), i+reach) && cells[j].page == cells[i].page; j++ {
		c := cells[j]
		if !cells[i].row(c) && cells[i].column(c) && c.Box.Top >= cells[i].Box.Top {
			return c, c.Box.Top-cells[i].Box.Bottom < lines*cells[i].height()
		}
	}
	return cell{}, false
}

// hints lists the texts a label at cell i may point to. rest is the text behind the label in
// its cell.
func hints(cells []cell, i int, rest string) []hint {
	if rest = strings.TrimLeft(rest, " :.#-"); rest != "" {
		return []hint{{rest, cells[i], inside}}
	}
	var found []hint
	if next := right(cells, i); len(next) > 0 {
		found = append(found, hint{strings.TrimLeft(next[0].Text, " :"), next[0], beside}) // No   : 7
	}
	if c, ok := under(cells, i); ok {
		found = append(found, hint{c.Text, c, below})
	}
	return found
}

var numberForm = lazy.Regexp(`^(?:[A-Z]{1,5} )?[\pL\d][\pL\d/._\-]*`)

// blanks is a number printed with blanks. Groups of digits must fill the cell, because other
// values may follow.
var blanks = lazy.Regexp(`^(?:[A-Z]{1,5}[ -]?)?(?:\d{1,6} [/-] )?\d+(?:(?:[/-]| [/-]|[/-] )\d+)*(?: \d{2,})*$`)

// hungarianAccount has the label "Számlaszám" in common with the number of an invoice.
var hungarianAccount = lazy.Regexp(`^\d{8}-\d{8}(?:-\d{8})?$`)

func numberIn(text string) (string, bool) {
	s := strings.TrimRight(numberForm().FindString(text), "./-_")
	if more := blanks().FindString(text); len(more) > len(s) && len(printed.Dates(more)) == 0 {
		s = more
	}
	if !strings.ContainsAny(s, "0123456789") || len(s) > 40 || hungarianAccount().MatchString(s) {
		return "", false
	}
	for _, d := range printed.Dates(text) {
		if d.Start == 0 {
			return "", false
		}
	}
	for _, a := range printed.Amounts(text) {
		if a.Start == 0 && (a.Money || a.Percent) && a.End >= len(s) {
			return "", false
		}
	}
	return s, true
}

// named is a document's number, with the type named by its label.
type named struct {
	kind   document.Type
	number string
	quote  string
	page   int
	score  float64
	place  place
	cell   cell
	size   float64 // of the print, compared with the median
}

// Total returns the labelled total on these pages, and whether a labelled subtotal and tax add
// up to it.
func Total(t transcript.Transcription, pages []int) (document.Amount, bool) {
	cells := cellsOf(only(t, pages))
	found := sumsOf(cells).settle(linesOf(cells))
	return found.total.amount, found.proved && len(found.others) == 0
}

// AddUp replaces the subtotal and the tax of e if others, with labels, add up to its total: a
// page may print the sums of a year, too.
func AddUp(e *extraction.Extraction, t transcript.Transcription) {
	f, d := e.Fields["total"], &e.Data
	cells := cellsOf(only(t, e.Pages))
	at := slices.IndexFunc(cells, func(c cell) bool { return c.page == f.Page && c.Text == f.Quote })
	found, ok := sumsOf(cells).prove(sum{amount: d.Total, at: max(at, 0)})
	if !ok || found.tax.quote == "" {
		return
	}
	for i := range d.Taxes {
		for _, name := range []string{"rate", "base", "amount"} {
			delete(e.Fields, fmt.Sprintf("taxes.%d.%s", i, name))
		}
	}
	d.Taxes = nil
	r := &reader{e: *e}
	r.set("subtotal", &d.Subtotal, found.subtotal)
	r.set("tax", &d.Tax, found.tax)
}

// Named lists the numbers labelled with this type on these pages, and the numbers labelled
// with others.
func Named(t transcript.Transcription, pages []int, kind document.Type) (own, others []string) {
	cells := cellsOf(only(t, pages))
	found, _ := numbers(cells)
	lent, ok := named{}, false // another type's label
	switch kind {
	case document.OrderConfirmation:
		lent, ok = ownOrder(cells, found)
	case document.CreditNote:
		lent, ok = credited(cells, found)
	}
	for _, n := range found {
		if n.kind == kind || ok && n.number == lent.number {
			own = append(own, n.number)
		} else if n.score >= withMark {
			others = append(others, n.number)
		}
	}
	return own, others
}

func only(t transcript.Transcription, pages []int) []transcript.Page {
	other := func(p transcript.Page) bool { return !slices.Contains(pages, p.Number) }
	return slices.DeleteFunc(slices.Clone(t.Pages), other)
}
