package byrules

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
)

// Days, terms, periods, currencies, ids and references of a paper.
func TestOtherValues(t *testing.T) {
	t.Parallel()
	terms := func(d document.Data) string { return d.Terms.Due.String() + " " + d.Terms.Text }
	period := func(d document.Data) string { return d.Period.From.String() + " " + d.Period.To.String() }
	currency := func(d document.Data) string { return d.Currency }
	ids := func(d document.Data) string {
		return strings.Join([]string{d.Supplier.VATID, d.Buyer.VATID, d.Supplier.IBAN, d.Buyer.IBAN}, " ")
	}
	cites := func(d document.Data) string { return fmt.Sprint(d.References) }
	const day, de, at, iban = "\n13.05.2026", "DE136695976", "ATU13585627", "DE89 3704 0044 0532 0130 00"
	for _, group := range []struct {
		name  string
		value func(document.Data) string
		cases map[string]string
	}{
		{"terms", terms, map[string]string{
			"Fällig am 02.06.2026": "2026-06-02 ", "Fällig am\n02.06.2026": "2026-06-02 ", "Fällig am   02.06.2026": "2026-06-02 ", "Fällig am   02.06.2026   03.06.2026": "2026-06-02 ",
			"Fällig am 02.06.2026\nZahlbar bis 03.06.2026": "2026-06-02 Zahlbar bis 03.06.2026", "Zahlbar bis 02.06.2026, spätestens 01.06.2026": "2026-06-02 Zahlbar bis 02.06.2026, spätestens 01.06.2026",
			"Zahlungsziel: 30 Tage": " 30 Tage", "Zahlungsziel 30 Tage": " Zahlungsziel 30 Tage", "Zahlungsziel\n30 Tage": " 30 Tage", "Zahlungsziel   30 Tage": " 30 Tage", "Zahlungsziel: 30": " ",
			"Zahlungsziel: 30 Tage\nZahlungsziel: 20 Tage": " 30 Tage", "Zahlungsziel: 5,00 EUR": " ", "Wird am 02.06.2026 von Ihrem Konto abgebucht": "2026-06-02 ", "Lastschrift am 02.06.2026": "2026-06-02 ",
			"Gutschrift auf Ihr Konto am 02.06.2026": "2026-06-02 ", "Gutschrift am 02.06.2026": " ", "Zahlbar bis 03/04/2026" + day: "2026-04-03 Zahlbar bis 03/04/2026", "Fällig am 03/04/2026\nUSD 5": "2026-03-04 ",
			"Lastschrift am 03/04/2026\nUSD 5": "2026-03-04 ", "Zahlbar bis 03/04/2026": " Zahlbar bis 03/04/2026", "Zahlbar bis 03/04/2026\nUSD 5": "2026-03-04 Zahlbar bis 03/04/2026",
		}},
		{"period", period, map[string]string{
			"Zeitraum: 01.04.2026 - 30.04.2026": "2026-04-01 2026-04-30", "Zeitraum   01.04.2026 - 30.04.2026": "2026-04-01 2026-04-30", "Zeitraum\n01.04.2026 - 30.04.2026": "2026-04-01 2026-04-30", "Zeitraum: 01.04.2026": " ",
			"Zeitraum: 01.04.2026, 02.04.2026, 03.04.2026": " ", "Zeitraum: 01.04.2026 - 30.04.2026\nZeitraum: 01.05.2026 - 31.05.2026": "2026-04-01 2026-04-30", "Zeitraum: 01/04/2026 - 30/04/2026": "2026-04-01 2026-04-30",
			"Zeitraum: 04/01/2026 - 04/30/2026": "2026-04-01 2026-04-30", "Zeitraum: 03/04/2026 - 05/04/2026": " ", "Zeitraum: 03/04/2026 - 05/04/2026\nUSD 5": "2026-03-04 2026-05-04", "Zeitraum: 03/04/2026 - 30 April 2026": " ", "Zeitraum: 30 March 2026 - 03/04/2026": " ",
		}},
		{"currency", currency, map[string]string{
			"Summe 5,00 EUR": "EUR", "Summe 5,00\nPreise in EUR": "EUR", "Summe 5,00 EUR\n5 USD\n5 USD": "EUR", "5 EUR\n5 USD\n5 USD": "USD", "5 EUR\n5 USD": "EUR", "Summe 5,00 EUR   5,60 USD": "", "Währung: CHF\n5 EUR\n5 EUR": "CHF",
			"Währung   CHF\n5 EUR": "CHF", "Währung\nCHF\n5 EUR\n5 EUR": "EUR", "Währung: CHF\nSumme 5,00 EUR": "", "Währung: CHF\nWährung: EUR\n5 EUR": "", "5 lei": "", "Summe 5,00 lei": "RON", "5 lei\n5 EUR": "EUR",
			"Dies ist ein langer Satz über 5 EUR": "", "Dies ist ein Satz: 5 EUR": "EUR", "EUR 1 Stk": "", "(5 EUR)": "EUR", "Stk EUR": "EUR",
			" " + strings.Repeat("\n", 53) + "5 EUR": "", "Summe 5,00\n " + strings.Repeat("\n", 53) + "5 EUR": "EUR",
		}},
		{"ids", ids, map[string]string{
			"USt-IdNr. " + de: de + "   ", "Ihre USt-IdNr. " + de: " " + de + "  ", "Ihre USt-IdNr.   " + de: " " + de + "  ", "USt-IdNr. " + de + "\nUSt-IdNr. " + at: de + "   ", "USt-IdNr. " + de + "\nIhre USt-IdNr. " + at: de + " " + at + "  ",
			"Ihre USt-IdNr. " + at + "\nUSt-IdNr. " + de: de + " " + at + "  ", "USt-IdNr. " + de + "\nIhre USt-IdNr. " + de: de + "   ", "Ihre USt-IdNr. " + at + "\nIhre USt-IdNr. " + de: " " + at + "  ",
			"USt-IdNr. DE136695977": "   ", "TVA " + de: de + "   ", "USt-IdNr. DE 136 695 976 Kiel": de + "   ", "IBAN " + iban: "  DE89370400440532013000 ", "IBAN " + iban + " BIC NORDDE2X": "  DE89370400440532013000 ",
			"von Ihrem Konto " + iban: "   DE89370400440532013000", "IBAN " + iban + "\nIBAN AT61 1904 3002 3457 3201": "  DE89370400440532013000 ", "IBAN DE89 3704 0044 0532 0130 01": "   ",
			"Segel Nord GmbH\n" + de + "\n\n\nKunde\nKran Jade\n" + at:               de + " " + at + "  ",
			"Kunde\nKran Jade\n" + at + "\n\n\n\n\n\n\n\n\n\nSegel Nord GmbH\n" + de: de + " " + at + "  ",
			"Kunde\nKran Jade\n\n\n\n\n\n\n\n\n\n\n" + at:                            at + "   ",
			"Kunde\nKran Jade\n               " + at:                                 at + "   ",
			at + "\nKunde\nKran Jade":                                                at + "   ",
			"Segel Nord GmbH      Kunde: Kran Jade\n                     " + at:      " " + at + "  ",
		}},
		{"references", cites, map[string]string{
			"Bestellung Nr. B-771": "[{purchase-order B-771}]", "Bestellung Nr.   B-771": "[{purchase-order B-771}]", "Ihre Bestellung\nB-771": "[{purchase-order B-771}]", "Ihre Bestellung\nKARL": "[]", "Ihre Bestellung   vom Mai\nB-771": "[{purchase-order B-771}]",
			"Ihre Bestellung   Nr. 5-5\nB-771": "[{purchase-order 5-5}]", "Bestellung Nr. B-771\nBestellung Nr. B-771": "[{purchase-order B-771}]", "Bestellung Nr. B 771\nBestellung Nr. B-771": "[{purchase-order B 771}]", "Bestellung Nr. A-1": "[]", "Rechnung A 1 vom Mai": "[]", "Ihre Bestellung\n\n\n\n\n\nB-771": "[]",
			"Bestellung Nr. 30.000": "[]", "Lieferschein Nr. L-7, Bestellung Nr. B-771": "[{delivery-note L-7} {purchase-order B-771}]",
		}},
	} {
		for text, want := range group.cases {
			e := Extract(layout("Rechnung Nr. A-1\n\n\n" + text))[0]
			if got := group.value(e.Data) + unquoted(e); got != want {
				t.Errorf("%s of %q: got %q, want %q", group.name, text, got, want)
			}
		}
	}
}

