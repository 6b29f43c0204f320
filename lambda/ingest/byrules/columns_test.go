package byrules

import (
	"fmt"
	"strings"
	"testing"
)

// linesText is the lines of the first document of a layout: quantity, price, amount, description.
func linesText(seen *papers, text string) string {
	var all []string
	for _, l := range seen.asIs(layout(text))[0].Data.Lines {
		all = append(all, strings.TrimSpace(fmt.Sprint(l.Quantity.Canonical(), " ", l.UnitPrice.Canonical(), " ", l.Amount.Canonical(), " ", l.Description)))
	}
	return strings.Join(all, "; ")
}

// A row of heads above a row of values cites as labels in front of values do.
func TestReferencesBelowHeads(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "references")
	for text, want := range map[string]string{
		`
#RECHNUNG
Rechnungs-Nr.     Datum           Kunden-Nr.     Ihre Bestellung     Lieferschein
RE4471902         18.11.2026      10833          B-2026-01187        LS-88214`: "[{purchase-order B-2026-01187} {delivery-note LS-88214}]",
		// the next row has labels of its own
		`
#RECHNUNG
Rechnungs-Nr.     RE4471902
Ihre Bestellung   vom Mai
Kunden-Nr. 10833`: "[]",
	} {
		if got := fmt.Sprint(seen.extract(layout(text))[0].Data.References); got != want {
			t.Errorf("%s\ngot %s, want %s", text, got, want)
		}
	}
}

// Of two readings of a quantity or a price, the one that makes the amount counts.
func TestReadingMakesAmount(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/reading-makes-amount")
	const head = `
#Rechnung Nr. 1
Leistung                Menge      Einzelpreis     Gesamt
`
	for row, want := range map[string]string{
		"Arbeitspreis Strom      8.412      0,1890          1.589,87": "8412 0.189 1589.87 Arbeitspreis Strom",
		"Kabel                   8,412      100,00            841,20": "8.412 100 841.2 Kabel",
		"Kabel                   8.412      ?               5,00":     "8412  5 Kabel", // the page's decimals stand behind a comma
	} {
		if got := linesText(seen, head+row); got != want {
			t.Errorf("%s: got %s, want %s", row, got, want)
		}
	}
}

// A code and a description may share a cell, heads too, and a party's number stands before its name.
func TestSharedCells(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/shared-cells")
	const order = `
#Bestellung Nr. 7
Pos. Art.-Nr.           Bezeichnung          Menge ME Einzelpreis     Gesamt EUR
10   KL-6204   Rillenkugellager 6204-2RS      120            3,45         414,00
20   DR-4010 Dichtungsring NBR 40x52          250            0,88         220,00`
	if got, want := linesText(seen, order), "120 3.45 414 Rillenkugellager 6204-2RS; 250 0.88 220 DR-4010 Dichtungsring NBR 40x52"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	const receipt = `
Weser Spedition AG                       Seite 1 / 1

          #WARENEINGANGSSCHEIN
Wareneingangs-Nr.:   WE-5                 Eingangsdatum:   16.11.2026
Lieferant:           70412 Brauneck Industriebedarf KG
Geprüft von:         T. Akgün

Pos   Material   Bezeichnung              Bestellt   Geliefert
10    KL-6204    Rillenkugellager              120         100
Bemerkung: Pos. 10 - 20 Stk fehlen, ein Karton nicht in Lieferung enthalten.`
	e := seen.asIs(layout(receipt))[0]
	if got, want := read(e), "goods-receipt WE-5 2026-11-16 Brauneck Industriebedarf KG > Weser Spedition AG"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := linesText(seen, receipt), "100   Rillenkugellager"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
