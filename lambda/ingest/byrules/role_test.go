package byrules

import "testing"

// On an order the addressee sells: an id in its block is the supplier's, and the one in the footer the sender's.
func TestVATIDsOfOrders(t *testing.T) {
	t.Parallel()
	const order = `
Einkauf Nord GmbH
Kai 1
20457 Hamburg

Lieferant
Lampen Süd AG
ATU13585627
Weg 3
37073 Göttingen

Bestellung
Bestellnummer: 4500000123
Datum: 02.03.2026

Pos   Artikel     Menge   Einzelpreis   Betrag
1     Lampe       2       10,00         20,00

Gesamtsumme EUR                         20,00

Einkauf Nord GmbH   USt-IdNr. DE136695976
`
	d := newPapers(t, "vat-ids-of-orders").extract(sheets(order))[0].Data
	if d.Supplier.VATID != "ATU13585627" || d.Buyer.VATID != "DE136695976" {
		t.Errorf("supplier %q %q, buyer %q %q", d.Supplier.Name, d.Supplier.VATID, d.Buyer.Name, d.Buyer.VATID)
	}
}
