package ingestrun

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// maxLines is the maximum number of lines in a quote, such as an address.
const maxLines = 4

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

// find returns the places of a quote, each a box around the fewest lines containing it.
func (p *places) find(quote string) (boxes []transcript.Box) {
	for n := range p.runs {
		for _, first := range p.runs[n].Pages(quote) {
			boxes = append(boxes, around(p.lines[first-1:first+n]))
		}
		if len(boxes) > 0 {
			return boxes
		}
	}
	return nil
}

func around(lines []transcript.Line) transcript.Box {
	b := lines[0].Box
	for _, l := range lines[1:] {
		b.Left, b.Top = min(b.Left, l.Box.Left), min(b.Top, l.Box.Top)
		b.Right, b.Bottom = max(b.Right, l.Box.Right), max(b.Bottom, l.Box.Bottom)
	}
	return b
}

// sums are the fields at the end of a document.
var sums = []string{"subtotal", "tax", "total", "taxes"}

// locate returns the place of each field on a page, by path. If a quote occurs several times,
// it uses the occurrence nearest in height to the other fields of the group, since a quantity
// of 1 is in the row of its amount. Otherwise it uses the last occurrence of a sum and the
// first of any other field.
func (p *places) locate(fields []Field) map[string]transcript.Box {
	found := make(map[string][]transcript.Box)
	heights := make(map[string]float64) // of groups, from their unambiguous fields
	for _, f := range fields {
		boxes := p.find(f.Quote)
		found[f.Path] = boxes
		if group := groupOf(f.Path); len(boxes) == 1 && group != "" {
			heights[group] = middle(boxes[0])
		}
	}
	placed := make(map[string]transcript.Box)
	for path, boxes := range found {
		height, known := heights[groupOf(path)]
		switch field, _, _ := strings.Cut(path, "."); {
		case len(boxes) == 0:
		case known:
			placed[path] = slices.MinFunc(boxes, func(a, b transcript.Box) int {
				return cmp.Compare(math.Abs(middle(a)-height), math.Abs(middle(b)-height))
			})
		case slices.Contains(sums, field):
			placed[path] = boxes[len(boxes)-1]
		default:
			placed[path] = boxes[0]
		}
	}
	return placed
}

// groupOf returns the path without its last part: supplier, or line_items.0.
func groupOf(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return ""
}

func middle(b transcript.Box) float64 { return (b.Top + b.Bottom) / 2 }
