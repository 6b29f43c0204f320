package byrules

import (
	"cmp"
	"fmt"
	"slices"

	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/transcript"
)

// halves divides a sheet with two documents: next to each other, or one above the other. Each
// half must have its number, and a title or a total, and the numbers must differ, because an
// invoice has columns, cites others and ends in a payment slip. It returns nil for one document.
func halves(p transcript.Page) []transcript.Page {
	cells := cellsOf([]transcript.Page{p})
	if !severalNumbers(cells) {
		return nil
	}
	cuts := append(gaps(p, across), gaps(p, down)...)
	for _, c := range cuts {
		if a, b := c.part(p, false), c.part(p, true); whole(a, b) {
			return []transcript.Page{a, b}
		}
	}
	return nil
}

// severalNumbers reports whether two numbers of a type are labelled.
func severalNumbers(cells []cell) bool {
	found, headings := numbers(cells)
	kind, known := typeOf(found, headings), map[string]bool{}
	for _, n := range found {
		if n.kind == kind && n.score >= withTitle {
			known[reference.Canonical(n.number)] = true
		}
	}
	return len(known) > 1
}

// whole reports whether both halves are documents.
func whole(a, b transcript.Page) bool {
	x, y := sheetOf(a), sheetOf(b)
	two := x.number != "" && y.number != "" && x.number != y.number
	return two && (x.summed && y.summed || x.titled && y.titled)
}

// cut divides a page at a place: x if it is across, otherwise y.
type cut struct {
	place  float64
	width  float64
	across bool
}

const across, down = true, false

// gaps lists the places without print in the middle of a page, the widest first.
func gaps(p transcript.Page, across bool) (found []cut) {
	const from, to, most = 0.2, 0.8, 6
	spans := make([][2]float64, 0, len(p.Lines))
	for _, l := range p.Lines {
		if across {
			spans = append(spans, [2]float64{l.Box.Left, l.Box.Right})
		} else if l.Text != "" {
			spans = append(spans, [2]float64{l.Box.Top, l.Box.Bottom})
		}
	}
	slices.SortFunc(spans, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	end := 0.0
	for _, s := range spans {
		if place := (end + s[0]) / 2; s[0] > end && place > from && place < to {
			found = append(found, cut{place, s[0] - end, across})
		}
		end = max(end, s[1])
	}
	slices.SortStableFunc(found, func(a, b cut) int { return cmp.Compare(b.width, a.width) })
	return found[:min(len(found), most)]
}

// part returns one side of the cut as a page, with the boxes stretched to fill it.
func (c cut) part(p transcript.Page, second bool) transcript.Page {
	from, to := 0.0, c.place
	if second {
		from, to = c.place, 1
	}
	lines := p.Lines
	p.Lines = nil
	for _, l := range lines {
		start, end := &l.Box.Top, &l.Box.Bottom
		if c.across {
			start, end = &l.Box.Left, &l.Box.Right
		}
		if middle := (*start + *end) / 2; middle < from || middle >= to {
			continue
		}
		*start, *end = (*start-from)/(to-from), (*end-from)/(to-from)
		p.Lines = append(p.Lines, l)
	}
	return p
}

// doubts names a page that two documents share, and the pages that a document lacks by its
// count.
func doubts(pages []transcript.Page, documents [][]transcript.Page) (found []string) {
	for _, p := range pages {
		has := func(q transcript.Page) bool { return q.Number == p.Number }
		sharing := 0
		for _, d := range documents {
			sharing += bit(slices.ContainsFunc(d, has))
		}
		if sharing > 1 {
			found = append(found, fmt.Sprintf("two documents on page %d: check that each has its own values", p.Number))
		}
	}
	return append(found, missing(pages)...)
}

// missing names the pages that the others count and that no uncounted page can be.
func missing(pages []transcript.Page) (found []string) {
	const most = 20
	at, of, uncounted := map[int]bool{}, 0, 0
	for _, p := range pages {
		s, cells := &sheet{}, cellsOf([]transcript.Page{p})
		for _, c := range cells {
			if s.at == 0 {
				s.count(cells, c)
			}
		}
		at[s.at], of = true, max(of, s.of)
		uncounted += bit(s.at == 0 && len(p.Lines) > 0)
	}
	for n := 1; n <= min(of, most); n++ {
		if !at[n] {
			found = append(found, fmt.Sprintf("page %d of %d is missing", n, of))
		}
	}
	if len(found) <= uncounted {
		return nil
	}
	return found
}
