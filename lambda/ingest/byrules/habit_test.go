package byrules

import (
	"fmt"
	"strings"
	"testing"
)

// Habits of programs that print sums: an instalment with its minus sign, a rounding to 5 Rappen without the
// total before it, and rates below a per cent sign at the head of their column.
func TestPrintedSums(t *testing.T) {
	t.Parallel()
	const bases = `
BASE IMPONIBLE        % IVA        CUOTA IVA
200,00                21,00            42,00
100,00                10,00            10,00
TOTAL FACTURA                         352,00 EUR`
	const swiss = `
Total netto                           100.00
MWST 8.1 %                              8.11
Rundung                                -0.01
Total zu bezahlen   CHF               108.10`
	for name, test := range map[string][2]string{
		"instalments": {"\nNettobetrag           100,00\nUmsatzsteuer 19 %      19,00\nRechnungsbetrag       119,00\n" +
			"abzüglich gezahlter Abschläge (2 x 30,00 EUR)     -60,00\nNachzahlung                       59,00",
			"= 100.00 + 19.00 = 119.00 prepaid 60.00 due 59.00"},
		"rates below their sign":    {bases, "= none + none = 352.00"},
		"a rate of 0":               {strings.NewReplacer("TOTAL", "50,00                  0,00             0,00\nTOTAL", "352", "402").Replace(bases), "= none + none = 402.00"},
		"no sign":                   {strings.Replace(bases, "% IVA", "  IVA", 1), "= none + none = 352.00; nothing printed adds up to the total 352.00"},
		"discounts below the sign":  {strings.Replace(bases, "% IVA", "% Dto", 1), "= none + none = 352.00; nothing printed adds up to the total 352.00"},
		"a base that doesn't fit":   {strings.Replace(bases, "42,00", "41,00", 1), "= none + none = 352.00; nothing printed adds up to the total 352.00"},
		"rounded":                   {swiss, "= 100.00 + 8.11 = 108.10"},
		"rounded by another amount": {strings.Replace(swiss, "-0.01", "-0.02", 1), "= none + none = 108.10; nothing printed adds up to the total 108.10"},
		"no rounding": {strings.NewReplacer("-0.01", "-1.00", "108.10", "107.11").Replace(swiss),
			"= none + none = 107.11; nothing printed adds up to the total 107.11"},
	} {
		if got := summary("Rechnung Nr. A-1" + test[0]); got != test[1] {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test[1])
		}
	}
}

// Without prices, a sign in front of a count is no currency.
func TestCountsHaveNoCurrency(t *testing.T) {
	t.Parallel()
	const note = `
#Lieferschein Nr. L-7
Pos   Bezeichnung               bestellt    geliefert
1     Seife, Kanister 10 l          12          12
      (1 Palette, Tausch EUR 1 Stk)`
	for text, want := range map[string]string{
		note:                           "",
		note + "\nWährung   EUR":       "EUR",
		note + "\nZollwert: 40,00 EUR": "EUR",
		"#Lieferschein Nr. L-7" + strings.Replace(heads, "Preis ", "EUR/St", 1) + bolts: "EUR",
	} {
		if got := Extract(layout(text))[0].Data.Currency; got != want {
			t.Errorf("%s\ngot the currency %q, want %q", text, got, want)
		}
	}
}

