package byrules

import (
	"strings"
	"testing"
)

// A tax that the total doesn't show, and a tax on a note of delivery, are signs of a lost line.
func TestTaxTellsLostLines(t *testing.T) {
	t.Parallel()
	const lines = `
Datum: 03.05.2026
Bezeichnung             Menge      Preis      Betrag
Kugelhahn                   2      10,00       20,00
Flachdichtung               3      10,00       30,00
`
	const sums = lines + "Summe netto                                    50,00\n19 % MwSt                                       9,50\nGesamtbetrag EUR                               59,50"
	for text, want := range map[string]string{
		"#Bestellung Nr. 5" + sums:    "",
		"#Rechnung Nr. 5" + sums:      "",
		"#Lieferschein Nr. 5" + lines: "",
		"#Lieferschein Nr. 5" + sums:  "a tax and a total, as on an invoice",
		"#Bestellung Nr. 5" + lines + "Gesamtbetrag                                   50,00\n19 % MwSt                                       9,50": "a tax is printed, but nothing adds up to the total 50.00 with it",
	} {
		got := ""
		for _, d := range Extract(layout("Weser Spedition AG\n" + text))[0].Doubts {
			got += d.Text
		}
		if got != want {
			t.Errorf("got %q, want %q in %s", got, want, text)
		}
	}
}

// An invoice of a part that was paid is no discount of the final one: without the total, the rest isn't it.
func TestPartInvoiceIsPaid(t *testing.T) {
	t.Parallel()
	const text = `
Weser Spedition AG
#Schlussrechnung Nr. 5
Datum: 03.05.2026
Bezeichnung             Menge      Preis      Betrag
Kugelhahn                   2     100,00      200,00
Flachdichtung               3     100,00      300,00
Nettobetrag                                   500,00
zzgl. 19 % MwSt                                95,00
Gesamtbetrag EUR                              595,00
abzgl. Abschlagsrechnung 4 vom 03.04.2026    -300,00
Restbetrag                                    295,00
`
	if e := Extract(layout(text))[0]; e.Data.Total.Fixed() != "595.00" || e.Data.AmountDue.Fixed() != "295.00" || len(e.Doubts) > 0 {
		t.Errorf("got %s, due %s, %v", e.Data.Total.Fixed(), e.Data.AmountDue.Fixed(), e.Doubts)
	}
	lost := strings.Replace(text, "Gesamtbetrag EUR                              595,00", "", 1)
	if e := Extract(layout(lost))[0]; len(e.Doubts) == 0 && e.Data.Total.Fixed() == "295.00" {
		t.Error("the rest passes as the total")
	}
}
