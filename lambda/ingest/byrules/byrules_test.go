package byrules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

const german = `
Nordlicht Papier GmbH                                   Tel. 040 1234-0
Hafenstraße 7, 20457 Hamburg

Rechnungsempfänger
Buchladen Kranich e.K.
Marktplatz 3
37073 Göttingen

Rechnung
Rechnungsnummer:          RE-2026-0042
Rechnungsdatum:           02.03.2026
Ihre Bestellung:          4500-12 vom 20.02.2026
Lieferschein Nr. LS-88120

Pos   Bezeichnung                   Menge        Einzelpreis        Gesamtpreis
1     Papier A4 weiß                20 Pack      4,50               90,00
2     Stifte, blau                  10 Stk       3,00               30,00
3     Ordner                        500 Stk      2,26               1.130,00

                                                 Zwischensumme      1.250,00 €
                                                 zzgl. 19 % MwSt    237,50 €
                                                 Gesamtbetrag       1.487,50 €

Zahlbar bis 01.04.2026 ohne Abzug
USt-IdNr. DE136695976      IBAN DE89 3704 0044 0532 0130 00`

const english = `
                                                          INVOICE
Harbour Paper Ltd
7 Dock Road, Hull

Bill to:
Crane Books Limited

Invoice No.            Invoice Date         PO Number
HP/2026/117            04/03/2026           PO-77120
Delivery date          13/03/2026

Description             Qty       Unit price       Amount
Copy paper              3         1,100.00         3,300.00
Blue pens               5         20.00            100.00

                                  Subtotal         £3,400.00
                                  VAT 20%          £680.00
                                  Total            £4,080.00
Amount due              £4,080.00
VAT No. GB 980 7806 84`

const french = `
Papeterie du Port SARL
7 quai des Brumes, 76600 Le Havre

Facturé à
Librairie La Grue SAS

Facture N° FA-2026-0311
Date de facture          4 mars 2026
Date d'échéance          03/04/2026
Commande n° 88-2041

Désignation             Quantité       Prix unitaire        Montant
Papier blanc            2              1 000,00             2 000,00
Crayons                 10             2,50                 25,00

                                       Total HT             2 025,00 €
                                       TVA 20 %             405,00 €
                                       Total TTC            2 430,00 €
TVA intracommunautaire FR 83 404 833 048`

const italian = `
Cartiera del Porto S.r.l.
Via del Molo 7, 16126 Genova

Cliente
Libreria La Gru S.p.A.

Fattura n. 2026/118 del 15/02/2026
Scadenza                15/03/2026

Descrizione             Quantità       Prezzo         Importo
Carta bianca            4              25,00          100,00
Matite                  8              2,50           20,00

                        Imponibile     120,00 EUR
                        IVA 22%        26,40 EUR
                        Totale         146,40 EUR`

const spanish = `
Papelera del Puerto S.L.
Muelle 7, 46024 Valencia

Facturar a
Librería La Grulla S.A.

Factura n.º F-2026-091
Fecha de factura:       15 de enero de 2026
Vencimiento:            14/02/2026

Descripción             Cantidad       Precio         Importe
Papel blanco            4              25,00          100,00
Lápices                 8              2,50           20,00

                        Base imponible     120,00 €
                        IVA 21%            25,20 €
                        Total factura      145,20 €`

