// Package sheet shows the pages of a file, and where the fields of its documents stand on them.
package sheet

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// Field is a value with its quote, as printed on a page.
type Field struct{ Path, Value, Quote string }

// maxLines is the maximum number of lines in a quote, such as the cells of a row.
const maxLines = 12

// places finds quotes on a page by its lines.
type places struct {
	lines []transcript.Line
	runs  [maxLines]printed.Quotes // of 1, 2 ... lines, numbered by their first line from 1
}

func placesOf(page transcript.Page) *places {
	p := &places{lines: page.Lines}
	for n := range p.runs {
		var t transcript.Transcription
		for first := 0; first+n < len(page.Lines); first++ {
			t.Pages = append(t.Pages, transcript.Page{Number: first + 1, Lines: page.Lines[first : first+n+1]})
		}
		p.runs[n] = printed.QuotesOf(t)
	}
	return p
}

// find returns the places of a field, each a box around the fewest lines with its quote. A quote
// is often a whole row; then the cells that show the value are its places.
func (p *places) find(f Field) (boxes []transcript.Box) {
	for n := range p.runs {
		for _, first := range p.runs[n].Pages(f.Quote) {
			run, cells := p.lines[first-1:first+n], []transcript.Box{}
			for _, l := range run {
				if shows(l.Text, f.Value) {
					cells = append(cells, l.Box)
				}
			}
			if len(cells) == 0 {
				cells = append(cells, around(run))
			}
			boxes = append(boxes, cells...)
		}
		if len(boxes) > 0 {
			return boxes
		}
	}
	return nil
}

// shows reports whether a text can be read as a value.
func shows(text, value string) bool {
	if amount, err := document.ParseAmount(value); err == nil {
		same := func(a printed.Amount) bool { return slices.ContainsFunc(a.Readings, amount.Equal) }
		return slices.ContainsFunc(printed.Amounts(text), same)
	}
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		same := func(d printed.Date) bool { return slices.Contains(d.Readings, document.DateOf(day)) }
		return slices.ContainsFunc(printed.Dates(text), same)
	}
	return strings.Contains(printed.Letters(text), printed.Letters(value))
}

func around(lines []transcript.Line) transcript.Box {
	b := lines[0].Box
	for _, l := range lines[1:] {
		b.Left, b.Top = min(b.Left, l.Box.Left), min(b.Top, l.Box.Top)
		b.Right, b.Bottom = max(b.Right, l.Box.Right), max(b.Bottom, l.Box.Bottom)
	}
	return b
}

// usual is the order of a row's fields from left to right, and of sums from the last up. Of
// two fields with the same places, the first in it chooses first.
var usual = []string{"sku", "description", "quantity", "unit", "unit_price", "price_quantity", "tax_rate", "rate", "base", "amount",
	"amount_due", "rounding", "prepaid", "total", "tax", "subtotal"}

// sums are the fields at the end of a document.
var sums = usual[len(usual)-6:]

// spot is a field with its possible places.
type spot struct {
	path, family, group, field string
	boxes                      []transcript.Box
}

func (p *places) spots(fields []Field) (all []*spot) {
	for _, f := range fields {
		s := &spot{path: f.Path, boxes: p.find(f)}
		s.family, _, _ = strings.Cut(f.Path, ".")
		s.field = f.Path[strings.LastIndexByte(f.Path, '.')+1:]
		if s.group = strings.TrimSuffix(f.Path, "."+s.field); s.group == f.Path {
			s.group = ""
		}
		if slices.Contains(sums, s.family) {
			s.family = "sums"
			slices.Reverse(s.boxes)
		}
		if len(s.boxes) > 0 {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b *spot) int { return slices.Index(usual, a.field) - slices.Index(usual, b.field) })
	return all
}

// Locate returns the place of each field on a page, by path. If a field has several, it uses the row
// of the other fields of its group, since a quantity of 1 is in the row of its amount, then the column
// of the same field in other rows, otherwise the first place behind the field before it. Related fields
// have different places if there are enough. Sums are looked for from the end.
func Locate(page transcript.Page, fields []Field) map[string]transcript.Box {
	all := placesOf(page).spots(fields)
	heights := make(map[string]float64) // of groups, from their unambiguous fields
	for _, s := range all {
		if len(s.boxes) == 1 && s.group != "" {
			heights[s.group] = middle(s.boxes[0])
		}
	}
	columns := make(map[string]float64) // right edges, from fields with one place in their row
	for _, s := range all {
		if height, known := heights[s.group]; known {
			s.boxes = nearest(s.boxes, height, middle)
		}
		if len(s.boxes) == 1 {
			columns[s.family+s.field] = s.boxes[0].Right
		}
	}
	return choose(all, columns)
}

// choose takes one of each field's boxes.
func choose(all []*spot, columns map[string]float64) map[string]transcript.Box {
	placed, used, last := make(map[string]transcript.Box), make(map[string][]transcript.Box), make(map[string]float64)
	for _, s := range all {
		free := slices.DeleteFunc(slices.Clone(s.boxes), func(b transcript.Box) bool { return slices.Contains(used[s.family], b) })
		if len(free) == 0 {
			free = s.boxes
		}
		if column, known := columns[s.family+s.field]; known && s.group != "" {
			free = nearest(free, column, func(b transcript.Box) float64 { return b.Right })
		} else if i := slices.IndexFunc(free, func(b transcript.Box) bool { return b.Left > last[s.group] }); i > 0 && s.group != "" {
			free = free[i:]
		}
		last[s.group] = free[0].Left
		placed[s.path], used[s.family] = free[0], append(used[s.family], free[0])
	}
	return placed
}

// nearest keeps the boxes with the least distance from a place.
func nearest(boxes []transcript.Box, to float64, of func(transcript.Box) float64) []transcript.Box {
	distance := func(b transcript.Box) float64 { return math.Abs(of(b) - to) }
	least := distance(slices.MinFunc(boxes, func(a, b transcript.Box) int { return cmp.Compare(distance(a), distance(b)) }))
	const same = 0.005 // of the page
	return slices.DeleteFunc(slices.Clone(boxes), func(b transcript.Box) bool { return distance(b) > least+same })
}

func middle(b transcript.Box) float64 { return (b.Top + b.Bottom) / 2 }
