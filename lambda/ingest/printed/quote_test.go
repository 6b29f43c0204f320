package printed

import (
	"slices"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

func TestQuotes(t *testing.T) {
	t.Parallel()
	page := func(number int, lines ...string) (p transcript.Page) {
		p.Number = number
		for _, l := range lines {
			p.Lines = append(p.Lines, transcript.Line{Text: l})
		}
		return p
	}
	q := QuotesOf(transcript.Transcription{Pages: []transcript.Page{
		page(1, "Invoice No. RE-2026-", "0042 of 04.03.2026", "Net", "2.119,00 €", "Trans-", "portkosten", "So\u00adftware"),
		page(2, "Total  119,00", "IBAN DE89 3704 0044", "Bestellung 4500-12"),
	}})
	for quote, want := range map[string][]int{
		"Total 119,00":      {2},
		"Total119,00":       {2}, // white space aside
		"119,00":            {2}, // not in 2.119,00
		"2.119,00":          {1},
		"19,00":             nil,
		"119":               nil,
		"Net 2.119,00 €":    {1}, // over two cells
		"RE-2026-0042":      {1},
		"Transportkosten":   {1},
		"Trans-portkosten":  {1},
		"Software":          {1},
		"DE8937040044":      {2},
		"4500":              nil,
		"4500-12":           {2},
		"otal":              nil,
		"total 119,00":      nil, // a quote is copied
		"":                  nil,
		" ":                 nil,
		"Total 119,00 paid": nil,
	} {
		if got := q.Pages(quote); !slices.Equal(got, want) {
			t.Errorf("%q: got pages %v, want %v", quote, got, want)
		}
	}
	if q.On(1, "Total 119,00") || !q.On(2, "Total 119,00") {
		t.Error("a quote belongs to its page")
	}
}
