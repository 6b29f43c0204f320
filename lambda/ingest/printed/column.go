package printed

import (
	"math"

	"matchbook/lambda/ingest/transcript"
)

// columns returns the lines in the order of their columns. A line without a neighbour above
// begins one, behind a character that no quote has.
func columns(lines []transcript.Line) (ordered []transcript.Line) {
	above, below := make([]int, len(lines)), make([]int, len(lines))
	for i := range lines {
		above[i], below[i] = -1, -1
	}
	for i := range lines {
		j := under(lines, i)
		if j < 0 || above[j] >= 0 && indent(lines, above[j], j) <= indent(lines, i, j) {
			continue
		}
		if above[j] >= 0 {
			below[above[j]] = -1
		}
		above[j], below[i] = i, j
	}
	for i := range lines {
		if above[i] >= 0 {
			continue
		}
		ordered = append(ordered, transcript.Line{Text: "\uffff"})
		for j := i; j >= 0; j = below[j] {
			ordered = append(ordered, lines[j])
		}
	}
	return ordered
}

// under returns the line in the next row that line i stands over, or -1. Lines come row by row.
func under(lines []transcript.Line, i int) int {
	a, found := lines[i].Box, -1
	limit := a.Bottom + 1.5*(a.Bottom-a.Top)
	for j := i + 1; j < len(lines) && lines[j].Box.Top < limit; j++ {
		b := lines[j].Box
		switch {
		case b.Top < (a.Top+a.Bottom)/2, min(a.Right, b.Right) <= max(a.Left, b.Left):
		case found < 0, b.Top < lines[found].Box.Bottom && indent(lines, i, j) < indent(lines, i, found):
			found = j
		}
	}
	return found
}

func indent(lines []transcript.Line, i, j int) float64 {
	return math.Abs(lines[i].Box.Left - lines[j].Box.Left)
}
