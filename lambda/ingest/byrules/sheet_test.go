package byrules

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/ingest/transcript"
)

var cellForm = regexp.MustCompile(`\S+(?: {1,2}\S+)*`)

// sheets makes a transcription of text as a page shows it: a gap of three spaces
// ends a cell, a line of dashes ends a page.
func sheets(text string) transcript.Transcription {
	const columns, rows = 100, 60
	t := transcript.Transcription{Engine: "text", Version: "1"}
	for i, page := range strings.Split(strings.Trim(text, "\n"), "\n-----\n") {
		p := transcript.Page{Number: i + 1, Quality: 1}
		for row, line := range strings.Split(page, "\n") {
			for _, at := range cellForm.FindAllStringIndex(line, -1) {
				left, width := utf8.RuneCountInString(line[:at[0]]), utf8.RuneCountInString(line[at[0]:at[1]])
				p.Lines = append(p.Lines, transcript.Line{Text: line[at[0]:at[1]], Confidence: 1, Box: transcript.Box{
					Left: float64(left) / columns, Right: float64(left+width) / columns,
					Top: float64(row) / rows, Bottom: (float64(row) + 0.8) / rows}})
			}
		}
		t.Pages = append(t.Pages, p)
	}
	return t
}