// A title and its number stand above labels and values without being heads of them, and a title may name the
// addressee of an order.
func TestTitlesAboveValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Werft Nord AG\n\n                    WARENEINGANG               5000771\nEingegangen :       19.05.2026   Bestellung     : 4500088\nLieferant   :       70412        Lieferschein   : 805519": "goods-receipt 5000771 2026-05-19  > Werft Nord AG",
		"Hotel Brzoza Sp. z o.o.\n\n          ZAMÓWIENIE DO DOSTAWCY   ZD/0031/2026\nData   23-05-2026":                                                                                                "purchase-order ZD/0031/2026 2026-05-23  > Hotel Brzoza Sp. z o.o.",
	} {
		if got := read(Extract(layout(text))[0]); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// A credit note on an invoice's form calls its own number an invoice's. It is the note's if an invoice's date
// stands beside it and the page cites another invoice.
func TestCreditOnInvoiceForm(t *testing.T) {
	t.Parallel()
	const note = `
Smit Techniek B.V.
#Creditfactuur
Factuurnummer      : 2670318            Debiteur        : 1028
Factuurdatum       : 22-05-2026         Onze referentie : LK

Betreft factuur 2670194 van 06-05-2026`
	for name, test := range map[string][2]string{
		"own":               {note, "credit-note 2670318 2026-05-22 Smit Techniek B.V. >"},
		"nothing credited":  {strings.Replace(note, "Betreft factuur 2670194", "Betreft retour", 1), "credit-note  2026-05-22 Smit Techniek B.V. >"},
		"the same invoice":  {strings.Replace(note, "2670194 van 06-05-2026", "2670318", 1), "credit-note  2026-05-22 Smit Techniek B.V. >"},
		"without its date":  {strings.Replace(note, "Factuurdatum       :", "Uw kenmerk         :", 1), "credit-note  2026-05-22? Smit Techniek B.V. >"},
		"with a number too": {strings.Replace(note, "Debiteur        : 1028", "Creditnota nr.  : C-28", 1), "credit-note C-28 2026-05-22 Smit Techniek B.V. >"},
	} {
		if got := read(Extract(layout(test[0]))[0]); got != test[1] {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test[1])
		}
	}
}

// A program may print all quantities with three decimals. Only other numbers and the way it prints dates tell
// them from thousands; if these disagree, they are decimals.
func TestDecimalsOfQuantities(t *testing.T) {
	t.Parallel()
	const note = `
#Delivery Note No. 77         Date: 19.05.2026
Item #     Description        Quantity
AF-200     Hex bolt M10          8,000
AF-310     Washer M10           24,000`
	date := func(now string) string { return strings.Replace(note, "19.05.2026", now, 1) }
	for text, want := range map[string]string{
		note:                                     "8 24",
		date("05/19/2026"):                       "8000 24000",
		date("19/05/2026"):                       "8 24",
		date("2026-05-19"):                       "8 24",
		date("5/19/26"):                          "8000 24000",
		date("2.12.19.05"):                       "8 24",
		date("13/19/2026"):                       "8 24",
		date("05/19/2026/"):                      "8 24",
		strings.ReplaceAll(note, ",000", ".000"): "8000 24000",
		strings.Replace(note, "24,000", "24.5", 1):    "8 24.5",
		strings.Replace(note, "AF-310", "1.75", 1):    "8 24", // they disagree
		date("2026-05-19") + "\nTare   1.75":          "8000 24000",
		date("2026-05-19") + "\nTare   1.75\nNet 2,5": "8 24",
	} {
		var got []string
		for _, l := range Extract(layout(text))[0].Data.Lines {
			got = append(got, l.Quantity.Canonical())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\ngot the quantities %s, want %s", text, got, want)
		}
	}
}

// A head may give the price's currency and its unit only, as on bills of power and water. Cents are for 100 of what
// costs a euro. A tax with a quantity and a price is a line.
func TestPricesByUnit(t *testing.T) {
	t.Parallel()
	const bill = `
Rechnung Nr. 7
Preisbestandteil    Zeitraum             Menge        EUR/Einh.    Nettobetrag
Arbeitspreis HT     1.1.26-31.3.26    18.640 kWh         0,2418       4.507,15
Stromsteuer         1.1.26-31.3.26    24.855 kWh         0,0205         509,53
Nettobetrag                                                           5.016,68`
	const want = "18640 x 0.2418 for  = 4507.15; 24855 x 0.0205 for  = 509.53"
	const cents = "18640 x 24.18 for 100 = 4507.15; 24855 x 2.05 for 100 = 509.53"
	for head, want := range map[string]string{"EUR/Einh.": want, "€ / kWh": want, "Netto": "18640 x  for  = 4507.15", "ct/kWh": cents, "Cent/kWh": cents} {
		text := strings.Replace(bill, "EUR/Einh.", head, 1)
		if want == cents {
			text = strings.NewReplacer("0,2418", "24,18", "0,0205", "2,05").Replace(text)
		}
		var got []string
		for _, l := range Extract(layout(text))[0].Data.Lines {
			got = append(got, fmt.Sprintf("%s x %s for %s = %s", l.Quantity.Canonical(), l.UnitPrice.Canonical(), l.PriceFor.Canonical(), l.Amount.Canonical()))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: got %s, want %s", head, got, want)
		}
	}
}
