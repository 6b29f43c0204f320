package byrules

import (
	"fmt"
	"testing"
)

// The lines of papers from practice: quantity, price, amount, description.
func TestPracticeLines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"heads close together": {`
#Goods Receipt No. 5
LN    DESCRIPTION               ORDERED RECEIVED REJECT LOC
1     O-ring                    2,000     1,900    100   BIN A
2     Seal                         24        24      0   BIN B
LINES RECEIVED: 1               CARTONS: 7`, "1900   O-ring; 24   Seal"},
		"dispatched": {`
#Dispatch Note No. 5
Product     Description                    Ordered    Dispatched
M10         Hex screw M10                       12            11`, "11   Hex screw M10"},
		"thousands": {`
#Lieferschein Nr. 5
Art.-Nr.    Ware                    Gebinde         Menge
S-1         Gerste                  12 Sack         7.200 kg
S-2         Kalk, lose              lose            8,46 t`, "7200   Gerste; 8.46   Kalk, lose"},
		"price for a thousand": {`
#Ordine N. 5
Descrizione                  UM      Quantità      Prezzo     per      Importo
Astuccio                     PZ        30.000       84,00   1.000     2.520,00
Impianto                     N              1      380,00       1       380,00`, "30000 84 2520 Astuccio; 1 380 380 Impianto"},
		"groups": {`
#Rechnung Nr. 5
Leistung                    Menge      Einzelpreis     Gesamt
Rohre                           2           10,00       20,00
Kessel                          1           30,00       30,00
Summe Titel 1                                           50,00
Montage                         3           20,00       60,00
Gesamt netto                                           110,00
19 % MwSt                                               20,90
Gesamtsumme brutto                                     130,90`, "2 10 20 Rohre; 1 30 30 Kessel; 3 20 60 Montage"},
		"heads of sums": {`
#Factura Nº 5
DESCRIPCIÓN              CANTIDAD    PRECIO       IMPORTE
Cable                        3,00     10,00         30,00

SUMA                BASE IMPONIBLE      CUOTA IVA     TOTAL EUROS
30,00                        30,00           6,30           36,30`, "3 10 30 Cable"},
		"letter": {`
#Rechnung Nr. 5
6 Stühle bezogen                                    510,00 Euro
1 Sessel genäht                                      35,00 Euro
Zusammen                                            545,00 Euro`, "510 6 Stühle bezogen; 35 1 Sessel genäht"},
	} {
		if got := linesText(test.text); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}

// Sums of papers from practice, with what a person must be asked.
func TestPracticeSums(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"heads of sums": {`
#Factura Nº 5
SUMA                BASE IMPONIBLE      CUOTA IVA     TOTAL EUROS
30,00                        30,00           6,30           36,30`, "30.00 6.30 36.30 EUR []"},
		"another currency": {`
#Facture n° 5
Désignation                    Quantité      Prix      Total
Lentille                              2     50.00     100.00
Monture                               1     20.00      20.00
Total marchandise                                 CHF 120.00
Montant à payer                                   CHF 120.00
Pour information : EUR 128.12 (cours du jour 1 CHF = 1.0677 EUR)`, "120.00  120.00 CHF []"},
		"pallets": {"#Lieferschein Nr. 5\nPackstücke: 1 EUR-Palette", "    []"},
	} {
		e := Extract(layout(test.text))[0]
		d := e.Data
		if got := fmt.Sprint(d.Subtotal.Fixed(), " ", d.Tax.Fixed(), " ", d.Total.Fixed(), " ", d.Currency, " ", e.Doubts); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}
