package byrules

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
)

// layout is a page as sheets makes it; "#" begins a cell in large print.
func layout(text string) transcript.Transcription {
	const more = 0.005
	t := sheets(text)
	for _, p := range t.Pages {
		for i, l := range p.Lines {
			if rest, ok := strings.CutPrefix(l.Text, "#"); ok {
				p.Lines[i].Text, p.Lines[i].Box.Top, p.Lines[i].Box.Bottom = rest, l.Box.Top-more, l.Box.Bottom+more
			}
		}
	}
	return t
}

// read is what the rules read besides the lines, in a line; "?" is a guess by place.
func read(e extraction.Extraction) string {
	d := e.Data
	guess := func(path, value string) string {
		if e.Fields[path].Trust == extraction.ByPlace {
			value += "?"
		}
		return value
	}
	s := strings.Join([]string{string(e.Type), d.Number, guess("date", d.Date.String()), guess("supplier.name", d.Supplier.Name), ">",
		guess("buyer.name", d.Buyer.Name)}, " ")
	for _, d := range doubtsBesideLines(e) {
		s = strings.TrimSpace(s) + "; " + d.Text
	}
	return strings.TrimSpace(s)
}

// doubtsBesideLines leaves out that the papers of these tests have no lines.
func doubtsBesideLines(e extraction.Extraction) []extraction.Doubt {
	return slices.DeleteFunc(slices.Clone(e.Doubts), func(d extraction.Doubt) bool { return d.Field == "line_items" })
}

// The blocks of a page: the supplier without a legal form at the right, the window at the left.
const (
	rightBlock = `
                                                            Tischlerei Brandt
                                                            Gartenweg 4
                                                            26121 Oldenburg
`
	windowBlock = `





Weser Spedition AG
Am Kai 9
28195 Bremen


`
	footer = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
)

