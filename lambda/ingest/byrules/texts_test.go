package byrules

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
)

// What the rules take a text for, on both sides of their limits.
func TestTexts(t *testing.T) {
	t.Parallel()
	yes := func(says func(string) bool) func(string) string {
		return func(text string) string { return map[bool]string{true: "yes"}[says(text)] }
	}
	for name, test := range map[string]struct {
		read  func(text string) string
		cases map[string]string
	}{
		"a number": {func(text string) string { s, _ := numberIn(text); return s }, map[string]string{
			"4711": "4711", "RE 4711": "RE 4711", "ABCDE 12": "ABCDE 12", "ABCDEF 12": "", "re 12": "", "12 34 56": "12 34 56", "12 34 5": "12", "RE-12 / 7": "RE-12 / 7",
			"12.05.2026": "", "12,50 €": "", "19 %": "", "4711.": "4711", "K-": "", "7/": "7", "12345678-12345678": "", "12345678-1234567": "12345678-1234567",
			strings.Repeat("7", 40): strings.Repeat("7", 40), strings.Repeat("7", 41): "", "4711 vom 12.05.2026": "4711", "A7 12,50": "A7", "(7)": "",
		}},
		"a company": {func(text string) string { s, ok := nameIn(text); return map[bool]string{true: s}[ok] }, map[string]string{
			"Kran Jade KG": "Kran Jade KG", "KG": "", "Jade KG": "Jade KG", "Kran Jade": "", "Sitz Oelde, AG Münster HRA 8817": "", "Business Park, Co. Galway": "", "© Vordruck Verlag AG": "",
			"Nordwind Segel GmbH · Kai 4 · 24103 Kiel": "Nordwind Segel GmbH", "Ein Haus der Segel GmbH, Kiel": "Ein Haus der Segel GmbH", "Kiel, Segel Nord GmbH": "Segel Nord GmbH", "Diners, Inc.": "Diners, Inc.",
			"Kiel - Segel GmbH": "Segel GmbH", "Kiel – Segel Nord GmbH": "Segel Nord GmbH", "Kunde: Segel Nord GmbH": "Segel Nord GmbH", "Segel GmbH & Co. KG": "Segel GmbH & Co. KG", "Segel AG Nord": "Segel AG Nord", "Segel AG Nord und West heute": "Segel AG",
			"70412 Segel Nord GmbH": "Segel Nord GmbH", "412 Segel Nord GmbH": "412 Segel Nord GmbH", "V-70412 Segel Nord GmbH": "Segel Nord GmbH", "(Segel Nord GmbH)": "Segel Nord GmbH",
			"a b c d e f g h GmbH": "a b c d e f g h GmbH", "a b c d e f g h i GmbH": "", "Oak & Ash Ltd.": "Oak & Ash Ltd.", "Sdn. Bhd.": "", "NORDLICHT (KOTA) SDN BHD": "NORDLICHT (KOTA) SDN BHD",
		}},
		"like a name": {yes(nameLike), map[string]string{
			"Kran Jade": "yes", "KJ": "", "KJB": "yes", "Kran 2": "", "Kran:": "", "kran@jade": "", "Kran #": "", "Kran,": "", "Kran": "yes", "Rechnung": "", "Kunde": "", "Frau": "", "Lieferung an": "", "Bestell-Nr.": "", "Telefon": "", "Datum": "",
		}},
		"a sender's line": {func(text string) string { s, _ := sender(text); return s }, map[string]string{
			"Segel · Kai 4 · 24103 Kiel": "Segel", "Segel • Kai 4 • 24103 Kiel": "Segel", "Segel | Kai 4 | 24103 Kiel": "Segel", "Segel – Kai 4 – 24103 Kiel": "Segel", "Segel - Kai 4 - 24103 Kiel": "Segel",
			"Segel, Kai 4, 24103 Kiel": "Segel", "Segel, 24103 Kiel": "", "Segel, Kai 4, Kiel": "", "Segel, Kai 4, 24103 Kiel, Tel. 5": "Segel", "Segel, Haus 2, Kai 4, 24103 Kiel": "Segel", "Segel, Haus 2, Kai 4, 24103 Kiel, Tel. 5": "",
		}},
		"a town": {yes(townLine().MatchString), map[string]string{
			"24103 Kiel": "yes", "D-24103 Kiel": "yes", "3011 AB Rotterdam": "yes", "00-950 Warszawa": "yes", "110 00 Praha": "yes", "1100-042 Lisboa": "yes", "Skipton BD23 1AB": "yes", "BD23 1AB": "yes", "Dayton OH 45402": "yes",
			"Kai 4, 24103 Kiel": "yes", "Kai 4": "", "24103": "", "241 Kiel": "", "2410345 Kiel": "", "Tel. 24103": "yes", "Kai 4 in 24103": "",
		}},
		"the end of an address": {yes(postcode().MatchString), map[string]string{
			"24103 Kiel": "yes", "D-24103 Kiel": "yes", "Kiel 2410": "yes", "Kai 241": "", "00-950 Warszawa": "yes", "110 00 Praha": "yes", "Skipton BD23 1AB": "yes", "BD231AB": "yes", "BD23 1A": "", "24103Kiel": "yes", "2410345 Kiel": "",
		}},
		"a side": {sideOf, map[string]string{
			"Kunde": "buyer", "* Kunde:": "buyer", "Kunde mit sehr viel Text": "", "Kunde GmbH": "", "Kunde GmbH:": "buyer", "Sold to: MELF02": "buyer", "Sold to: 77": "buyer", "Sold to: MELFOOD02": "",
			"Kunde 7": "", "Kunde@nord": "", "Kundenkonto": "", "Lieferant-Nr.": "", "Empfänger": "addressee", "Client account": "",
		}},
		"a sum": {func(text string) string { kind, _ := labelOf(text); return kind }, map[string]string{
			"Gesamtbetrag": "total", "*** Gesamtbetrag": "total", "Nettobetrag": "subtotal", "MwSt 19 %": "tax", "Zahlbetrag": "due", "Anzahlung": "paid", "Rundung": "rounding", "Zahlbetrag mit Skonto": "", "Übertrag": "", "Total savings": "", "Versand": "",
			"19 % USt": "tax", "19,5 % MwSt": "tax", "zzgl. MwSt": "tax", "Summe": "total", "Teilrechnung": "paid", "Total HT": "subtotal", "Total TTC": "total", "Total des remises": "",
		}},
		"a currency": {currencyIn, map[string]string{
			"€ 5": "EUR", "5 Euro": "EUR", "5 Eurozone": "", "EUR-Palette": "", "EUR-5": "", "EUR-5,00": "EUR", "RM-10044": "", "RM 10": "MYR", "FORM 10": "", "$5": "USD", "US$5": "USD", "5 Ft": "HUF", "Ft": "", "5 lei": "RON", "di lei": "", "5 kr": "", "Kč 5": "CZK",
		}},
		"an amount last": {yes(valueLast), map[string]string{"EUR 1 Stk": "", "EUR 1": "yes", "1 EUR": "yes", "(1 EUR)": "yes", "1 EUR )": "yes", "EUR": "yes", "x": "", "": ""}},
		"a unit":         {unitIn, map[string]string{"4 Stk": "Stk", " 4 Stk ": "Stk", "4 Stk.": "Stk.", "4Stk": "", "4,5 m²": "m²", "4": "", "4 Stk voll": "", "-4 kg": "kg", "4 Kilogrammx": "Kilogrammx", "4 Kilogrammxx": ""}},
		"a cited paper":  {yes(cites), map[string]string{"laut Ihrer Bestellung Nr. 4711-8": "yes", "Bestellung Nr. 4711-8": "", "laut Ihrer netten Bestellung": ""}},
		"a label in front": {func(text string) string {
			rest, ok := shortLabel(text, document.GoodsReceipt)
			return map[bool]string{true: "|" + rest}[ok]
		}, map[string]string{
			"WE-Beleg: 4711": "|4711", "WE-Nr. 4711": "|4711", "Nr. WE 4711": "|4711", "WE 4711": "", "Receipt No. 7": "|7", "No. of receipt 7": "|7", "Nr. WEST": "", "Beleg: 4711": "", "WE-Schein-Nr.: 5": "|5",
		}},
		"a mark in front": {func(text string) string { rest, ok := cutMark(text); return map[bool]string{true: rest}[ok] }, map[string]string{
			"Numéro de facture 7": "facture 7", "Nummer der Anlage": "", "Nr. Rechnung": "Rechnung", "Rechnung Nr.": "",
		}},
		"words before a mark": {withWords, map[string]string{
			" des Versicherers Nr. 9": " des Versicherers Nr. ", " der Firma Nord Kiel Nr. 9": " der Firma Nord Kiel Nr. ", " der Firma Nord in Kiel Nr. 9": "", " zu Konto Nr. 9": "", " des Kunden Nr. 9": "", " zur Bestellung Nr. 9": "", " mit Lieferschein Nr. 9": "", " Nr. 9": "",
		}},
		"a title": {yes(isTitle), map[string]string{"Rechnung": "yes", "Datum": "yes", "Datum heute": "yes", "Datum heute 7": "", "Angebot": ""}},
	} {
		for text, want := range test.cases {
			if got := test.read(text); got != want {
				t.Errorf("%s in %q: got %q, want %q", name, text, got, want)
			}
		}
	}
}

