package byrules

import "testing"

// What stands next to a value or below a name isn't always about it.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	const letterhead = "\nFerry Foods Ltd\n4 Quay Road, Hull HU1 2AB\n\n"
	for name, test := range map[string]struct{ text, want string }{
		"a sentence with the words of a label": {letterhead + "#Invoice No. F-5      Invoice Date   2026-11-03\n\n" +
			"Payment terms: 30 days from the date of the invoice, that is by 2026-12-03", "2026-11-03 Ferry Foods Ltd, 4 Quay Road, Hull HU1 2AB > , "},
		"two dates with one label": {letterhead + "#Invoice No. F-5\nDelivery and invoice date   2026-11-03\n\n2026-12-03", "2026-11-03 Ferry Foods Ltd, 4 Quay Road, Hull HU1 2AB > , "},
		"an account below its owner": {"\n#Facture n° 5\nDate : 3 novembre 2026\n\nTitulaire du compte : Atelier Morvan\nIBAN FR14 2004 1010 0505 0001 3M02 606",
			"2026-11-03 Atelier Morvan,  > , "},
		"another number below a name": {"\nWeser Spedition AG\n          #WARENEINGANGSSCHEIN\nBeleg-Nr.:     WE-77       Datum:   03.11.2026\nLieferant:     Jade Kran KG\nBestellung:    450081",
			"2026-11-03 Jade Kran KG,  > Weser Spedition AG, "},
		"a Swedish address": {"\nNorrskog Trävaror AB\n#Faktura 5\nFakturadatum 2026-11-03\nFaktureringsadress\nSnickarboden i Umeå\nStorgatan 8", "2026-11-03 Norrskog Trävaror AB,  > Snickarboden i Umeå, "},
	} {
		d := Extract(layout(test.text))[0].Data
		if got := d.Date.String() + " " + d.Supplier.Name + ", " + d.Supplier.Address + " > " + d.Buyer.Name + ", " + d.Buyer.Address; got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}

// Blocks of lines and sums for each tax rate, and their total: none of them is the document's.
func TestTotalOfBlocks(t *testing.T) {
	t.Parallel()
	const blocks = "\nOstsee Fisch GmbH\n#Rechnung Nr. 7      Datum   01.02.2026\n\nArtikel               Menge      Preis      Betrag\n" +
		"Aal                   2          10,00      20,00\nNetto   20,00\nMwSt 7 %   1,40\nSumme   21,40\n" +
		"Dorsch                3          20,00      60,00\nNetto   60,00\nMwSt 19 %   11,40\nSumme   71,40\nGesamtbetrag   "
	for total, want := range map[string]int{"92,80": 1, "21,40": 0} {
		if doubts := Extract(layout(blocks + total))[0].Doubts; len(doubts) != want {
			t.Errorf("%s: got the doubts %v, want %d", total, doubts, want)
		}
	}
}
