package byrules

import (
	"strings"
	"testing"
)

// A page from which OCR lost a row, a head or a value says so by what is left: by the numbers of the lines, by
// rows that begin like the others, and by units. The loss of a whole row without a number can't be seen.
func TestLostLinesAreDoubted(t *testing.T) {
	t.Parallel()
	const note = `
Weser Spedition AG
#Lieferschein Nr. 5
Datum: 03.05.2026
Pos   Artikel    Bezeichnung             Menge      kg
1     K-25       Kugelhahn              40 Stk    31,2
2     F-50       Flachdichtung          20 Stk     9,6
3     S-12       Sechskantschraube      50 Stk     8,0
`
	const invoice = `
Weser Spedition AG
#Rechnung Nr. 5
Datum: 03.05.2026
Bezeichnung             Menge      Preis      Betrag
Kugelhahn                   2      10,00       20,00
Flachdichtung               3      10,00       30,00
Summe netto                                    50,00
19 % MwSt                                       9,50
Gesamtbetrag EUR                               59,50
`
	const gap = "the numbers of the lines have a gap"
	for name, test := range map[string]struct{ text, lost, want string }{
		"nothing":         {note, "", ""},
		"a line":          {note, "2     F-50       Flachdichtung          20 Stk     9,6\n", gap},
		"the first line":  {note, "1     K-25       Kugelhahn              40 Stk    31,2\n", gap},
		"a quantity":      {note, "20 Stk", "a row among the lines was not read"},
		"a unit":          {note, "Stk     9,6", "one line has no unit, but all others do"},
		"a description":   {note, "Flachdichtung", "a row among the lines was not read"},
		"the head":        {note, "Pos   Artikel    Bezeichnung             Menge      kg", "no lines were read"},
		"an invoice":      {invoice, "", ""},
		"its head":        {invoice, "Bezeichnung             Menge      Preis      Betrag", "rows with amounts were not read as lines"},
		"steps of ten":    {strings.NewReplacer("\n1 ", "\n10", "\n2 ", "\n20", "\n3 ", "\n40").Replace(note), "", gap},
		"article numbers": {strings.NewReplacer("\n1    ", "\n40117", "\n2    ", "\n40119", "\n3    ", "\n40218").Replace(note), "", ""},
		"none delivered":  {strings.Replace(note, "20 Stk", " 0 Stk", 1), "", ""},
	} {
		blank := strings.Repeat(" ", len(strings.TrimSuffix(test.lost, "\n")))
		if strings.HasSuffix(test.lost, "\n") {
			blank = ""
		}
		got := ""
		for _, d := range Extract(layout(strings.Replace(test.text, test.lost, blank, 1)))[0].Doubts {
			got += d.Text
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
