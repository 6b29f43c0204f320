package chunk

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/ingest/transcript"
)

// Zones of a page with heads and feet, in fractions of its height.
const (
	headZone = 0.15
	footZone = 0.85
	sameLine = 0.012 // the largest distance of a repetition
)

var number = regexp.MustCompile(`\d+`)

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
	dropped, constant := make([]map[int]bool, len(pages)), []transcript.Line{}
	for i := range dropped {
		dropped[i] = map[int]bool{}
	}
	for _, alike := range zones(pages) {
		repeated := repeatedIn(alike)
		for _, p := range repeated {
			dropped[p.page][p.line] = p.page > 0 || p.top > headZone
		}
		if len(repeated) == 0 {
			continue
		}
		first := repeated[0]
		if dropped[first.page][first.line] && slices.Equal(first.numbers, repeated[len(repeated)-1].numbers) {
			constant = append(constant, pages[first.page].Lines[first.line])
		}
	}
	for i, p := range pages {
		var lines []transcript.Line
		for j, l := range p.Lines {
			if !dropped[i][j] {
				lines = append(lines, l)
			}
		}
		left = append(left, lines)
	}
	if len(constant) == 0 {
		return left
	}
	slices.SortFunc(constant, func(a, b transcript.Line) int {
		return cmp.Or(cmp.Compare(a.Box.Top, b.Box.Top), cmp.Compare(a.Box.Left, b.Box.Left), cmp.Compare(a.Text, b.Text))
	})
	return append(left, constant)
}

// zones returns the lines in the zones, by their words without numbers, in order of the pages.
func zones(pages []transcript.Page) map[string][]printed {
	found := map[string][]printed{}
	for i, p := range pages {
		for j, l := range p.Lines {
			if l.Box.Top < headZone || l.Box.Bottom > footZone {
				key := strings.Join(strings.Fields(number.ReplaceAllString(l.Text, "#")), " ")
				found[key] = append(found[key], printed{i, j, l.Box.Top, number.FindAllString(l.Text, -1)})
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
