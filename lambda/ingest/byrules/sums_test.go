package byrules

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
)

// summary shows lines and charges, sums, what is due, and doubts.
func summary(text string) string {
	e := Extract(sheets(text))[0]
	d, out := e.Data, ""
	add := func(format string, args ...any) { out += fmt.Sprintf(format, args...) }
	for _, l := range d.Lines {
		add("%s, ", l.Amount.Fixed())
	}
	for _, c := range d.Charges {
		add("%s %s, ", c.Description, c.Amount.Fixed())
	}
	add("= %s + %s = %s", cmp.Or(d.Subtotal.Fixed(), "none"), cmp.Or(d.Tax.Fixed(), "none"), d.Total.Fixed())
	for _, x := range []struct {
		name   string
		amount document.Amount
	}{{"prepaid", d.Prepaid}, {"rounding", d.Rounding}, {"due", d.AmountDue}} {
		if !x.amount.IsZero() {
			add(" %s %s", x.name, x.amount.Fixed())
		}
	}
	for _, doubt := range e.Doubts {
		add("; %s", doubt)
	}
	add("%s", unquoted(e))
	return out
}

const (
	heads = "\nPos   Bezeichnung       Menge     Preis       Gesamt"
	bolts = "\n1     Bolzen            4         15,00       60,00"
	nuts  = "\n2     Muttern           2         20,00       40,00"
	net   = "\n                        Nettobetrag           100,00 €\n                        MwSt 19 %             19,00 €"
	gross = net + "\n                        Rechnungsbetrag       119,00 €"
	year  = "\nUmsatz des Jahres\nNettobetrag           2.000,00 €\nMwSt 19 %             380,00 €\nGesamtbetrag          2.380,00 €"
)

