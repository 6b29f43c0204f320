package byrules

import (
	"fmt"
	"testing"
)

// A title or its number may stand in a head's column, in a frame, or with a word more.
func TestTitlesInColumnsAreRead(t *testing.T) {
	t.Parallel()
	const sides = `
Mulino Verdi S.R.L.
Via Po 12 - 10121 Torino

DESTINAZIONE MERCE            SPETT.LE
Bar Luna                      Luna S.P.A.
Corso Roma 7                  Corso Roma 9
12051 ALBA                    12051 ALBA
`
	for text, want := range map[string]string{
		sides + "FATTURA DIFFERITA\nNUMERO      DATA            CLIENTE\n2147/A      22/09/2026      00417":                                                "invoice 2147/A",
		sides + "\nTIPO DOCUMENTO          NUMERO      DATA            CLIENTE\nFATTURA IMMEDIATA       2147/A      22/09/2026      00417":                 "invoice 2147/A",
		sides + "\nPAGAMENTO               NUMERO      DATA            CLIENTE\nFATTURA IMMEDIATA       rata        22/09/2026      00417":                 "invoice ",
		sides + "\nFATTURA IMMEDIATA       2147/A      22/09/2026":                                                                                         " ",
		"Jade Freight Inc.            FREIGHT INVOICE\n                             NUMBER      41-8\n                             DATE        05/12/2026": "invoice 41-8",
		"Jade Freight Inc.\nORDER DETAILS    41-8":                                                                                  " ",
		"Jade Freight Inc.\nINVOICE TO\nKran Ltd":                                                                                   " ",
		"Jade Freight Inc.\nTOTAL INVOICE\n40.00":                                                                                   " ",
		"Jade Freight Inc.\nInvoice terms":                                                                                          " ",
		"Jade Telecom Ltd\n\nBill number           LT1008\nBill date             2 November 2026":                                   "invoice LT1008",
		"Jade Telecom Ltd\n\nBill to               LT1008":                                                                          " ",
		"Kran AG\n#Wareneingangsschein\nMaterialbeleg    : 5000713348 / 2026\nBestellung       : 45002911":                          "goods-receipt 5000713348",
		"Kran AG\n#Wareneingangsschein\nMaterialbeleg    : 5000713 / 2026":                                                          "goods-receipt 5000713",
		"Kran AG\n#Rechnung\nNr.    14 / 2026":                                                                                      "invoice 14 / 2026",
		"Kran Ltd\n#Order acknowledgement\n#Order confirmation\nDocument No     Account\n0000088417      FAL003":                    "order-confirmation 0000088417",
		"Kran Ltd\n#Invoice\nInvoice Number                 18 Mill Lane\nINV-1488                       Corbridge":                 "invoice INV-1488",
		"Kran Ltd\n#Order\nCustomer\nLuna Ltd\nRing 1\nNo. 4711":                                                                    "purchase-order ",
		"Kran AG\n#Bestellung\n\nNr.        Bezeichnung          Menge      Preis\n4711       Bolzen               3          4,00": "purchase-order ",
	} {
		e := Extract(layout(text))[0]
		if got := fmt.Sprintf("%s %s", e.Type, e.Data.Number); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