func TestFiveLanguages(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "languages")
	for text, want := range map[string]string{
		german: "invoice RE-2026-0042 2026-03-02 due 2026-04-01 EUR Nordlicht Papier GmbH > Buchladen Kranich e.K.: " +
			"1250.00 + 237.50 = 1487.50, 3 lines [{delivery-note LS-88120} {purchase-order 4500-12}] DE136695976 DE89370400440532013000",
		english: "invoice HP/2026/117 2026-03-04 due  GBP Harbour Paper Ltd > Crane Books Limited: " +
			"3400.00 + 680.00 = 4080.00, 2 lines [{purchase-order PO-77120}] GB980780684 ",
		french: "invoice FA-2026-0311 2026-03-04 due 2026-04-03 EUR Papeterie du Port SARL > Librairie La Grue SAS: " +
			"2025.00 + 405.00 = 2430.00, 2 lines [{purchase-order 88-2041}] FR83404833048 ",
		italian: "invoice 2026/118 2026-02-15 due 2026-03-15 EUR Cartiera del Porto S.r.l. > Libreria La Gru S.p.A.: " +
			"120.00 + 26.40 = 146.40, 2 lines []  ",
		spanish: "invoice F-2026-091 2026-01-15 due 2026-02-14 EUR Papelera del Puerto S.L. > Librería La Grulla S.A.: " +
			"120.00 + 25.20 = 145.20, 2 lines []  ",
	} {
		found := seen.extract(sheets(text))
		if len(found) != 1 {
			t.Errorf("%d documents in %s", len(found), text)
			continue
		}
		e, d := found[0], found[0].Data
		got := fmt.Sprintf("%s %s %s due %s %s %s > %s: %s + %s = %s, %d lines %v %s %s", e.Type, d.Number, d.Date, d.Terms.Due, d.Currency,
			d.Supplier.Name, d.Buyer.Name, d.Subtotal.Fixed(), d.Tax.Fixed(), d.Total.Fixed(), len(d.Lines), d.References,
			d.Supplier.VATID, d.Supplier.IBAN)
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if e.Confidence == extraction.Low || !e.Successful || e.Source != Source {
			t.Errorf("%s: confidence %s, successful %v", d.Number, e.Confidence, e.Successful)
		}
	}
}

func TestValuesHaveQuotes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{german, english, french, italian, spanish} {
		pages := sheets(text)
		quotes := printed.QuotesOf(pages)
		e := Extract(pages)[0]
		for _, v := range extraction.Values(e.Data) {
			f := e.Fields[v.Path]
			if f.Value != v.Text || f.Trust != extraction.Printed || !quotes.On(f.Page, f.Quote) {
				t.Errorf("%s: %+v for %q", v.Path, f, v.Text)
			}
		}
	}
}

