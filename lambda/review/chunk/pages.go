package chunk

import (
	"slices"
	"strings"

	"matchbook/lambda/ingest/transcript"
)

// OfPages returns a transcription's text. You must pass it to Clean. Lines side by side, such
// as a number and its clause, become one line. A line far below the previous one starts a
// paragraph. Form feeds separate pages.
func OfPages(pages []transcript.Page) string {
	texts := make([]string, len(pages))
	for i, p := range pages {
		texts[i] = ofPage(p.Lines)
	}
	return strings.Join(texts, "\n\f")
}

func ofPage(lines []transcript.Line) string {
	usual := usualStep(lines)
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			switch step := l.Box.Top - lines[i-1].Box.Top; {
			case beside(lines[i-1].Box, l.Box):
				b.WriteString("  ")
			case usual > 0 && (step > 1.4*usual || step < 0):
				b.WriteString("\n\n")
			default:
				b.WriteString("\n")
			}
		}
		b.WriteString(l.Text)
	}
	return b.String()
}

// Lines are side by side if they share most of their height.
func beside(a, b transcript.Box) bool {
	shared := min(a.Bottom, b.Bottom) - max(a.Top, b.Top)
	return shared > min(a.Bottom-a.Top, b.Bottom-b.Top)/2
}

// usualStep returns the usual distance between two lines. It uses one near the smallest,
// because paragraphs are rarer than lines.
func usualStep(lines []transcript.Line) float64 {
	var steps []float64
	for i := 1; i < len(lines); i++ {
		if step := lines[i].Box.Top - lines[i-1].Box.Top; step > 0 && !beside(lines[i-1].Box, lines[i].Box) {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/3]
}
