package byrules_test

import (
	"fmt"

	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/transcript"
)

func ExampleExtract() {
	page := transcript.Page{Number: 1, Quality: 1}
	for i, text := range []string{"Nordlicht Papier GmbH", "Rechnung Nr. RE-2026-0042 vom 02.03.2026",
		"Nettobetrag 100,00 EUR", "19 % MwSt 19,00 EUR", "Gesamtbetrag 119,00 EUR"} {
		top := float64(i) / 20
		page.Lines = append(page.Lines, transcript.Line{Text: text, Confidence: 1,
			Box: transcript.Box{Left: 0.1, Top: top, Right: 0.6, Bottom: top + 0.02}})
	}
	for _, e := range byrules.Extract(transcript.Transcription{Engine: "text", Pages: []transcript.Page{page}}) {
		fmt.Println(e.Type, e.Data.Number, e.Data.Date, e.Data.Supplier.Name, e.Data.Total.Fixed(), e.Data.Currency)
		fmt.Printf("%q on page %d\n", e.Fields["total"].Quote, e.Fields["total"].Page)
	}
	// Output:
	// invoice RE-2026-0042 2026-03-02 Nordlicht Papier GmbH 119.00 EUR
	// "Gesamtbetrag 119,00 EUR" on page 1
}
