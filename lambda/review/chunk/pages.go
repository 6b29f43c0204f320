package chunk

import (
	"slices"
	"strings"

	"matchbook/lambda/ingest/transcript"
)

// OfPages returns a transcription's text. You must pass it to Clean. Columns follow one another.
// Lines side by side, such as a number and its clause, become one line. A line far below the
// previous one starts a paragraph. Form feeds separate pages. Their numbers, and the heads and
// feet that they repeat, are left out, and footnotes stand between two sentences, because they
// would divide one.
func OfPages(pages []transcript.Page) string {
	var texts []string
	for _, lines := range withoutFurniture(pages) {
		texts = append(texts, ofPage(lines))
	}
	return strings.Join(texts, "\n\f")
}

func ofPage(lines []transcript.Line) string {
	var b strings.Builder
	blocks, notes := withoutNotes(transcript.Columns(lines))
	if len(notes) > 0 {
		before, rest := unfinished(blocks)
		blocks = slices.Concat(before, notes, rest)
	}
	last := transcript.Line{}
	for i, block := range blocks {
		switch {
		case i == 0:
		case block[0].Box.Top < last.Box.Top && !ends(last.Text) && !closes(last.Text): // goes on in the next column
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		writeBlock(&b, block)
		last = block[len(block)-1]
	}
	return b.String()
}

func writeBlock(b *strings.Builder, lines []transcript.Line) {
	usual := usualStep(lines)
	for i, l := range lines {
		if i > 0 {
			switch step := l.Box.Top - lines[i-1].Box.Top; {
			case lines[i-1].Box.SharesRow(l.Box):
				b.WriteString("  ")
			case usual > 0 && (step > 1.4*usual || step < 0):
				b.WriteString("\n\n")
			default:
				b.WriteString("\n")
			}
		}
		b.WriteString(l.Text)
	}
}

// usualStep returns the usual distance between two lines. It uses one near the smallest,
// because paragraphs are rarer than lines.
func usualStep(lines []transcript.Line) float64 {
	var steps []float64
	for i := 1; i < len(lines); i++ {
		if step := lines[i].Box.Top - lines[i-1].Box.Top; step > 0 && !lines[i-1].Box.SharesRow(lines[i].Box) {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/3]
}
