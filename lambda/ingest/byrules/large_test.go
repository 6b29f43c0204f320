package byrules

import (
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// Each of these texts makes the rules look for a partner of every line. Compared
// each with each, the lines would take an hour.
func TestPageOfManyLinesIsReadAtOnce(t *testing.T) {
	t.Parallel()
	const rows = 10_000
	page := transcript.Page{Number: 1, Quality: 1}
	texts := []string{"Name:", "DE136695976", "www.abcdefg.de", "Zahlbar bis", "01.02.2026", "Gesamtbetrag", "Zeitraum", "Meier",
		"Bestellung Nr. 7"}
	for i := range rows {
		top := float64(i) / rows
		for j, left := range []float64{0.1, 0.5} {
			page.Lines = append(page.Lines, transcript.Line{Text: texts[(i+j*4)%len(texts)], Confidence: 1,
				Box: transcript.Box{Left: left, Right: left + 0.3, Top: top, Bottom: top + 0.9/rows}})
		}
	}
	found := Extract(transcript.Transcription{Pages: []transcript.Page{page}})
	if len(found) != 1 || found[0].Data.Supplier.VATID != "DE136695976" {
		t.Errorf("got %d documents, the first with %+v", len(found), found[0].Data.Supplier)
	}
}
