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
	} {
		d := Extract(layout(test.text))[0].Data
		if got := d.Date.String() + " " + d.Supplier.Name + ", " + d.Supplier.Address + " > " + d.Buyer.Name + ", " + d.Buyer.Address; got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}
