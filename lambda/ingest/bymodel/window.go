package bymodel

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// Limits of a window. Four characters are about one token, so a window is about 10,000 tokens of
// text, and a file at most 200,000. A model writes about 100 tokens for a line of an invoice, and
// must end within a minute.
const (
	windowSize  = 40_000 // characters of text
	windowRows  = 60     // rows with an amount
	maxSize     = 800_000
	maxHalvings = 4 // of a window with answers that are cut off, because each is paid for
	headRows    = 40
)

// window is the text of one question.
type window struct {
	pieces []piece
	part   bool // of a longer file
}

// shows reports whether a page of an answer is in the window.
func (w window) shows(page any) bool {
	return slices.ContainsFunc(w.pieces, func(p piece) bool { return float64(p.page) == page })
}

// piece is a page, or a part of one.
type piece struct {
	page int
	head []string // the rows above the first amount, if they are in another piece
	rows []string
}

// size returns the characters, and the rows with an amount.
func (p piece) size() (characters, priced int) {
	for _, row := range p.rows {
		characters += utf8.RuneCountInString(row) + 1
		if hasPrice(row) {
			priced++
		}
	}
	return characters, priced
}

func hasPrice(row string) bool {
	return slices.ContainsFunc(printed.Amounts(row), func(a printed.Amount) bool { return a.Money })
}

// windowsOf divides a transcription into windows of whole pages. It divides a page longer than a
// window at its rows.
func windowsOf(t transcript.Transcription) (windows []window, size int) {
	characters, priced := 0, 0
	for _, p := range t.Pages {
		for _, piece := range divide(piece{page: p.Number, rows: rows(p)}) {
			c, n := piece.size()
			characters, priced, size = characters+c, priced+n, size+c
			if len(windows) == 0 || characters > windowSize || priced > windowRows {
				windows, characters, priced = append(windows, window{}), c, n
			}
			last := &windows[len(windows)-1]
			last.pieces = append(last.pieces, piece)
		}
	}
	for i := range windows {
		windows[i].part = len(windows) > 1
	}
	return windows, size
}

func divide(p piece) []piece {
	characters, priced := p.size()
	upper, lower, ok := p.halve()
	switch {
	case characters == 0:
		return nil
	case !ok, characters <= windowSize && priced <= windowRows:
		return []piece{p}
	}
	return append(divide(upper), divide(lower)...)
}

// halve divides a window between pages, or its only page between rows.
func (w window) halve() (upper, lower window, ok bool) {
	if n := len(w.pieces); n > 1 {
		return window{w.pieces[:n/2], true}, window{w.pieces[n/2:], true}, true
	}
	a, b, ok := w.pieces[0].halve()
	return window{[]piece{a}, true}, window{[]piece{b}, true}, ok
}

// halve divides a page above a row with an amount, because descriptions go on below it. The lower
// half keeps the head of the page: letterhead, number and the names of the columns.
func (p piece) halve() (upper, lower piece, ok bool) {
	mid := len(p.rows) / 2
	if mid == 0 {
		return upper, lower, false
	}
	if i := slices.IndexFunc(p.rows[mid:], hasPrice); i > 0 {
		mid += i
	}
	head := p.head
	if first := slices.IndexFunc(p.rows, hasPrice); head == nil && first > 0 {
		head = p.rows[:min(first, mid, headRows)]
	}
	return piece{p.page, p.head, p.rows[:mid]}, piece{p.page, head, p.rows[mid:]}, true
}

// rows returns the rows of a page. Blanks keep the columns in their place, as in pdftotext
// -layout, so that two addresses side by side don't become one.
func rows(p transcript.Page) (all []string) {
	letter, margin := grid(p)
	for i, l := range p.Lines {
		row, gap := "", 0
		if i > 0 && beside(p.Lines[i-1].Box, l.Box) {
			row, gap = all[len(all)-1], 2
			all = all[:len(all)-1]
		}
		column := int(math.Round((l.Box.Left - margin) / letter))
		row += strings.Repeat(" ", max(gap, column-utf8.RuneCountInString(row)))
		all = append(all, row+clean(l.Text))
	}
	return all
}

// grid returns the width of most letters of a page, and its left margin.
func grid(p transcript.Page) (letter, margin float64) {
	const least = 1.0 / 160 // at most so many columns, because blanks are paid for, too
	var widths []float64
	margin = 1
	for _, l := range p.Lines {
		margin = min(margin, l.Box.Left)
		if n := utf8.RuneCountInString(l.Text); n > 3 {
			widths = append(widths, (l.Box.Right-l.Box.Left)/float64(n))
		}
	}
	if len(widths) == 0 {
		return least, margin
	}
	slices.Sort(widths)
	return max(least, widths[len(widths)/2]), margin
}

func beside(a, b transcript.Box) bool {
	overlap := min(a.Bottom, b.Bottom) - max(a.Top, b.Top)
	return b.Left >= a.Right && overlap > min(a.Bottom-a.Top, b.Bottom-b.Top)/2
}
