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
		page(1, "Invoice No. RE-2026-", "0042 of 04.03.2026", "Net", "2.119,00 €", "Trans-", "portkosten", "So\u00adftware", "Nord‐Süd"),
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
		"Nord-Süd":          {1},
		"Nord‑Süd":          {1},
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

// An address next to another one is a text, and so is a label over its value.
func TestQuotesInColumns(t *testing.T) {
	t.Parallel()
	p := transcript.Page{Number: 1}
	for row, cells := range [][2]string{{"Nordlicht GmbH", "Invoice no."}, {"Hafenweg 3", "RE-7"}, {"20457 Ham-", "Date"}, {"burg", "4 March 2026"},
		{"", ""}, {"", ""}, {"Total", "119.00"}} {
		for column, text := range cells {
			left, top := []float64{0.1, 0.6}[column], float64(row)/50
			if text != "" {
				p.Lines = append(p.Lines, transcript.Line{Text: text,
					Box: transcript.Box{Left: left, Right: left + 0.2, Top: top, Bottom: top + 0.012}})
			}
		}
	}
	q := QuotesOf(transcript.Transcription{Pages: []transcript.Page{p}})
	for quote, want := range map[string]bool{
		"Hafenweg 3\n20457 Hamburg":        true,
		"Nordlicht GmbH Hafenweg 3":        true,
		"Invoice no.\nRE-7":                true,
		"Hafenweg 3   RE-7":                true, // a row
		"Nordlicht GmbH\n20457 Ham-\nburg": false,
		"RE-7 Hafenweg 3":                  false,
		"burg Total":                       false, // far below
	} {
		if got := q.On(1, quote); got != want {
			t.Errorf("%q: got %t", quote, got)
		}
	}
}
