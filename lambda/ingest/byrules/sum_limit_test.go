package byrules

import "testing"

// A file keeps what is read of sums that several rules could explain.
func TestSumsOfManyKinds(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/sums-of-many-kinds")
	const head = "Ostsee Fisch GmbH\n#Rechnung Nr. 7      Datum   01.02.2026\n\nArtikel               Menge      Preis      Betrag\n"
	const lines = head + "Aal                   2          10,00      20,00\nDorsch                3          20,00      60,00\n\n"
	const net = "Netto                                      80,00\nMwSt 19 %                                  15,20\nGesamtbetrag                               95,20\n"
	for name, text := range map[string]string{
		"a charge with a word":               lines + "Versand                                     5,00\nNetto   85,00\nMwSt 19 %   16,15\nGesamtbetrag   101,15",
		"a charge without a word":            lines + "Eis                                         5,00\nNetto   85,00\nMwSt 19 %   16,15\nGesamtbetrag   101,15",
		"two charges without a word":         lines + "Eis                                         5,00\nKiste                                       5,00\nNetto   90,00\nMwSt 19 %   17,10\nGesamtbetrag   107,10",
		"two charges and their sum":          lines + "Versand                                     5,00\nVerpackung                                  2,00\nVersand und Verpackung   7,00\nNetto   87,00\nMwSt 19 %   16,53\nGesamtbetrag   103,53",
		"a discount without a sign":          lines + "Rabatt 10 %                                 8,00\nNetto   72,00\nMwSt 19 %   13,68\nGesamtbetrag   85,68",
		"a discount with a sign":             lines + "Rabatt                                     -8,00\nNetto   72,00\nMwSt 19 %   13,68\nGesamtbetrag   85,68",
		"a discount and a charge":            lines + "Rabatt                                      8,00\nFracht                                      3,00\nNetto   75,00\nMwSt 19 %   14,25\nGesamtbetrag   89,25",
		"a net that isn't printed":           lines + "Versand                                     5,00\nMwSt 19 %   16,15\nGesamtbetrag   101,15",
		"a discount for early payment":       lines + net + "Skonto 2 % bis 10.02.2026   1,90",
		"a charge below the total":           lines + net + "Versand   5,00\nZahlbetrag   100,20",
		"charges in a head of sums":          lines + "Warenwert      Versand      Rabatt      Netto      MwSt      Gesamtbetrag\n80,00          5,00         1,00        84,00      15,96     99,96",
		"eleven charges":                     lines + "Porto   1,00\nPorto   1,00\nPorto   1,00\nPorto   1,00\nPorto   1,00\nPorto   1,00\nPorto   1,00\nPorto   1,00\nPorto   1,00\nPorto   1,00\nPorto   1,00\nNetto   91,00\nMwSt 19 %   17,29\nGesamtbetrag   108,29",
		"a credit note's charge":             "Ostsee Fisch GmbH\n#Gutschrift Nr. 7\n\nArtikel               Menge      Preis      Betrag\nAal                   -2         10,00      -20,00\nVersand                                     5,00\nNetto   -25,00\nMwSt 19 %   -4,75\nGesamtbetrag   -29,75",
		"a tax in the total":                 lines + "Gesamtbetrag                               80,00\nenthaltene MwSt 19 %                       12,77",
		"a tax in the total, a cent off":     lines + "Gesamtbetrag                               80,00\nenthaltene MwSt 19 %                       12,79",
		"no tax":                             lines + "Netto   80,00\nMwSt   0,00\nGesamtbetrag   80,00",
		"no tax by law":                      lines + "Gesamtbetrag   80,00\nKein Ausweis von Umsatzsteuer, § 19 UStG, Kleinunternehmer",
		"a tax above a half":                 lines + "Netto   80,00\nMwSt   45,00\nGesamtbetrag   125,00",
		"a tax just below a half":            lines + "Netto   80,00\nMwSt   39,99\nGesamtbetrag   119,99",
		"a total without a label":            lines + "Netto   80,00\nMwSt 19 %   15,20\nAlles   95,20",
		"a total without a label, far below": lines + "Netto   80,00\nMwSt 19 %   15,20\nHinweis\nHinweis\nHinweis\nHinweis\nHinweis\nHinweis\nHinweis\nHinweis\nHinweis\nHinweis\nHinweis\nHinweis\nAlles   95,20",
		"two rates with bases":               lines + "Netto   80,00\n7 % MwSt auf 20,00   1,40\n19 % MwSt auf 60,00   11,40\nGesamtbetrag   92,80",
		"two rates without bases":            lines + "Netto   80,00\n7 % MwSt   1,40\n19 % MwSt   11,40\nGesamtbetrag   92,80",
		"two rates without a net":            lines + "7 % MwSt auf 20,00   1,40\n19 % MwSt auf 60,00   11,40\nGesamtbetrag   92,80",
		"the same rate twice":                lines + "Netto   80,00\n19 % MwSt auf 20,00   3,80\n19 % MwSt auf 60,00   11,40\nGesamtbetrag   95,20",
		"a table of rates and its sum":       lines + "Satz      Netto      MwSt      Brutto\n7 %       20,00      1,40      21,40\n19 %      60,00      11,40     71,40\nSumme     80,00      12,80     92,80\nGesamtbetrag   92,80",
		"a block for each rate":              head + "Aal                   2          10,00      20,00\nNetto   20,00\nMwSt 7 %   1,40\nSumme   21,40\nDorsch                3          20,00      60,00\nNetto   60,00\nMwSt 19 %   11,40\nSumme   71,40\nGesamtbetrag   92,80",
		"two blocks":                         "Ostsee Fisch GmbH\n#Rechnung Nr. 7\nNetto   20,00\nMwSt 7 %   1,40\nSumme   21,40\nNetto   60,00\nMwSt 19 %   11,40\nSumme   71,40",
		"two blocks, one with the lines":     lines + "Netto   80,00\nMwSt 19 %   15,20\nSumme   95,20\nNetto   60,00\nMwSt 19 %   11,40\nSumme   71,40",
		"the year's sums below":              lines + net + "Summe im Jahr   1.095,20",
		"a prepayment and a rounding":        lines + net + "Anzahlung   50,00\nRundung   0,03\nZahlbetrag   45,23",
		"a prepayment with a sign":           lines + net + "Anzahlung   -50,00\nZahlbetrag   45,20",
		"two prepayments":                    lines + net + "Anzahlung   50,00\nAnzahlung   20,00\nZahlbetrag   25,20",
		"a prepayment without a label":       lines + net + "Karte   50,00\nZahlbetrag   45,20",
		"a rest without a label":             lines + net + "bezahlt   50,00\nes bleiben   45,20",
		"a rest as great as the payment":     lines + net + "bezahlt   47,60\nes bleiben   47,60",
		"a due that nothing explains":        lines + net + "Zahlbetrag   44,00",
		"a balance that nothing explains":    lines + net + "Saldo   44,00",
		"a due above the total":              "Ostsee Fisch GmbH\n#Rechnung Nr. 7\nZahlbetrag   44,00\nNetto   80,00\nMwSt 19 %   15,20\nGesamtbetrag   95,20",
		"the total once more":                lines + net + "Zahlbetrag   95,20",
		"a greater amount":                   head + "Gesamtbetrag   80,00\nHöchstbetrag der Versicherung   5.000,00",
		"a greater amount in dollars":        head + "Gesamtbetrag   80,00 €\nHöchstbetrag der Versicherung   $ 5.000,00",
		"lines that don't add up":            head + "Aal                   2          10,00      20,00\nDorsch                3          20,00      61,00\n\n" + net,
		"a line without its amount":          head + "Aal                   2          10,00      20,00\nDorsch                3          20,00\n\n" + net,
		"a sum of a group":                   head + "Aal                   2          10,00      20,00\nLachs                 2          5,00       10,00\nSumme Süßwasser                             30,00\nDorsch                3          20,00      60,00\nNetto   90,00\nMwSt 19 %   17,10\nGesamtbetrag   107,10",
		"a sum of one line as a group":       head + "Aal                   2          10,00      20,00\nSumme Aal                                   20,00\nDorsch                3          20,00      60,00\nNetto   80,00\nMwSt 19 %   15,20\nGesamtbetrag   95,20",
		"a sum carried within a page":        head + "Aal                   2          10,00      20,00\nÜbertrag                                    20,00\nDorsch                3          20,00      60,00\n" + net,
		"a price with a discount":            head + "Aal                   2          10,00      18,00\nDorsch                3          20,00      60,00\nNetto   78,00\nMwSt 19 %   14,82\nGesamtbetrag   92,82",
		"a price for a hundred in the head":  "Ostsee Fisch GmbH\n#Rechnung Nr. 7\nArtikel               Menge      Preis/100      Betrag\nAal                   200          10,00          20,00\nNetto   20,00\nMwSt 19 %   3,80\nGesamtbetrag   23,80",
		"a price for a thousand, per mille":  "Ostsee Fisch GmbH\n#Rechnung Nr. 7\nArtikel               Menge      Preis      Betrag\nAal                   2000         10,00 ‰       20,00\nNetto   20,00\nMwSt 19 %   3,80\nGesamtbetrag   23,80",
		"a quantity of thousands":            "Ostsee Fisch GmbH\n#Rechnung Nr. 7\nArtikel               Menge      Preis      Betrag\nAal                   2.000          0,01        20,00\nNetto   20,00\nMwSt 19 %   3,80\nGesamtbetrag   23,80",
		"amounts below the lines":            "Ostsee Fisch GmbH\n#Rechnung Nr. 7\nArtikel               Menge      Preis      Betrag\nAal                   2          10,00\n                                            20,00\nDorsch                3          20,00\n                                            60,00\n" + net,
		"a currency at each amount":          lines + "Netto   EUR 80,00\nMwSt 19 %   EUR 15,20\nGesamtbetrag   EUR 95,20",
		"two currencies":                     lines + "Netto   EUR 80,00\nMwSt 19 %   EUR 15,20\nGesamtbetrag   CHF 95,20",
		"a currency by its label":            lines + net + "Währung   CHF",
		"Canadian dates":                     "Ostsee Fish Inc.\nInvoice No. 7\nDate 03/04/2026\nCurrency CAD\nTotal   CAD 5.00",
	} {
		for i := range seen.asIs(layout(text)) {
			last := len(seen.read) - 1 - i
			seen.read[last] = name + ": " + seen.read[last]
		}
	}
}
