package byrules

import "testing"

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