// An order has its ids the other way round.
func TestIDsOfOrders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"USt-IdNr. DE136695976":                     " DE136695976  ",
		"Lieferant\nKran Jade\nDE136695976":         "DE136695976   ",
		"IBAN DE89 3704 0044 0532 0130 00":          "   DE89370400440532013000",
		"auf Ihr Konto DE89 3704 0044 0532 0130 00": "  DE89370400440532013000 ",
	} {
		d := Extract(layout("Segel Nord GmbH\n#Bestellung Nr. 7\n\n\n" + text))[0].Data
		if got := strings.Join([]string{d.Supplier.VATID, d.Buyer.VATID, d.Supplier.IBAN, d.Buyer.IBAN}, " "); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Of several blocks of sums, the one with the lines, with the sum of all, or with the better label.
func TestBlocksOfSums(t *testing.T) {
	t.Parallel()
	block := func(net, tax, label, total string) string {
		return "\nNetto          " + net + "\nMwSt           " + tax + "\n" + label + "          " + total
	}
	one, two, all := block("100,00", "19,00", "Summe", "119,00"), block("200,00", "38,00", "Summe", "238,00"), block("300,00", "57,00", "Summe", "357,00")
	const several = "; several totals add up on the pages: "
	for name, test := range map[string][2]string{
		"one":                            {one, "= 100.00 + 19.00 = 119.00"},
		"twice":                          {one + one, "= 100.00 + 19.00 = 119.00"},
		"two":                            {one + two, "= 100.00 + 19.00 = 119.00" + several + "119.00 and 238.00"},
		"two and their sum":              {one + two + all, "= 300.00 + 57.00 = 357.00"},
		"their sum first":                {all + one + two, "= 300.00 + 57.00 = 357.00"},
		"a sum without a tax":            {one + two + "\nGesamt          357,00", "= 100.00 + 19.00 = 119.00" + several + "119.00 and 238.00"},
		"a better label":                 {one + block("200,00", "38,00", "Rechnungsbetrag", "238,00"), "= 200.00 + 38.00 = 238.00"},
		"a total twice, two nets":        {one + block("110,00", "9,00", "Summe", "119,00"), "= 100.00 + 19.00 = 119.00"},
		"a nearer tax":                   {"\nMwSt          19,00\nHinweis\nHinweis\nNetto         100,00\nMwSt          19,00\nSumme         119,00", "= 100.00 + 19.00 = 119.00"},
		"a total alone beside":           {one + "\nGesamtbetrag          500,00", "= 100.00 + 19.00 = 119.00"},
		"a due":                          {"\nNetto          100,00\nMwSt           19,00\nZahlbetrag     119,00", "= 100.00 + 19.00 = 119.00 due 119.00"},
		"a due below a better total":     {"\nNetto          100,00\nMwSt           19,00\nZahlbetrag     119,00" + two, "= 200.00 + 38.00 = 238.00"},
		"rounded":                        {"\nNetto          100,00\nMwSt           19,00\nRundung         0,99\nSumme          119,99", "= 100.00 + 19.00 = 119.99"},
		"rounded with too much tax":      {"\nNetto          100,00\nMwSt           60,00\nRundung         0,50\nSumme          160,50", "= none + none = 160.50; nothing printed adds up to the total 160.50"},
		"a share of all":                 {"\nNetto           50,00\nAnteil 100 %    25,00\nSumme           75,00", "= none + none = 75.00; nothing printed adds up to the total 75.00"},
		"rounded by a euro":              {"\nNetto          100,00\nMwSt           19,00\nRundung         1,00\nSumme          120,00", "= none + none = 120.00; nothing printed adds up to the total 120.00"},
		"totals of equal labels":         {"\nSumme          100,00\nSumme          300,00", "= none + none = 300.00; nothing printed adds up to the total 300.00"},
		"totals of equal labels, turned": {"\nSumme          300,00\nSumme          100,00", "= none + none = 300.00; nothing printed adds up to the total 300.00"},
		"totals, one with the lines":     {heads + bolts + nuts + "\nSumme Waren    100,00\nSumme Kredit   300,00", "60.00, 40.00, = none + none = 100.00; nothing printed adds up to the total 100.00, and a greater amount is printed"},
		"rates with bases":               {"\nNetto          300,00\n7 % auf 100,00      7,00\n19 % auf 200,00    38,00\nSumme          345,00", "= 300.00 + none = 345.00"},
		"a rate twice":                   {"\n19 % auf 100,00     19,00\n19 % auf 200,00    38,00\nSumme          357,00", "= none + none = 357.00; nothing printed adds up to the total 357.00"},
		"rates' bases that don't add up": {"\n7 % auf 100,00      7,00\n19 % auf 200,00    38,00\nSumme          346,00", "= none + none = 346.00; nothing printed adds up to the total 346.00"},
	} {
		if got := summary("Rechnung Nr. A-1" + test[0]); got != test[1] {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test[1])
		}
	}
}