func TestSums(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string][2]string{
		"a year's sums below": {heads + bolts + nuts + gross + year, "60.00, 40.00, = 100.00 + 19.00 = 119.00"},
		"a year's sums above": {year + heads + bolts + nuts + gross, "60.00, 40.00, = 100.00 + 19.00 = 119.00"},
		"a label outranks size": {"\nSumme Angebote        900,00\nRechnungsbetrag       119,00",
			"= none + none = 119.00; nothing printed adds up to the total 119.00, and a greater amount is printed"},
		"two sums without lines": {gross + strings.Replace(year, "Gesamt", "Rechnungs", 1),
			"= 100.00 + 19.00 = 119.00; several totals add up on the pages: 119.00 and 2380.00"},
		"sums by rate": {"\nNetto 7 %    100,00\nMwSt 7 %     7,00\nSumme        107,00\nNetto 19 %   200,00\nMwSt 19 %    38,00\nSumme        238,00" +
			"\nNetto        300,00\nMwSt         45,00\nSumme        345,00", "= 300.00 + 45.00 = 345.00"},
		"lines that contradict": {heads + bolts + strings.Replace(nuts, "2         20,00       40", "3         20,00       60", 1) + gross,
			"60.00, 60.00, = 100.00 + 19.00 = 119.00"},
		"freight and discount": {heads + "\n1     Bolzen            4         23,75       95,00" +
			"\n                        Warenwert             95,00\n                        Rabatt 5 %            5,00\n" +
			"                        Frachtkosten          10,00" + gross,
			"95.00, Rabatt 5 % -5.00, Frachtkosten 10.00, = 100.00 + 19.00 = 119.00"},
		"freight in the table": {heads + "\n1     Bolzen            4         20,00       80,00\n      Versand                                 20,00" + gross,
			"80.00, Versand 20.00, = 100.00 + 19.00 = 119.00"},
		"freight alone":                    {heads + "\n1     Versand           1         100,00      100,00" + gross, "100.00, = 100.00 + 19.00 = 119.00"},
		"freight without a quantity alone": {heads + "\n      Versand                                 100,00" + gross, "100.00, = 100.00 + 19.00 = 119.00"},
		"freight by its amount": {heads + "\n1     Bolzen            4         20,00       80,00\n                        Warenwert             80,00" +
			"\n                        Express am Samstag    20,00" + gross, "80.00, Express am Samstag 20.00, = 100.00 + 19.00 = 119.00"},
		"freight before tax": {"\nItem          Qty     Price     Total\nBolts         4       15.00     60.00\nNuts          2       20.00     40.00" +
			"\nSubtotal                        $100.00\nShipping                        $12.00\nSales tax                       $8.00\n" +
			"Total                           $120.00", "60.00, 40.00, Shipping 12.00, = none + 8.00 = 120.00"},
		"carried over a page": {heads + bolts + "\n                        Übertrag              60,00\n-----\n" +
			"                        Übertrag              60,00" + nuts + gross, "60.00, 40.00, = 100.00 + 19.00 = 119.00"},
		"carried by its amount": {heads + bolts + "\n                        Blatt 1               60,00\n-----" + heads + nuts + gross,
			"60.00, 40.00, = 100.00 + 19.00 = 119.00"},
		"groups": {heads + bolts + "\n                        Zwischensumme         60,00" + nuts + gross, "60.00, 40.00, = 100.00 + 19.00 = 119.00"},
		"heads close together": {"\nPos Bezeichnung         Menge     Preis       Gesamt" + bolts + nuts + gross,
			"60.00, 40.00, = 100.00 + 19.00 = 119.00"},
		"amounts without decimals": {heads + "\n1     Bolzen            4         250,-       1.000,-" +
			"\nNettobetrag           1.000,--\nMwSt 19 %             190,— €\nRechnungsbetrag       1.190,- €", "1000.00, = 1000.00 + 190.00 = 1190.00"},
		"reverse charge": {heads + bolts + "\nNettobetrag           60,00 €\nRechnungsbetrag       60,00 €", "60.00, = 60.00 + none = 60.00"},
		"reverse charge without lines": {"\nNettobetrag           60,00 €\nRechnungsbetrag       60,00 €\nSteuerschuldnerschaft des Leistungsempfängers",
			"= 60.00 + none = 60.00"},
		"no tax and no reason": {"\nNettobetrag           60,00 €\nRechnungsbetrag       60,00 €", "= 60.00 + none = 60.00; nothing printed adds up to the total 60.00"},
		"prepaid":              {gross + "\nErhaltene Anzahlung   -50,00 €\nZahlbetrag            69,00 €", "= 100.00 + 19.00 = 119.00 prepaid 50.00 due 69.00"},
		"prepaid by its amount": {gross + "\nRechnung Nr. 4           19,00 €\nZahlbetrag            100,00 €",
			"= 100.00 + 19.00 = 119.00 prepaid 19.00 due 100.00"},
		"tax included": {heads + "\n1     Bolzen            1         119,00      119,00\nGesamtbetrag          119,00 €\ndarin enthaltene MwSt 19 %   19,00 €",
			"119.00, = none + 19.00 = 119.00"},
		"no tax by law": {heads + bolts + "\nGesamtbetrag          60,00 €\nkeine Umsatzsteuer nach § 19 UStG", "60.00, = none + none = 60.00"},
		"rounded": {strings.Replace(gross, "19,00", "19,02", 1) + "\nRechnungsbetrag       119,02\nRundung               -0,02\nZahlbetrag            119,00",
			"= 100.00 + 19.02 = 119.02 rounding -0.02 due 119.00"},
		"an amount due that nothing explains": {gross + "\nZahlbetrag            99,00 €", "= 100.00 + 19.00 = 119.00 due 99.00"},
		"less for early payment":              {gross + "\nZahlbetrag mit 2 % Skonto   116,62 €", "= 100.00 + 19.00 = 119.00"},
		"a total without a label":             {net + "\n                        Br uttosumme          119,00 €", "= 100.00 + 19.00 = 119.00"},
		"Dutch": {"\nOmschrijving      Aantal     Prijs       Bedrag\nBouten            4          25,00       100,00\nTotaal excl. btw     100,00\n" +
			"BTW 21 %             21,00\nTotaal               € 121,00", "100.00, = 100.00 + 21.00 = 121.00"},
		"Swedish": {"\nBenämning      Antal     À-pris      Belopp\nBultar         4         25,00       100,00\nNetto          100,00\nMoms 25 %      25,00\n" +
			"Att betala     125,00", "100.00, = 100.00 + 25.00 = 125.00 due 125.00"},
	} {
		if got := summary("Rechnung Nr. A-1" + tc[0]); got != tc[1] {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tc[1])
		}
	}
}

func TestCreditNotesHaveMinusSigns(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("60,00", "-60,00", "40,00", "-40,00", "100,00", "-100,00", "119,00", "-119,00", "   19,00", "  -19,00").
		Replace(heads + bolts + nuts + gross)
	if got, want := summary("Gutschrift Nr. G-1"+text), "-60.00, -40.00, = -100.00 + -19.00 = -119.00"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPricesForManyUnits(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "many-units")
	for name, text := range map[string]string{
		"at the head": "\nPos   Bezeichnung   Menge     Preis/100     Gesamt\n1     Dübel         500       20,00         100,00",
		"in the cell": heads + "\n1     Dübel             500       20,00/100   100,00",
		"in a column": "\nPos   Bezeichnung   Menge     Preis   je     Gesamt\n1     Dübel         500       20,00   100    100,00",
		"in words":    heads + "\n1     Dübel             500       20,00 je 100   100,00",
		"per cent":    heads + "\n1     Dübel             500       20,00 % St   100,00",
	} {
		d := seen.extract(sheets("Rechnung Nr. A-1" + text + gross))[0].Data
		if len(d.Lines) != 1 || d.Lines[0].PriceFor.Canonical() != "100" || d.Lines[0].UnitPrice.Fixed() != "20.00" {
			t.Errorf("%s: got %+v", name, d.Lines)
		}
	}
	for _, row := range []string{"100       1,00        1,00", "1         100,00      1,00"} { // its own numbers prove nothing
		d := seen.extract(sheets("Rechnung Nr. A-1" + heads + "\n1     Dübel             " + row + "\nGesamtbetrag   1,00 €"))[0].Data
		if len(d.Lines) != 1 || !d.Lines[0].PriceFor.IsZero() {
			t.Errorf("%s: got %+v", row, d.Lines)
		}
	}
}