func TestLayouts(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "layouts")
	plainHead := "#Rechnung          Rechnungsnummer: T-5\nRechnungsdatum: 03.05.2026\n"
	for name, test := range map[string]struct{ text, want string }{
		// Parties by place and owner.
		"sole trader at the right": {rightBlock + windowBlock + plainHead,
			"invoice T-5 2026-05-03 Tischlerei Brandt? > Weser Spedition AG?"},
		"sole trader with a footer": {rightBlock + windowBlock + plainHead + footer + "Tischlerei Brandt · Inh. O. Brandt",
			"invoice T-5 2026-05-03 Tischlerei Brandt > Weser Spedition AG?"},
		"logo only": {" \n\n\n" + windowBlock + plainHead + footer + "www.tischlerei.example · IBAN DE89 3704 0044 0532 0130 00",
			"invoice T-5 2026-05-03  > Weser Spedition AG?"},
		"logo and a bank": {" \n\n\n" + windowBlock + plainHead + footer + "Nordsee Bank AG, IBAN DE89 3704 0044 0532 0130 00",
			"invoice T-5 2026-05-03  > Weser Spedition AG?"},
		"sender's line": {" \n\n\n\n\nMalerei Okoye · Ring 1 · 28195 Bremen\nWeser Spedition AG\nAm Kai 9\n28195 Bremen\n\n" + plainHead,
			"invoice T-5 2026-05-03 Malerei Okoye > Weser Spedition AG?"},
		"sender's line in the footer": {" \n\n\n" + windowBlock + plainHead + footer + "Malerei Okoye, Ring 1, 28195 Bremen",
			"invoice T-5 2026-05-03 Malerei Okoye > Weser Spedition AG?"},
		"domain in large print": {"#Lichthaus                              info@lichthaus.example\n" + windowBlock + plainHead,
			"invoice T-5 2026-05-03 Lichthaus > Weser Spedition AG?"},
		"window by a salutation": {"#Lichthaus          info@lichthaus.example\n\n\n\n\nFrau\nRosa Lind\nAm Kai 9\n28195 Bremen\n\n" + plainHead,
			"invoice T-5 2026-05-03 Lichthaus > Rosa Lind"},
		"labels outrank places": {rightBlock + windowBlock + "Lieferant:\nKranbau Jade\nHafen 1\n26789 Leer\n\nKunde:\nWerft Nord\nHafen 2\n26789 Leer\n\n" + plainHead,
			"invoice T-5 2026-05-03 Kranbau Jade > Werft Nord"},
		"a name of two lines": {"#Rechnung Nr. T-5 vom 03.05.2026\n\nVerkäufer:\nErste Oldenburger\nVersicherung AG\nRing 1\n\nKäufer:\nFrau\nRosa Lind\n",
			"invoice T-5 2026-05-03 Erste Oldenburger Versicherung AG > Rosa Lind"},
		"two names by place": {"Bootsbau Ems                                   Segel Hunte\nDeich 3                                        Deich 4\n26789 Leer" +
			"                                     26135 Oldenburg\n\n" + windowBlock + plainHead, "invoice T-5 2026-05-03  > Weser Spedition AG?"},
		"French letter": {"#Menuiserie Caron      contact@menuiseriecaron.example\n\n\n\n\nLibrairie du Lac\n3 rue Basse\n74000 Annecy\n\n#Facture n° 88\nDate : 03/05/2026\nTotal 5,00 €",
			"invoice 88 2026-05-03 Menuiserie Caron > Librairie du Lac?; nothing printed adds up to the total 5.00"},
		// Titles.
		"ERP": {"#Invoice 205118\nMay 3, 2026\n\n\n\n\n\n\nHarbour Cranes Ltd                            Bright Tools\n1 Dock Rd" +
			"                                      2 Mill Ln\n10115 Berlin                                  20095 Hamburg\n\nOrder No.        Due Date\n77310            June 2, 2026\n",
			"invoice 205118 2026-05-03? Bright Tools? > Harbour Cranes Ltd?; nothing on the page tells the supplier from the buyer; only one thing on the page names the supplier"},
		"insurer":                   {"#Rechnung des Versicherers Nr. 9-26 vom 03.05.2026\nVersicherungsvertrag Nr: 00.11.22", "invoice 9-26 2026-05-03  >"},
		"title goes on":             {"#Rechnung des Versicherers Nr. 9-26 vom\n03.05.2026\nLeistungsdatum 01.02.2026", "invoice 9-26 2026-05-03  >"},
		"the order's number first":  {"Bestellnummer: 4500-7\n\n#Rechnung\nRechnungsnummer: T-5", "invoice T-5   >"},
		"contract in the subject":   {"#Invoice\nContract No. C-9\nInvoice No. T-5", "invoice T-5   >"},
		"delivery note":             {"#Lieferschein\nLieferschein-Nr. L-3\nRechnungsnummer: T-5", "delivery-note L-3   >"},
		"no title":                  {"Order No. PO-77120\nDate: 2026-05-03", "purchase-order PO-77120 2026-05-03  >; no title names the type of the document"},
		"no title, and an invoice":  {"Order No. PO-77120\nInvoice No. T-5", "invoice T-5   >"},
		"unknown title":             {" \n\n\n\n\n\n\n\n\n\n\n#Lastschriftanzeige\nRechnungsnummer: T-5\nDatum: 03.05.2026\nSeite", "invoice T-5 2026-05-03  >; the document has an unknown title"},
		"Dutch":                     {"#Factuur\nFactuurnummer: F-31\nFactuurdatum: 03-05-2026\nVervaldatum: 17-05-2026\nTotaal 5,00 €\nInkooporder: 77", "invoice F-31 2026-05-03  >; nothing printed adds up to the total 5.00"},
		"Portuguese":                {"#Fatura\nFatura n.º FT-2/31\nData de emissão: 03/05/2026\nVencimento: 17/05/2026", "invoice FT-2/31 2026-05-03  >"},
		"Polish":                    {"#Faktura VAT\nNumer faktury: FV/31/05/2026\nData wystawienia: 2026-05-03\nData sprzedaży: 2026-05-01", "invoice FV/31/05/2026 2026-05-03  >"},
		"Swedish":                   {"#Faktura\nFakturanummer: 7712\nFakturadatum: 2026-05-03\nFörfallodatum: 2026-06-02", "invoice 7712 2026-05-03  >"},
		"Danish":                    {"#Faktura\nFakturanr. 7712\nFakturadato: 2026-05-03\nForfaldsdato: 2026-06-02", "invoice 7712 2026-05-03  >"},
		"Spanish, mark first":       {"#Factura\nNúmero de factura: A-9\nFecha de emisión: 2026-05-03\nFecha de entrega: 2026-05-01", "invoice A-9 2026-05-03  >"},
		"Italian":                   {"#Fattura\nNumero fattura: 12/A\nData fattura: 2026-05-03\nData ordine: 2026-04-01", "invoice 12/A 2026-05-03  >"},
		"Czech":                     {"#Faktura\nČíslo faktury: 26001\nDatum vystavení: 2026-05-03\nDatum splatnosti: 2026-06-02", "invoice 26001 2026-05-03  >"},
		"Finnish":                   {"#Lasku\nLaskun numero: 26001\nLaskun päiväys: 2026-05-03\nEräpäivä: 2026-06-02", "invoice 26001 2026-05-03  >"},
		"Dutch credit note":         {"#Creditnota\nCreditnota nr. C-3\nFactuurnummer: F-31", "credit-note C-3   >"},
		"Polish order confirmation": {"#Potwierdzenie zamówienia\nZamówienie nr 7", "order-confirmation    >"},
		"self-billed":               {"#Gutschrift (selbst ausgestellte Rechnung) Nr. S-4 vom 03.05.2026\nSeite 1", "invoice S-4 2026-05-03  >"},
		// Titles that ask for no payment, or not again.
		"pro forma":          {"#Proforma-Rechnung\nRechnungsnummer: T-5", "T-5   >; pro forma invoice: not to be paid"},
		"French pro forma":   {"#Facture pro forma n° 5\nDate : 2026-05-03", "5 2026-05-03  >; pro forma invoice: not to be paid"},
		"copy":               {"#Rechnung          #Kopie\nRechnungsnummer: T-5", "invoice T-5   >; copy: the original may be here already"},
		"Spanish duplicate":  {"#Factura duplicado\nFactura n.º A-9", "invoice A-9   >; copy: the original may be here already"},
		"reminder":           {"#2. Mahnung\nRechnungsnummer: T-5\nDatum: 03.05.2026", "T-5 2026-05-03  >; reminder: the invoice is a document of its own"},
		"Dutch reminder":     {"#Aanmaning\nFactuurnummer: F-31", "F-31   >; reminder: the invoice is a document of its own"},
		"quotation":          {"#Quotation\nInvoice No. T-5", "T-5   >; quotation: nothing is owed yet"},
		"statement":          {"#Statement of account\nInvoice No. T-5", "T-5   >; statement of account: the invoices are documents of their own"},
		"correction":         {"#Rechnungskorrektur Nr. K-2\nzu Rechnung Nr. T-5", "credit-note K-2   >; correction: credit note or corrected invoice?"},
		"offer in the text":  {"#Rechnung\nRechnungsnummer: T-5\ngemäß unserem Angebot vom 01.02.2026", "invoice T-5   >"},
		"number of an offer": {"#Rechnung\nAngebot      A-77\nRechnungsnummer: T-5", "invoice T-5   >"},
		// Numbers and dates.
		"blanks":               {"#Rechnung      Rechnungsnummer: 2026 / 000 91", "invoice 2026 / 000 91   >"},
		"groups of digits":     {"#Rechnung\nRechnungsnummer:     481 220 07", "invoice 481 220 07   >"},
		"words after a number": {"#Rechnung\nRechnungsnummer: 4812 Seite 1", "invoice 4812   >"},
		"place and date":       {"#Rechnung Nr. T-5\nOldenburg, den     03.05.2026" + footer + footer + "Datum: 02.05.2026 Zeit: 04:59", "invoice T-5 2026-05-03  >"},
		"only a printing date": {"#Rechnung Nr. T-5" + footer + footer + "Datum: 02.05.2026 Zeit: 04:59", "invoice T-5   >"},
		"several in a cell":    {"#Rechnung Nr. T-5\nLieferdatum 01.05.2026, Rechnungsdatum 03.05.2026", "invoice T-5 2026-05-03  >"},
		"delivery by the invoice's day": {"#Rechnung Nr. T-5\nLieferdatum:     01.05.2026\nRechnungs- und Leistungsdatum:     03.05.2026",
			"invoice T-5 2026-05-03  >"},
		"of a cited invoice": {"#Facture n° 5\nDate : 2026-05-03\nDate de facture associée : 2026-01-01", "invoice 5 2026-05-03  >"},
		"no own date":        {"#Invoice No. 5\nDelivery date\n2026-05-03\nPayment date: 2026-06-02", "invoice 5   >"},
	} {
		found := seen.extract(layout(test.text))
		if got := read(found[0]); len(found) != 1 || strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(test.want), " ") {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// Of an invoice without a label for a party, only the setting knows who we are.
func TestOwnCompanyIsNeverTheSupplier(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/own-company-is-never-the-supplier")
	own := document.Party{Name: "Weser Spedition AG", VATID: "DE136695976"}
	for name, test := range map[string]struct{ text, want string }{
		"in the window":         {rightBlock + windowBlock + "#Rechnung Nr. T-5", "Tischlerei Brandt > Weser Spedition AG"},
		"two blocks at the top": {" \n\n\n\n\n\nKranbau Jade\nHafen 1\n26382 Jever\n\nWeser Spedition AG\nAm Kai 9\n28195 Bremen\n\n#Rechnung Nr. T-5", "Kranbau Jade > Weser Spedition AG"},
		"below the title":       {"Nordlicht GmbH\n\n#Rechnung Nr. T-5\nWeser Spedition AG\nUSt-IdNr. DE136695976", "Nordlicht GmbH > Weser Spedition AG"},
		"alone":                 {"Weser Spedition AG\n\n#Rechnung Nr. T-5", "> Weser Spedition AG"},
		"its own invoice":       {"Weser Spedition AG\n\n\n\n\n\n\nKranbau Jade\nHafen 1\n26382 Jever\n\n#Rechnung Nr. T-5", "> Kranbau Jade"},
	} {
		d := seen.asIs(layout(test.text), own)[0].Data
		if got := strings.TrimSpace(d.Supplier.Name + " > " + d.Buyer.Name); got != test.want || d.Supplier.VATID != "" {
			t.Errorf("%s: got %q, VAT id %q; want %q", name, got, d.Supplier.VATID, test.want)
		}
	}
}
