package byrules

import (
	"fmt"
	"strings"
	"testing"
)

// Delivery notes and receipts of goods have lines without prices.
func TestUnpricedLines(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "unpriced")
	for text, want := range map[string]string{
		// of several quantities, the delivered one
		`
Wareneingangsschein WE-26-0311
Pos  Bezeichnung                 Bestellt   Geliefert   Einheit
1    Kopierpapier A4, Karton           40          38   Stück
2    Toner schwarz                      4           4   Stück`: "38 Kopierpapier A4, Karton; 4 Toner schwarz",
		`
#Delivery Note No. 77
Item #     Description               Quantity    Shipped    Back-ordered
AF-200     Hex bolt M10               300          280          20
AF-310     Washer M10                 300          300           0`: "280 Hex bolt M10; 300 Washer M10",
		`
#Bon de livraison n° 12
Réf.     Désignation            Qté commandée   Qté livrée
VL-8     Vis inox M8               200         150`: "150 Vis inox M8",
		// one quantity, with its unit; a second row of a description is none of its own
		`
#Lieferschein Nr. 9
Menge        Bezeichnung
12 Stk       Isolierglas 120 x 80 cm
             mit Wärmeschutz
3 Paletten   Leergut
0 Stk        Fensterkitt
-2 Stk       Rückläufer`: "12 Stk Isolierglas 120 x 80 cm; 3 Paletten Leergut",
		// the table ends at a gap: a footer has numbers, too
		`
#Albarán n.º 5
Artículo                Cantidad
Papel A4                      20





Teléfono                93 555 12`: "20 Papel A4",
		// a sum is no line
		`
#Lieferschein Nr. 9
Bezeichnung          Menge
Isolierglas          12,00
Gesamtbetrag         12,00`: "12 Isolierglas",
		// a code is no description
		`
#Delivery Note No. 77
Item #      Quantity
AF-200      300`: "",
		// with a price it is another table, and nothing is guessed
		`
#Delivery Note No. 77
Description               Quantity    Price
Hex bolt M10              300         about nothing`: "",
		`
#Delivery Note No. 77
Description               Quantity    Amount
Hex bolt M10              300         about nothing`: "",
		`
#Delivery Note No. 77
Description       Parcels
Hex bolt M10      2`: "",
	} {
		var lines []string
		for _, l := range seen.extract(layout(text))[0].Data.Lines {
			lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(l.Quantity.Canonical(), " ", l.Unit, " ", l.Description)), " "))
		}
		if got := strings.Join(lines, "; "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}
