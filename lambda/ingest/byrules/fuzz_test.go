package byrules

import (
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// Whatever the lines and their places, the rules end without a panic.
func FuzzLinesAreReadWithoutPanic(f *testing.F) {
	for _, seed := range []string{"Rechnung Nr. 7\nMeier GmbH\nGesamtbetrag: 119,00 EUR", "Menge\tPreis\tBetrag\tBeschreibung\n2\t1,00\t2,00\tPapier",
		"Zahlbar bis\t01.02.2026\n\xff\x00", "19 %\t100,00\t19,00\nMwSt\t19 %"} {
		f.Add(seed, 0.1, 0.2)
	}
	f.Fuzz(func(t *testing.T, text string, width, height float64) {
		page := transcript.Page{Number: 1, Quality: 1}
		for row, line := range strings.Split(text, "\n") {
			for column, cell := range strings.Split(line, "\t") {
				left, top := float64(column)*width, float64(row)*height
				page.Lines = append(page.Lines, transcript.Line{Text: cell,
					Box: transcript.Box{Left: left, Top: top, Right: left + width/2, Bottom: top + height/2}})
			}
		}
		if found := Extract(transcript.Transcription{Pages: []transcript.Page{page}}); len(found) != 1 {
			t.Errorf("%d documents on one page", len(found))
		}
	})
}
