package byrules

import "testing"

// The name heads its block: a department below it, or alone because the name was not read, is no party.
func TestNameHeadsItsBlock(t *testing.T) {
	t.Parallel()
	const head = `
Weser Spedition AG
#Rechnung Nr. T-5 vom 03.05.2026



`
	for text, want := range map[string]string{
		head + "Hochschule Lindau\nFachbereich Physik\nz. Hd. Einkauf\nRing 1\n28195 Bremen":    "Hochschule Lindau",
		head + "Hochschule Lindau\nFachbereich Physik\nRing 1\n28195 Bremen":                    "Hochschule Lindau",
		head + "Lindau Instruments\nAttn: Mr Lind\nRing 1\n28195 Bremen":                        "Lindau Instruments",
		head + "Accounts Payable\nRing 1\n28195 Bremen":                                         "Accounts Payable; a department or a street stands for the buyer",
		head + "Facturé à:\nComptabilité fournisseurs\nRing 1\n28195 Bremen":                    "Comptabilité fournisseurs; a department or a street stands for the buyer",
		head + "Einkauf, Herrn Lind\nRing 1\n28195 Bremen":                                      "Einkauf, Herrn Lind; a department or a street stands for the buyer",
		head + "Einkauf Nord\nRing 1\n28195 Bremen\n\n\n\n\n\n\n\nBestellt über einkaufnord.de": "Einkauf Nord; a department or a street stands for the buyer",
	} {
		e := Extract(layout(text))[0]
		got := e.Data.Buyer.Name
		for _, d := range e.Doubts {
			got += "; " + d.Text
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
