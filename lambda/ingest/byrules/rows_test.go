package byrules

import "testing"

// Each position of a SAP order takes two rows, below two rows of heads.
func TestRowsOfTwo(t *testing.T) {
	t.Parallel()
	const text = `
#Bestellung Nr. 5
Pos.   Material     Bezeichnung
       Bestellmenge   Einheit      Preis pro Einheit            Nettowert
00010  1002288      Kugellager 6308
              40      Stück           18,35 / 1 ST                 734,00
       Ihre Materialnummer 63.08
00020  1004517      Getriebemotor R47
              12      Stück          612,80 / 1 ST               7.353,60
Gesamtnettowert ohne MwSt. EUR                                   8.087,60`
	const want = "40 18.35 734 Kugellager 6308; 12 612.8 7353.6 Getriebemotor R47"
	if got := linesText(newPapers(t, "rows-of-two"), text); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
