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
// are read across, because invoices need that; use Columns to read them one by one. width and
// height are in the unit of the words' boxes.
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
		found := rows(groups[direction])
		gutters := narrow(found, width, height)
		for _, row := range found {
			for _, cell := range cells(row, gutters) {
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

// narrow returns the gutters between columns of running text, which may be narrower than a
// letter is high.
func narrow(found [][]Word, width, height float64) []Box {
	if len(found) < narrowRows || found[0][0].Turned&1 == 1 {
		return nil
	}
	all, words := make([]sheetRow, len(found)), 0
	for i, row := range found {
		for _, w := range row {
			b := w.upright()
			all[i] = append(all[i], Line{Text: w.Text, Box: Box{b.Left / width, b.Top / height, b.Right / width, b.Bottom / height}})
		}
		words += len(row)
	}
	d := divider{paired: narrowRows}
	if words <= mostCells {
		d.divide(all, deepest)
	}
	for i, g := range d.gutters {
		d.gutters[i] = Box{g.Left * width, g.Top * height, g.Right * width, g.Bottom * height}
	}
	return d.gutters
}

// narrowRows is the least number of rows along a narrow gutter: blanks between words are above
// each other by chance in few.
const narrowRows = 10

// cells divides a row at each gutter, and at each gap wider than a letter is high.
func cells(row []Word, gutters []Box) [][]Word {
	var found [][]Word
	for first := 0; first < len(row); {
		next := first + 1
		for next < len(row) && near(row[next-1].upright(), row[next].upright()) &&
			!apart(row[next-1].upright(), row[next].upright(), gutters) {
			next++
		}
		found = append(found, row[first:next])
		first = next
	}
	return found
}

// apart reports whether a gutter separates two words.
func apart(a, b Box, gutters []Box) bool {
	return slices.ContainsFunc(gutters, func(g Box) bool {
		middle := (g.Left + g.Right) / 2
		return g.Top <= a.middle() && a.middle() <= g.Bottom && a.Right < middle && b.Left > middle
	})
}

// near reports whether two words of a row belong together: the gap is at most as wide as the
// higher one is high, or the smaller one if their fonts differ. The boxes of words without tall
// letters are lower by less than that.
func near(a, b Box) bool {
	small, high := min(a.height(), b.height()), max(a.height(), b.height())
	if high > 1.6*small {
		high = small
	}
	return b.Left-a.Right <= high
}

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
