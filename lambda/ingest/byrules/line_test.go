package byrules

import (
	"fmt"
	"strings"
	"testing"
)

// Each table has the same two lines.
func TestTablesByHeads(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "tables")
	const sums = "\n\nNettobetrag                                 90,00\nMwSt 19 %                                   17,10\n" +
		"Gesamtbetrag                               107,10"
	for name, table := range map[string]string{
		"in two rows": `
Unsere                  Menge     Preis/
Art.Nr.   Bezeichnung             Einheit      Betrag
TB100     Trennblätter   20     2,50          50,00
J-5       Joghurt       8         5,00          40,00`,
		"the amount is a word for the quantity": `
Amount      Product       VAT       Price      Total
20          Trennblätter   19%      2,50       50,00
8           Joghurt       19%       5,00       40,00`,
		"the amounts stand lower": `
Pos    Beschreibung     Preis      Menge       Nettobetrag
1      Trennblätter     2,50       20 Stk
                                               50,00
2      Joghurt          5,00       8 Stk
                                               40,00`,
		"the first line follows at once, without a position": `
Bezeichnung      Menge     Preis     Betrag
Trennblätter     20        2,50      50,00
Joghurt          8         5,00      40,00`,
	} {
		d := seen.extract(sheets("Rechnung Nr. A-1\n" + table + sums))[0].Data
		got := ""
		for _, l := range d.Lines {
			got += fmt.Sprintf("%s %s x %s = %s; ", l.Description, l.Quantity.Canonical(), l.UnitPrice.Fixed(), l.Amount.Fixed())
		}
		if want := "Trennblätter 20 x 2.50 = 50.00; Joghurt 8 x 5.00 = 40.00; "; got != want {
			t.Errorf("%s: got %q, want %q", strings.TrimSpace(name), got, want)
		}
	}
}
