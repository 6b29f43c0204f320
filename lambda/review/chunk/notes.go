package chunk

import (
	"slices"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/lazy"
)

// noteMark begins a footnote: a number or sign without a point, which a clause would have.
var noteMark = lazy.Regexp(`^(\d{1,3}|[*†‡§¶]{1,3})\s?["“‘'(]?\p{L}`)

// smaller is the most height of a footnote's line, as a part of the usual one.
const smaller = 0.93

// withoutNotes returns the blocks of a page without the footnotes at their ends, which would
// divide a sentence that goes on in the next column.
func withoutNotes(blocks [][]transcript.Line) (running, notes [][]transcript.Line) {
	for _, b := range blocks {
		if first := firstNote(b); first < len(b) {
			running, notes = append(running, b[:first]), append(notes, b[first:])
		} else {
			running = append(running, b)
		}
	}
	return running, notes
}

// firstNote returns the place of the first small line with a mark from which on the lines are smaller
// than the ones before.
func firstNote(block []transcript.Line) int {
	for i := 1; i < len(block); i++ {
		limit := smaller * usualHeight(block[:i])
		if noteMark().MatchString(block[i].Text) && usualHeight(block[i:i+1]) < limit && usualHeight(block[i:]) < limit {
			return i
		}
	}
	return len(block)
}

func usualHeight(lines []transcript.Line) float64 {
	heights := make([]float64, len(lines))
	for i, l := range lines {
		heights[i] = l.Box.Bottom - l.Box.Top
	}
	slices.Sort(heights)
	return heights[len(heights)/4] // other fonts on a line make it taller
}

// unfinished returns the lines of a page's last paragraph if it goes on: the ones after the last
// line that ends a sentence.
func unfinished(blocks [][]transcript.Line) (before, rest [][]transcript.Line) {
	for i, b := range slices.Backward(blocks) {
		for j, l := range slices.Backward(b) {
			if !ends(l.Text) && !closes(l.Text) {
				continue
			}
			before = slices.Clone(blocks[:i+1])
			before[i] = b[:j+1]
			if rest = blocks[i+1:]; j+1 < len(b) {
				rest = append([][]transcript.Line{b[j+1:]}, rest...)
			}
			return before, rest
		}
	}
	return blocks, nil
}