// The scores of labels of dates: of the document's date, of another event's, of running text.
func TestScoresOfDateLabels(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind  document.Type
		label string
		want  float64
	}{
		{document.Invoice, "Datum", 4}, {document.Invoice, "(* Datum", 4}, {document.Invoice, "Rechnungsdatum", 5}, {document.Invoice, "Date of Qwertz", 3}, {document.Invoice, "Date no", 4}, {document.Invoice, "Data documento", 4}, {document.Invoice, "Fecha de expedición", 4}, {document.Invoice, "Date de la facture", 4}, {document.Invoice, "Datum vystavení", 4}, {document.Invoice, "Lieferdatum", -10},
		{document.Invoice, "Fällig am", -10}, {document.Invoice, "Zeitraum", -10}, {document.Invoice, "Rechnungs- und Lieferdatum", 5}, {document.Invoice, "Date of previous invoice", -10}, {document.Invoice, "gedruckt am", -10},
		{document.Invoice, "Mahnung", -10}, {document.Invoice, "Hamburg, den", 2}, {document.Invoice, "hamburg, den", -5}, {document.Invoice, "Qwertz", 0}, {document.Invoice, "wie besprochen am", 0}, {document.Invoice, "wie besprochen vom", -5},
		{document.Invoice, "Rechnung vom", 4}, {document.Invoice, "Ihre Rechnung vom", 4}, {document.Invoice, "Rechnung über", 0}, {document.CreditNote, "Rechnung vom", 0},
		{document.Invoice, strings.Repeat("x", 40), 0}, {document.Invoice, strings.Repeat("x", 41), -5}, {document.Invoice, "30 days from the date of the invoice, that is", -5},
		{document.OrderConfirmation, "Order date", 0}, {document.PurchaseOrder, "Order date", 2}, {document.PurchaseOrder, "Bestelldatum", 2}, {document.OrderConfirmation, "Confirmed on", 2}, {document.DeliveryNote, "Lieferdatum", 2},
		{document.DeliveryNote, "(Lieferdatum", 2}, {document.GoodsReceipt, "Buchungsdatum", 5}, {document.Invoice, "Buchungsdatum", 0}, {document.GoodsReceipt, "Eingangsdatum", 2},
	} {
		if got := (named{kind: test.kind}).wordScore(test.label, 4); got != test.want {
			t.Errorf("%s, %q: got %v, want %v", test.kind, test.label, got, test.want)
		}
	}
}

// Domains name their owner, by its beginning or its end if they are long.
func TestDomainsOfNames(t *testing.T) {
	t.Parallel()
	cells := cellsOf(layout("info@blueherons.example   www.nord.example\nhttps://www.oak-ash.example   x@abc.example").Pages)
	who := owners{domains: domains(cells)}
	for name, want := range map[string]bool{
		"Blue Herons": true, "Blue Herons & Sons": true, "The Blue Herons": true, "Heron": true, "Oak Ash": true, "Oak Ash Ltd": true, "Oak": false, "Nord": false, "Abc": false, "Blue Hero": true, "Her": false,
	} {
		if got := who.domain(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
