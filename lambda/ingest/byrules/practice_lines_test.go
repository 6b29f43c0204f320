package byrules

import (
	"fmt"
	"testing"
)

// The lines of papers from practice: quantity, price, amount, description.
func TestPracticeLines(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/practice-lines")
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
		"an unknown head of descriptions": {`
#Faktura nr. 5
Varenr.   Tekst                          Antal  Enhed      Pris        Beløb
100       Montørtimer                    11,50  time     565,00     6.497,50
110       Servicevogn                     2,00  dag      295,00       590,00`, "11.5 565 6497.5 Montørtimer; 2 295 590 Servicevogn"},
		"a column of the currency": {`
#Rechnung Nr. 5
Regiestunden, 9,5 Std. à 62,00                  €        589,00
Kleinmaterial laut Aufstellung                  €         86,40

Summe netto                                     €        675,40
20 % MwSt.                                      €        135,08
Gesamtbetrag                                    €        810,48`, "589 Regiestunden, 9,5 Std. à 62,00; 86.4 Kleinmaterial laut Aufstellung"},
		"heads of sums": {`
#Factura Nº 5
DESCRIPCIÓN              CANTIDAD    PRECIO       IMPORTE
Cable                        3,00     10,00         30,00

SUMA                BASE IMPONIBLE      CUOTA IVA     TOTAL EUROS
30,00                        30,00           6,30           36,30`, "3 10 30 Cable"},
		"amount and rate close together": {`
#Invoice No. 5
Quantity  Code     Details                       Unit Price    Net Amt   VAT%
    6.00  CUP12    Paper Cups                         41.50     249.00 20.00
   12.00  BLUE10   Blue Roll                           9.49     108.19 20.00

Total Net                                                       357.19`, "6 41.5 249 Paper Cups; 12 9.49 108.19 Blue Roll"},
		"taxed lines": {`
#Invoice No. 5
DESCRIPTION                QTY       RATE        AMOUNT
Vinyl                       86       9.75       838.50T
Permit                       1     212.50        212.50`, "86 9.75 838.5 Vinyl; 1 212.5 212.5 Permit"},
		"discounts between the lines": {`
#Rechnung Nr. 5
Bezeichnung                    Menge        Preis        Wert
Getriebe                           4       486,20    1.944,80
Rabatt                                                 233,38-
Nettowert Position                                   1.711,42
Motor                              4       212,40      849,60
Nettobetrag                                          2.561,02
19 % MwSt                                              486,59
Endbetrag                                            3.047,61`, "4 486.2 1944.8 Getriebe; 4 212.4 849.6 Motor"},
		"without quantities": {`
#Rechnung Nr. 5
Leistung                           USt %       Betrag EUR
Fracht Linz - Wien                    20           318,00
Maut                                  20            41,20`, "318 Fracht Linz - Wien; 41.2 Maut"},
		"letter": {`
#Rechnung Nr. 5
6 Stühle bezogen                                    510,00 Euro
1 Sessel genäht                                      35,00 Euro
Zusammen                                            545,00 Euro`, "510 6 Stühle bezogen; 35 1 Sessel genäht"},
	} {
		if got := linesText(seen, test.text); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}

// Sums of papers from practice, with what a person must be asked.
func TestPracticeSums(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/practice-sums")
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
		"several rates": {`
#Faktura nr 5
Stawka           Netto           VAT          Brutto
23%             100,00         23,00          123,00
5%               40,00          2,00           42,00
Do zapłaty: 165,00 PLN`, "  165.00 PLN []"},
		"column of totals": {`
#Factura Nº 5
Base imponible       % IVA       Cuota IVA        Total
321,50               10,00           32,15       353,65
40,96                21,00            8,60        49,56
TOTAL FACTURA                                    403,21 €`, "  403.21 EUR []"},
		"charge in a head of sums": {`
#Facture n° 5
Désignation               Qté        P.U. HT       Montant HT
Four                         1        100,00           100,00

Total HT       Port HT       Net HT       Taux       Total TVA       NET À PAYER
100,00           45,00       145,00      20,00           29,00            174,00`, "145.00 29.00 174.00  []"},
		"article numbers": {"#Lieferschein Nr. 5\nRM-10044   China clay   6", "    [no lines were read]"},
		"pallets":         {"#Lieferschein Nr. 5\nPackstücke: 1 EUR-Palette", "    [no lines were read]"},
	} {
		e := seen.asIs(layout(test.text))[0]
		d := e.Data
		if got := fmt.Sprint(d.Subtotal.Fixed(), " ", d.Tax.Fixed(), " ", d.Total.Fixed(), " ", d.Currency, " ", e.Doubts); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}
