package ingest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/ingest/transcript"
)

// paper is a printed invoice. Its cells are divided by two blanks.
const paper = `Fjordholz Handel GmbH
Kaiweg 4, 24103 Kiel

Rechnungsempfänger
Möbelwerk Tarnow AG
Am Speicher 9, 18249 Tarnow

Rechnung
Rechnungsnummer:  FH-3071
Rechnungsdatum:  14.04.2026
Kundennummer  5950

Eiche, besäumt  5950  m

Summe netto  2.400,00 EUR
zzgl. 19 % MwSt  456,00 EUR
Rechnungsbetrag  2.856,00 EUR
Zahlbar bis 14.05.2026
USt-IdNr. DE136695976  IBAN DE89 3704 0044 0532 0130 00`

func printedOn(text string) transcript.Transcription {
	page := transcript.Page{Number: 1, Quality: 1}
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		for j, cell := range strings.Split(row, "  ") {
			top := float64(i) / float64(len(rows))
			page.Lines = append(page.Lines, transcript.Line{Text: cell, Confidence: 1, Box: transcript.Box{
				Left: float64(j) / 3, Right: float64(j)/3 + 0.3, Top: top, Bottom: top + 0.6/float64(len(rows))}})
		}
	}
	return transcript.Transcription{Engine: "test", Pages: []transcript.Page{page}}
}

func on(day string) document.Date {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return document.DateOf(t)
}

func printedData() document.Data {
	return document.Data{
		Number: "FH-3071", Date: on("2026-04-14"), Currency: "EUR",
		Supplier: document.Party{Name: "Fjordholz Handel GmbH", VATID: "DE136695976", IBAN: "DE89370400440532013000"},
		Buyer:    document.Party{Name: "Möbelwerk Tarnow AG"},
		Subtotal: document.MustAmount("2400"), Tax: document.MustAmount("456"), Total: document.MustAmount("2856"),
		AmountDue: document.MustAmount("2856"), Terms: document.Terms{Due: on("2026-05-14")},
	}
}

func TestPageContradictsXML(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*document.Data)
		want   []string
	}{
		{"nothing", func(*document.Data) {}, nil},
		{"total", func(d *document.Data) {
			d.Total, d.AmountDue = document.MustAmount("5950"), document.MustAmount("5950")
		},
			[]string{"the XML states the total 5950.00, the page 2856.00"}},
		{"a rounded total", func(d *document.Data) { d.Total = document.MustAmount("2855.98") }, nil},
		{"a credited total", func(d *document.Data) { d.Total = document.MustAmount("-2856") }, nil},
		{"an amount that isn't printed", func(d *document.Data) { d.Prepaid = document.MustAmount("100") }, nil},
		{"a net total", func(d *document.Data) { d.Subtotal = document.MustAmount("2300") },
			[]string{"the XML states the subtotal 2300.00, the page 2400.00"}},
		{"number", func(d *document.Data) { d.Number = "FH-3999" },
			[]string{"the XML states the number FH-3999, the page FH-3071"}},
		{"a longer number", func(d *document.Data) { d.Number = "2026-FH-3071" }, nil},
		{"date", func(d *document.Data) { d.Date = on("2026-04-11") },
			[]string{"the XML states the date 2026-04-11, the page 2026-04-14"}},
		{"due date", func(d *document.Data) { d.Terms.Due = on("2026-05-01") },
			[]string{"the XML states the due date 2026-05-01, the page 2026-05-14"}},
		{"IBAN", func(d *document.Data) { d.Supplier.IBAN = "FR1420041010050500013M02606" },
			[]string{"the page states another IBAN to pay to than the XML"}},
		{"IBAN of a payee", func(d *document.Data) {
			d.Supplier.IBAN, d.Payee = "", document.Party{Name: "Fjordholz", IBAN: "FR1420041010050500013M02606"}
		}, []string{"the page states another IBAN to pay to than the XML"}},
		{"VAT id", func(d *document.Data) { d.Supplier.VATID = "DE811907980" },
			[]string{"the page states another supplier's VAT id than the XML"}},
		{"VAT id of the other side", func(d *document.Data) {
			d.Supplier.VATID, d.Buyer.VATID = "DE811907980", "DE136695976"
		}, nil},
		{"supplier", func(d *document.Data) { d.Supplier.Name = "Bergland Kies AG" },
			[]string{"the page states another supplier's name than the XML"}},
		{"a longer name", func(d *document.Data) { d.Supplier.Name = "GLN 4012345000009 Fjordholz Handel" }, nil},
		{"currency", func(d *document.Data) { d.Currency = "CHF" }, []string{"the XML states the currency CHF, the page EUR"}},
	} {
		data := printedData()
		tc.change(&data)
		text := printedOn(paper)
		if got := contradictions(&einvoice.Document{Data: data}, text, shownIn(text)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
