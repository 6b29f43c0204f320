package gate

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
)

// sheet is a page of rows; a bar separates its cells.
func sheet(rows string) transcript.Transcription {
	page := transcript.Page{Number: 1, Quality: 1}
	for y, row := range strings.Split(rows, "\n") {
		cells := strings.Split(row, "|")
		for x, text := range cells {
			left, top := float64(x)/float64(len(cells)), float64(y)/50
			page.Lines = append(page.Lines, transcript.Line{Text: text, Confidence: 1,
				Box: transcript.Box{Left: left, Top: top, Right: left + 0.15, Bottom: top + 0.01}})
		}
	}
	return transcript.Transcription{Engine: "text", Pages: []transcript.Page{page}}
}

func TestPrintedSums(t *testing.T) {
	t.Parallel()
	const (
		top  = "Holzwerk Birke GmbH\nRechnung Nr. H-7\nDatum 02.03.2026\nPos|Bezeichnung|Menge|Preis|Gesamt\n"
		sums = "\nNettobetrag|||x|100,00 €\nMwSt 19 %|||x|19,00 €\nRechnungsbetrag|||x|119,00 €"
	)
	for rows, want := range map[string]string{
		"1|Leisten|500|20,00/100|100,00" + sums:                                             "[] arithmetic",
		"1|Leisten|500|20,00 %|100,00" + sums:                                               "[] arithmetic",
		"1|Leisten|5|21,00|105,00\nRabatt|||x|5,00" + sums:                                  "[] arithmetic",
		"1|Leisten|5|20,00|100,00" + sums + "\nAnzahlung|||x|-19,00\nZahlbetrag|||x|100,00": "[] arithmetic",
		"1|Leisten|5|20,00|100,00\n2|Latten|5|10,00|50,00" + sums:                           "[the lines and charges add up to 150.00, not to the subtotal 100.00] arithmetic",
		"1|Leisten|5|20,00|100,00" + sums + "\nZahlbetrag|||x|90,00":                        "[the amount due is 90.00, but total 119.00 - prepaid 0.00 + rounding 0.00 is 119.00] arithmetic",
		"1|Leisten|5|20,00|100,00\nVersand|||x|10,00\nMwSt|||x|9,00\nSumme|||x|119,00 €":    "[] arithmetic",
	} {
		text := sheet(top + rows)
		e := byrules.Extract(text)[0]
		got := fmt.Sprint(Pass(&e, text, today), " ", e.Fields["total"].Trust)
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s\n%+v", rows, got, want, e.Data)
		}
	}
}

func TestDoubtsAreReasons(t *testing.T) {
	t.Parallel()
	e := right(t)
	e.Doubts = []extraction.Doubt{{Field: "total", Text: "several totals add up on the pages: 1.00 and 2.00"}}
	if got := Pass(&e, invoice(), today); len(got) != 1 || got[0].Text != e.Doubts[0].Text || got[0].Check != Confidence {
		t.Errorf("got %v", got)
	}
}
