package byrules

import (
	"strings"
	"testing"
)

// The type and the number of a paper by its title, its labels, and what it cites.
func TestTypesAndNumbers(t *testing.T) {
	t.Parallel()
	const small = "\nBitte zahlen Sie bald.\nDanke für den Auftrag.\n"
	low := strings.Repeat("\n", 32)
	for text, want := range map[string]string{
		"#Rechnung" + small + "Nr. 77-1":                                                     "invoice 77-1",
		"#Rechnung\nNr. 77-1" + small:                                                        "invoice 77-1",
		"#Rechnung   Nr. 77-1" + small:                                                       "invoice 77-1",
		"#Rechnung   77-1" + small:                                                           "invoice 77-1",
		"#Rechnung   : 77-1" + small:                                                         "invoice 77-1",
		"#Rechnung   771" + small:                                                            "invoice ",
		"#Rechnung   7711 ab" + small:                                                        "invoice ",
		"#Rechnung\n7711\n7712" + small:                                                      "invoice ",
		"#Rechnung\n7711\n771" + small:                                                       "invoice 7711",
		"#Rechnung" + small + low + "Nr. 77-1":                                               "invoice ",
		"#Rechnung" + small + "Kunde\nNr. 77-1":                                              "invoice ",
		"#Rechnung" + small + "Nr. / Datum\n77-1 / 03.05.2026":                               "invoice 77-1",
		"#Rechnung Nr.\n77-1" + small:                                                        "invoice 77-1",
		"#Rechnung Nr.\n24103 Kiel" + small:                                                  "invoice ",
		"#Rechnung Nr. Rechnungsdatum\n77-1 03.05.2026" + small:                              "invoice 77-1",
		"#Rechnungsliste 77-1" + small:                                                       " ",
		"#Rechnung-77" + small:                                                               "invoice ",
		"#Rechnung:77-1" + small:                                                             "invoice 77-1",
		"#Rechnung bitte zahlen" + small:                                                     "invoice ",
		"#Numéro de facture 77-1" + small:                                                    "invoice 77-1",
		"#Rechnung des Versicherers Nr. 77-1" + small:                                        "invoice 77-1",
		"#Rechnung zum Konto Nr. 77-1" + small:                                               "invoice ",
		"Datum 1\nLieferschein Nr. 5\n#Rechnung" + small:                                     "invoice ",
		"#Rechnung" + small + low + "#Lieferschein" + small:                                  "invoice ",
		small + low + "#Lieferschein" + small:                                                "delivery-note ",
		small + low + "#Lieferschein nach Absprache" + small:                                 " ",
		"#Lieferschein\n#Rechnung" + small:                                                   "delivery-note ",
		"Seite 1\nRECHNUNG NR. 77-1" + small:                                                 "invoice 77-1",
		"Seite 1\nBestellung Nr. 77-1" + small:                                               "purchase-order 77-1",
		"Seite 1\nBESTELLUNG NR. 77-1" + small + "Rechnung Nr. 5":                            "invoice 5",
		"Seite 1\nBESTELLUNG: 77-1" + small:                                                  "purchase-order 77-1",
		"Seite 1\nLieferschein" + "   LS-77" + small + "Bestellung Nr. 5-1":                  "delivery-note LS-77",
		"Seite 1\nBestellung   B-771\nRechnung   R-771" + small + "Rechnung Nr. 5-1":         "invoice 5-1",
		"Seite 1\nWareneingang\nLieferschein   LS-771" + small:                               "goods-receipt ",
		"hiermit bestellen wir:" + small + "Nr. 77-1":                                        "purchase-order 77-1",
		"#Wareneingang" + small + "WE-Nr. 77-1":                                              "goods-receipt 77-1",
		"#Wareneingang" + small + "WE 77-1":                                                  "goods-receipt ",
		"#Wareneingang" + small + "Nr. WE 77-1":                                              "goods-receipt 77-1",
		"#Wareneingang" + small + low + "WE-Nr. 77-1":                                        "goods-receipt ",
		"#Wareneingang" + small + "Lieferschein Nr. 5-1":                                     "goods-receipt ",
		"#Auftragsbestätigung" + small + "Auftragsnr. 77-1\nIhre Bestellung 5-1":             "order-confirmation 77-1",
		"#Auftragsbestätigung" + small + "Auftragsnr. 77-1":                                  "order-confirmation ",
		"#Auftragsbestätigung" + small + "Auftragsnr. 77-1\nIhre Bestellung 5-1\nAB-Nr. 9-1": "order-confirmation 77-1",
		"#Auftragsbestätigung" + small + "Auftragsnr. 77-1" + low + "Ihre Bestellung 5-1":    "order-confirmation ",
		"#Auftragsbestätigung" + small + "Ihre Bestellung 5-1" + low + "Auftragsnr. 77-1":    "order-confirmation ",
		"#Auftragsbestätigung" + small + "Auftragsnr. 77-1\nIhre Kundennummer 5-1":           "order-confirmation ",
		"#Auftragsbestätigung" + small + "Auftragsnr. 77-1\nWir danken für Ihre Bestellung von Herrn Lind vom Mai": "order-confirmation ",
		"#Gutschrift" + small + "Rechnungsnr. 77-1   Datum 03.05.2026\nzu Rechnung Nr. 5-1":                        "credit-note 77-1",
		"#Gutschrift" + small + "Rechnungsnr. 77-1\nDatum 03.05.2026\nzu Rechnung Nr. 5-1":                         "credit-note 77-1",
		"#Gutschrift" + small + "Rechnungsnr. 77-1\nKunde 7\nzu Rechnung Nr. 5-1":                                  "credit-note ",
		"#Gutschrift" + small + "Rechnungsnr. 77-1   Datum 03.05.2026\nzu Rechnung   Nr. 5-1":                      "credit-note 77-1",
		"#Gutschrift" + small + "Rechnungsnr. 77-1   Datum 03.05.2026\nzu Rechnung Nr. 77-1":                       "credit-note ",
		"#Gutschrift" + small + "GS-Nr. 9-1\nRechnungsnr. 77-1   Datum 03.05.2026\nzu Rechnung Nr. 5-1":            "credit-note 9-1",
		// Titles that are none, and special ones.
		"#Angebot" + small + "Rechnung Nr. 77-1":                           " 77-1",
		"#Lieferschein" + small + "Angebot":                                "delivery-note ",
		"#Angebot für den Bau am Hafen Nord" + small + "Rechnung Nr. 77-1": "invoice 77-1",
		"#Angebot: Bau" + small + "Rechnung Nr. 77-1":                      "invoice 77-1",
		"Seite 1\nAngebot" + small + "Rechnung Nr. 77-1":                   " 77-1",
		"Seite 1\nAngebot   77" + small + "Rechnung Nr. 77-1":              "invoice 77-1",
		"Seite 1\nAngebot über den Bau" + small + "Rechnung Nr. 77-1":      "invoice 77-1",
		small + low + "#Angebot" + small + "Rechnung Nr. 77-1":             "invoice 77-1",
		"#Kopie\n#Rechnung Nr. 77-1" + small:                               "invoice 77-1",
		"#Gutschriftverfahren" + small + "Rechnung Nr. 77-1":               "invoice 77-1",
		"#Gutschrift\nRechnungskorrektur" + small + "Nr. 77-1":             "credit-note 77-1",
	} {
		e := Extract(layout(text))[0]
		if got := string(e.Type) + " " + e.Data.Number; got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// Doubts about the type, by titles that are large, bare or unknown.
func TestDoubtsAboutTypes(t *testing.T) {
	t.Parallel()
	const small = "\nBitte zahlen Sie bald.\nDanke für den Auftrag.\n"
	const number = small + "Rechnung Nr. 77-1"
	low := strings.Repeat("\n", 32)
	for text, want := range map[string]string{
		"Seite 1" + number: "",
		" \n\n\n\n\n\n\n\n\n#Wartungsprotokoll" + number:                      "the document has an unknown title",
		" \n\n\n\n\n\n\n\n\n#Wartungsprotokoll Ihrer Kessel 2026" + number:    "",
		" \n\n\n\n\n\n\n\n\n#Protokoll über die Wartung Ihrer" + number:       "",
		" \n\n\n\n\n\n\n\n\n#Segel Nord GmbH" + number:                        "",
		" \n\n\n\n\n\n\n\n\n#Segel Nord" + number + "\nwww.segelnord.example": "",
		"#Segel Nord\nKai 4, 24103 Kiel" + number:                             "",
		"#Segel Nord\nTel. 0431 5" + number:                                   "",
		"#Segel Nord\nKai 4\nTel. 0431 5" + number:                            "",
		"#Segel Nord\nKai 4\nHaus 2\nHof 3\nTel. 0431 5" + number:             "the document has an unknown title",
		small + low + "#Wartungsprotokoll" + number:                           "",
		"Seite 1" + small + "Lieferschein Nr. 5-1":                            "no title names the type of the document",
		"#Mahnung" + number:                        "reminder: the invoice is a document of its own",
		"#Kopie" + number:                          "copy: the original may be here already",
		"#Kopie" + small + "Lieferschein Nr. 5-1":  "copy: the original may be here already",
		"#Gutschrift\n#Rechnungskorrektur" + small: "",
		"#Rechnungskorrektur" + small:              "correction: credit note or corrected invoice?",
	} {
		var all []string
		for _, d := range Extract(layout(text))[0].Doubts {
			if d.Field == "type" {
				all = append(all, d.Text)
			}
		}
		if got := strings.Join(all, "; "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}