func TestTypesAreTitles(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "titles")
	for text, want := range map[string]string{
		"Lieferschein\nLieferschein-Nr. LS-1\nzu Bestellung Nr. B-77":            "delivery-note LS-1",
		"Delivery note No. D-12\nYour order no. 4711-5":                          "delivery-note D-12",
		"PURCHASE ORDER\nOrder No.: PO-2026-7\nDate: 2026-01-02":                 "purchase-order PO-2026-7",
		"Bestellung Nr. 4500-1\nRechnungsanschrift\nNordlicht GmbH":              "purchase-order 4500-1",
		"Auftragsbestätigung Nr. AB-9\nIhre Bestellung Nr. 4500-1":               "order-confirmation AB-9",
		"Credit note No. CN-3\nfor invoice no. RE-8":                             "credit-note CN-3",
		"Gutschrift Nr. G-3\nzu Rechnung Nr. RE-8":                               "credit-note G-3",
		"Avoir n° AV-3\nFacture n° FA-8":                                         "credit-note AV-3",
		"Wareneingang Nr. WE-5\nLieferschein Nr. LS-1":                           "goods-receipt WE-5",
		"Albarán n.º 55-1\nPedido n.º 77-2":                                      "delivery-note 55-1",
		"Documento di trasporto n. 12/26\nOrdine n. 7/26":                        "delivery-note 12/26",
		"Dear Sir,\nthank you for the invoice that you sent us in the last week": " ",
	} {
		e := seen.extract(sheets(text))[0]
		if got := string(e.Type) + " " + e.Data.Number; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAmbiguousDates(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/ambiguous-dates")
	for text, want := range map[string]string{
		"Invoice No. A-1\nDate: 03/04/2026\nDue date: 25/04/2026":                         "2026-04-03", // the other date
		"Invoice No. A-1\nDate: 03/04/2026\nDue date: 04/25/2026":                         "2026-03-04",
		"Invoice No. A-1\nDate: 03/04/2026\nTotal   $ 5.00":                               "2026-03-04", // the currency
		"Invoice No. A-1\nDate: 03/04/2026\nTotal   5,00 €":                               "2026-04-03",
		"Invoice No. A-1\nDate: 03/04/2026\nVAT No. DE136695976\nTotal   5.00":            "2026-04-03", // the country
		"Invoice No. A-1\nDate: 03/04/2026\nTotal   5.00":                                 "",
		"Invoice No. A-1\nDelivery date: 2026-03-01\nInvoice date: 2026-03-04":            "2026-03-04",
		"Rechnung Nr. A-1 vom 04.03.2026\nLieferdatum 01.03.2026":                         "2026-03-04",
		"Rechnung Nr. A-1\nHamburg, 04.03.2026\nLeistungszeitraum 01.02.2026":             "2026-03-04",
		"Rechnung Nr. A-1\nVersicherung des Fuhrparks am Standort Göttingen   04.03.2026": "2026-03-04",
		"Rechnung Nr. A-1\nFällig am 04.04.2026":                                          "",
		"Rechnung Nr. A-1\ngemäß Ihrer Bestellung Nr. 4500-12\nvom 01.03.2026 über":       "",
	} {
		if got := seen.asIs(sheets(text))[0].Data.Date.String(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTwoInvoicesInOneFile(t *testing.T) {
	t.Parallel()
	first := strings.ReplaceAll(german, "\nPos ", "\n-----\nRechnungsnummer: RE-2026-0042      Seite 2\nPos ")
	found := Extract(sheets(first + "\n-----\n" + french))
	if len(found) != 2 {
		t.Fatalf("got %d documents", len(found))
	}
	for i, want := range []struct {
		number, total string
		pages         []int
	}{{"RE-2026-0042", "1487.50", []int{1, 2}}, {"FA-2026-0311", "2430.00", []int{3}}} {
		e := found[i]
		if e.Data.Number != want.number || e.Data.Total.Fixed() != want.total || !slices.Equal(e.Pages, want.pages) {
			t.Errorf("got %s, %s, pages %v; want %+v", e.Data.Number, e.Data.Total.Fixed(), e.Pages, want)
		}
		if page := e.Fields["total"].Page; page != want.pages[len(want.pages)-1] {
			t.Errorf("the total of %s is on page %d", want.number, page)
		}
	}
}

// A label alone can name another sum.
func TestTotalAloneIsDoubted(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/total-alone-is-doubted")
	e := seen.asIs(sheets("Invoice No. A-1\nDate: 2026-03-04\nNordlicht GmbH\nTotal   5.00"))[0]
	if fmt.Sprint(e.Doubts) != "[nothing printed adds up to the total 5.00]" || e.Data.Total.Fixed() != "5.00" ||
		e.Data.Supplier.Name != "Nordlicht GmbH" {
		t.Errorf("got %+v", e)
	}
}

func TestVATIDsBySide(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "vat-ids")
	for name, text := range map[string]string{
		"below the buyer's name": strings.Replace(german, "Marktplatz 3", "ATU13585627", 1),
		"behind a label":         strings.Replace(german, "Zahlbar bis", "Ihre USt-IdNr. ATU13585627\nZahlbar bis", 1),
		"behind capitals":        strings.Replace(german, "Zahlbar bis", "Ihre UID ATU13585627\nZahlbar bis", 1),
	} {
		d := seen.extract(sheets(text))[0].Data
		if d.Supplier.VATID != "DE136695976" || d.Buyer.VATID != "ATU13585627" {
			t.Errorf("%s: got %q and %q", name, d.Supplier.VATID, d.Buyer.VATID)
		}
	}
}

func TestAddressAndPeriod(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/address-and-period")
	d := seen.asIs(sheets(strings.Replace(german, "Lieferschein Nr.", "Leistungszeitraum: 01.02.2026 - 28.02.2026\nLieferschein Nr.", 1)))[0].Data
	if d.Supplier.Address != "Hafenstraße 7, 20457 Hamburg" || d.Buyer.Address != "Marktplatz 3, 37073 Göttingen" {
		t.Errorf("got %q and %q", d.Supplier.Address, d.Buyer.Address)
	}
	if got := d.Period.From.String() + " " + d.Period.To.String(); got != "2026-02-01 2026-02-28" {
		t.Errorf("got %s", got)
	}
}

func TestTotalsMustAddUp(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "totals")
	for text, want := range map[string]string{
		// Advance payments and a carried-forward sum do not.
		"Übertrag   500,00\nNetto   100,00\nMwSt 19 %   19,00\nGesamtbetrag   119,00\nAnzahlung   50,00\nZahlbetrag   69,00": "100.00 19.00 119.00",
		// Two rates, with bases, and no sum of the taxes.
		"Nettobetrag   200,00\n7 % MwSt auf 100,00   7,00\n19 % MwSt auf 100,00   19,00\nRechnungsbetrag   226,00": "200.00  226.00 7:7.00 19:19.00",
		// One label is in the row of another.
		"Subtotal 10.00   VAT 2.00   Total 12.00": "10.00 2.00 12.00",
		// A label without a meaning: the rate makes the tax of the base.
		"Summe netto   100,00\nBasisbetrag 19 %   100,00   19,00\nSumme brutto   119,00": "100.00 19.00 119.00",
		// No tax at all.
		"Subtotal   10.00\nTax   0.00\nTotal   10.00": "10.00 0.00 10.00",
		// Columns of sums below their heads.
		"Netto   MwSt.   Brutto\n100,00   19,00   119,00": "100.00 19.00 119.00",
	} {
		d := seen.extract(sheets("Rechnung Nr. A-1\n" + text))[0].Data
		got := fmt.Sprintf("%s %s %s", d.Subtotal.Fixed(), d.Tax.Fixed(), d.Total.Fixed())
		if d.Tax.IsZero() {
			for _, x := range d.Taxes {
				got += fmt.Sprintf(" %s:%s", x.Rate.Canonical(), x.Amount.Fixed())
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestWrongLinesAreKept(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/wrong-lines-are-kept")
	d := seen.asIs(sheets(strings.Replace(german, "90,00", "80,00", 1)))[0].Data
	if len(d.Lines) != 3 || d.Lines[0].Amount.Fixed() != "80.00" || d.Total.Fixed() != "1487.50" {
		t.Errorf("got %+v", d)
	}
	lines := seen.asIs(sheets(german))[0].Data.Lines
	want := document.Line{Description: "Papier A4 weiß", Unit: "Pack"}
	if got := lines[0]; got.Description != want.Description || got.Unit != want.Unit || got.Quantity.Canonical() != "20" ||
		got.UnitPrice.Fixed() != "4.50" || got.Amount.Fixed() != "90.00" {
		t.Errorf("got %+v", got)
	}
}

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{german, english, "", "\f", "Rechnung Nr.", "Total", "5   5   5", "Invoice\n-----\nInvoice"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pages := sheets(text)
		for _, e := range Extract(pages) {
			if len(e.Pages) == 0 {
				t.Error("a document without pages")
			}
		}
	})
}

// Each of these texts makes the rules look for a partner of every line. Compared
// each with each, the lines would take many minutes.
func TestManyLinesAreFast(t *testing.T) {
	t.Parallel()
	const rows = 4_000
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
	if len(found) != 1 || found[0].Data.Buyer.VATID != "DE136695976" {
		t.Errorf("got %d documents, the first with %+v", len(found), found[0].Data.Buyer)
	}
}

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
