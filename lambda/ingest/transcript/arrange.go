package transcript

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Word is a word as an engine found it.
type Word struct {
	Text       string
	Box        Box // in points or pixels of the page as shown
	Confidence float64
	Turned     int // by how many quarters its text is turned clockwise: 1 reads downwards
}

// Union returns the box around both.
func (b Box) Union(o Box) Box {
	return Box{min(b.Left, o.Left), min(b.Top, o.Top), max(b.Right, o.Right), max(b.Bottom, o.Bottom)}
}

func (b Box) height() float64 { return b.Bottom - b.Top }
func (b Box) middle() float64 { return (b.Top + b.Bottom) / 2 }

// Arrange makes lines of a page's words, in reading order: row by row, each from left to
// right. Most of the page decides what is upright: the lines' boxes refer to the page after
// turned quarters clockwise, and text in another direction comes last. Columns of running text
// are read across, because invoices need that; don't use it for newspapers. width and height
// are in the unit of the words' boxes.
func Arrange(words []Word, width, height float64) (lines []Line, turned int) {
	var groups [4][]Word
	var letters [4]int
	for _, w := range words {
		groups[w.Turned&3] = append(groups[w.Turned&3], w)
		letters[w.Turned&3] += utf8.RuneCountInString(w.Text)
	}
	order := []int{0, 1, 2, 3}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(letters[b], letters[a]) })
	lines, turned = []Line{}, -order[0]&3
	for _, direction := range order {
		for _, row := range rows(groups[direction]) {
			for _, cell := range cells(row) {
				l := line(cell, width, height)
				l.Box = l.Box.turned(turned)
				lines = append(lines, l)
			}
		}
	}
	return lines, turned
}

// upright returns the word's box on a page turned so that its text is upright. Its origin is
// arbitrary, since only differences matter.
func (w Word) upright() Box {
	b := w.Box
	switch w.Turned & 3 {
	case 1:
		return Box{b.Top, -b.Right, b.Bottom, -b.Left}
	case 2:
		return Box{-b.Right, -b.Bottom, -b.Left, -b.Top}
	case 3:
		return Box{-b.Bottom, b.Left, -b.Top, b.Right}
	}
	return b
}

// rows groups words with close middles. All must be turned alike.
func rows(words []Word) [][]Word {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(a.upright().middle(), b.upright().middle()) })
	var found [][]Word
	last := Box{}
	for _, w := range words {
		box := w.upright()
		if len(found) > 0 && box.middle()-last.middle() < min(box.height(), last.height())/2 {
			found[len(found)-1] = append(found[len(found)-1], w)
			continue
		}
		found, last = append(found, []Word{w}), box
	}
	for _, row := range found {
		slices.SortStableFunc(row, func(a, b Word) int { return cmp.Compare(a.upright().Left, b.upright().Left) })
	}
	return found
}

// cells divides a row at each gap wider than a letter is high.
func cells(row []Word) [][]Word {
	var found [][]Word
	for first := 0; first < len(row); {
		next := first + 1
		for next < len(row) && near(row[next-1].upright(), row[next].upright()) {
			next++
		}
		found = append(found, row[first:next])
		first = next
	}
	return found
}

func near(a, b Box) bool { return b.Left-a.Right <= max(a.height(), b.height()) }

// line joins words; its confidence is their mean, weighted by their characters.
func line(words []Word, width, height float64) Line {
	texts := make([]string, len(words))
	box, sum, weight := words[0].Box, 0.0, 0.0
	for i, w := range words {
		n := float64(utf8.RuneCountInString(w.Text))
		texts[i], box = w.Text, box.Union(w.Box)
		sum, weight = sum+n*w.Confidence, weight+n
	}
	return Line{strings.Join(texts, " "), box.within(width, height), sum / max(weight, 1)}
}

func (b Box) within(width, height float64) Box {
	fraction := func(v, whole float64) float64 {
		if v /= whole; math.IsNaN(v) {
			return 0
		}
		return min(max(v, 0), 1)
	}
	return Box{fraction(b.Left, width), fraction(b.Top, height), fraction(b.Right, width), fraction(b.Bottom, height)}
}