func TestManyLinesRunOverPages(t *testing.T) {
	t.Parallel()
	text := "Rechnung Nr. A-1" + heads
	for i := range 120 {
		if i > 0 && i%40 == 0 {
			text += "\n-----\nBlatt " + fmt.Sprint(i/40+1)
		}
		text += fmt.Sprintf("\n%-6dBolzen            4         15,00       60,00\n      verzinkt", i+1)
	}
	text += "\nNettobetrag           7.200,00 €\nMwSt 19 %             1.368,00 €\nRechnungsbetrag       8.568,00 €"
	if d := Extract(sheets(text))[0].Data; len(d.Lines) != 120 || d.Total.Fixed() != "8568.00" {
		t.Errorf("got %d lines, total %s", len(d.Lines), d.Total.Fixed())
	}
}

// Compared each with each, these sums would take many minutes.
func TestManySumsAreFast(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\nNetto   1,00\nMwSt 19 %   0,20\nSumme   3,01\nVersand   0,07\nAnzahlung   0,07\nZahlbetrag   0,03\nRundung   0,01", 400)
	if d := Extract(sheets("Rechnung Nr. A-1" + text))[0].Data; d.Total.Fixed() != "3.01" {
		t.Errorf("got %s", d.Total.Fixed())
	}
}

func TestCurrency(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/currency")
	for text, want := range map[string]string{
		"Currency: GBP\nRate € 1,17\nSubtotal £5.00   € 5.85\nTotal   6.00":   "GBP",
		"€ € €\nFees in €\nTotal   6.00 GBP":                                  "GBP",
		"Currency: GBP\nTotal   6.00 EUR":                                     "", // they contradict each other
		"Total   1.200,00 kr":                                                 "", // of four countries
		"Celkem   1 200,00 Kč":                                                "CZK",
		"Összesen   1 200,00 Ft":                                              "HUF",
		"Total   1.200,00 lei":                                                "RON",
		"Razem   1 200,00 zł":                                                 "PLN",
		"Il totale è di lei\nTotale   6,00":                                   "",
		"Steuerwährung: EUR\nRechnungswährung: CHF\nRechnungsbetrag   6,00 €": "",
	} {
		if got := seen.asIs(sheets("Invoice No. A-1\n" + text))[0].Data.Currency; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestUnreadLinesAreSaid(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/unread-lines-are-said")
	e := seen.asIs(sheets("Rechnung Nr. A-1" + heads + "\nwie besprochen" + gross))[0]
	if got := fmt.Sprint(e.Missing, e.Doubts); !strings.Contains(got, "line_items") || len(e.Doubts) > 0 {
		t.Errorf("got %s", got)
	}
}

// A row with the sum of the lines is no line, whatever stands in front of it; and the last row of a table
// of taxes has three sums.
func TestSumsOfLines(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "sums-of-lines")
	const lines = `
#INVOICE   No. 4711                                      Date 10/17/2026
Qty   Description                Unit Price      Amount
2     Lab table                      250.00      500.00
4     Stool                           60.00      240.00
`
	for sums, want := range map[string]string{
		`
Priced as agreed in May.         Equipment          740.00
Freight                                              60.00
Sales tax                                             0.00
Total                                               800.00`: "2 lines,  +  = 800",
		`
Merchandise                                         740.00
Sales tax 5%                                         37.00
Total                                               777.00`: "2 lines, 740 + 37 = 777",
		`
Rate                    Net          Tax         Gross
5 %                  240.00        12.00        252.00
10 %                 500.00        50.00        550.00
Total                740.00        62.00        802.00`: "2 lines, 740 + 62 = 802",
	} {
		d := seen.extract(layout(lines + sums))[0].Data
		if got := fmt.Sprintf("%d lines, %s + %s = %s", len(d.Lines), d.Subtotal.Canonical(), d.Tax.Canonical(), d.Total.Canonical()); got != want {
			t.Errorf("%s: got %s, want %s", sums, got, want)
		}
	}
}
