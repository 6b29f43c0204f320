package taught

import (
	"math"
	"strings"
	"unicode"

	"matchbook/lambda/ingest/transcript"
)

// Line is a printed line. Its places are stored with the document, because the correction may
// come a year later, from a machine without the files.
type Line struct {
	Page int    `json:"p"` // of the document, from 1
	Text string `json:"t"`
	Box  Box    `json:"b"`

	file int // its page in the file
}

// Box has the edges of a line as transcript.Box: left, top, right, bottom.
type Box [4]float64

const (
	left = iota
	top
	right
	bottom
)

// Limits of the lines of a document. What a person corrects stands on the first pages or the
// last one.
const (
	maxLines = 600
	maxChars = 300
)

// Lines returns the lines of a document's pages.
func Lines(pages []transcript.Page) (all []Line) {
	for i, p := range pages {
		if i > 1 && i < len(pages)-1 {
			continue
		}
		for _, l := range p.Lines {
			text := strings.TrimSpace(l.Text)
			if text == "" || len(text) > maxChars || len(all) == maxLines {
				continue
			}
			box := Box{l.Box.Left, l.Box.Top, l.Box.Right, l.Box.Bottom}
			for j := range box {
				box[j] = math.Round(box[j]*1e4) / 1e4
			}
			all = append(all, Line{i + 1, text, box, p.Number})
		}
	}
	return all
}

func (l Line) height() float64 { return l.Box[bottom] - l.Box[top] }

// row reports whether two lines stand in one row.
func (l Line) row(o Line) bool {
	overlap := min(l.Box[bottom], o.Box[bottom]) - max(l.Box[top], o.Box[top])
	return l.Page == o.Page && overlap > min(l.height(), o.height())/2
}

// leftOf returns the nearest line with words to the left.
func leftOf(lines []Line, i int) (best int, ok bool) {
	for j, l := range lines {
		if j != i && l.row(lines[i]) && l.Box[left] < lines[i].Box[left] && words(l.Text) != "" &&
			(!ok || l.Box[left] > lines[best].Box[left]) {
			best, ok = j, true
		}
	}
	return best, ok
}

// above returns the nearest line above in the column, at most three lines away.
func above(lines []Line, i int) (best int, ok bool) {
	const most = 3
	at := lines[i]
	for j, l := range lines {
		if l.Page == at.Page && !l.row(at) && l.Box[top] < at.Box[top] && at.Box[top]-l.Box[bottom] < most*at.height() &&
			min(l.Box[right], at.Box[right]) > max(l.Box[left], at.Box[left]) && (!ok || l.Box[top] > lines[best].Box[top]) {
			best, ok = j, true
		}
	}
	return best, ok
}

// words keeps the words without digits, in lower case, because digits of a label are values.
func words(text string) string {
	var kept []string
	for w := range strings.FieldsSeq(text) {
		w = strings.ToLower(strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		if w != "" && !strings.ContainsFunc(w, unicode.IsDigit) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
