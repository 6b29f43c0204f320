package chunk

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/lazy"
)

// Zones of a page with heads and feet, in fractions of its height.
const (
	headZone = 0.15
	footZone = 0.85
	sameLine = 0.012 // the largest distance of a repetition
	tight    = 1.2   // of two lines of one paragraph, in usual steps
)

var number = lazy.Regexp(`\d+`)

// printed is a line in a zone of a page.
type printed struct {
	page, line int
	top        float64
	numbers    []string
}

// withoutFurniture returns the lines of each page without heads and feet: lines in its zones
// that another page has at the same height, equal apart from a number that counts the pages.
// What the first page has at its top stays. Words that don't change follow as a last page.
func withoutFurniture(pages []transcript.Page) (left [][]transcript.Line) {
	dropped, alike := furniture(pages)
	for i, p := range pages {
		var lines []transcript.Line
		for j, l := range p.Lines {
			if !dropped[i][j] {
				lines = append(lines, l)
			}
		}
		left = append(left, lines)
	}
	var constant []transcript.Line
	for _, repeated := range alike {
		first, last := repeated[0], repeated[len(repeated)-1]
		if dropped[first.page][first.line] && slices.Equal(first.numbers, last.numbers) {
			constant = append(constant, pages[first.page].Lines[first.line])
		}
	}
	if len(constant) == 0 {
		return left
	}
	slices.SortFunc(constant, func(a, b transcript.Line) int {
		return cmp.Or(cmp.Compare(a.Box.Top, b.Box.Top), cmp.Compare(a.Box.Left, b.Box.Left), cmp.Compare(a.Text, b.Text))
	})
	return append(left, constant)
}

// furniture returns the lines to drop, by page, and the repeated ones that are alike.
func furniture(pages []transcript.Page) (dropped []map[int]bool, alike [][]printed) {
	var all []transcript.Line
	for _, p := range pages {
		dropped, all = append(dropped, map[int]bool{}), append(all, p.Lines...)
	}
	for _, lines := range zones(pages) {
		repeated := repeatedIn(lines)
		for _, p := range repeated {
			dropped[p.page][p.line] = p.page > 0 || p.top > headZone
		}
		if len(repeated) > 0 {
			alike = append(alike, repeated)
		}
	}
	usual := usualStep(all)
	for i, p := range pages {
		keepTitles(p.Lines, dropped[i], usual)
	}
	return dropped, alike
}

// keepTitles keeps the lines at the top that stand right above text that stays, such as the title of
// a table that goes on on the next page.
func keepTitles(lines []transcript.Line, dropped map[int]bool, usual float64) {
	for i, l := range slices.Backward(lines) {
		above := func(o transcript.Box) bool {
			step := o.Top - l.Box.Top
			return step > 0 && step < tight*usual && o.Left < l.Box.Right && l.Box.Left < o.Right
		}
		for j := i + 1; j < len(lines) && l.Box.Top < headZone && dropped[i]; j++ {
			dropped[i] = dropped[j] || !above(lines[j].Box)
		}
	}
}

// zones returns the lines in the zones, by their words without numbers, in order of the pages.
func zones(pages []transcript.Page) map[string][]printed {
	found := map[string][]printed{}
	for i, p := range pages {
		for j, l := range p.Lines {
			if l.Box.Top < headZone || l.Box.Bottom > footZone {
				key := strings.Join(strings.Fields(number().ReplaceAllString(l.Text, "#")), " ")
				found[key] = append(found[key], printed{i, j, l.Box.Top, number().FindAllString(l.Text, -1)})
			}
		}
	}
	return found
}

// repeatedIn returns the lines that another page repeats.
func repeatedIn(alike []printed) (repeated []printed) {
	for i, p := range alike {
		others := append(slices.Clone(alike[max(0, i-window):i]), alike[i+1:min(len(alike), i+1+window)]...)
		if slices.ContainsFunc(others, p.repeats) {
			repeated = append(repeated, p)
		}
	}
	return repeated
}

// window bounds the comparisons of a page full of equal lines.
const window = 40

// repeats reports whether two lines are one head or foot: equal, or with one number that grows
// with the pages.
func (p printed) repeats(o printed) bool {
	if p.page == o.page || math.Abs(p.top-o.top) > sameLine {
		return false
	}
	counting := 0
	for i, n := range p.numbers {
		if n == o.numbers[i] {
			continue
		}
		a, errA := strconv.Atoi(n)
		b, errB := strconv.Atoi(o.numbers[i])
		if errA != nil || errB != nil || a-b != p.page-o.page {
			return false
		}
		counting++
	}
	return counting <= 1
}
