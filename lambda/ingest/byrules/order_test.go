package byrules

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
)

// An order and a receipt of goods come from the buyer: its letterhead, sender's line and footer are
// the buyer's, and the addressee is the supplier, unless labels say otherwise.
func TestPapersFromBuyer(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "from-buyer")
	own := document.Party{Name: "Weser Spedition AG", VATID: "DE136695976"}
	for name, tc := range map[string]struct{ text, want string }{
		"letterhead and window": {`
WESER SPEDITION AG
Am Kai 9
28195 Bremen                                           #PURCHASE ORDER

                                                       PO Number: 4500187
                                                       Date: 14 March 2026
Copper & Steel Ltd
22 Foundry Road
Sheffield S9 2PL

Item   Description             Qty     Unit Price     Total
1      Copper tube              40          4.20     168.00




VAT ID DE136695976
Registered office: Weser Spedition AG, Am Kai 9, Bremen`,
			"purchase-order 4500187 2026-03-14 Copper & Steel Ltd? > WESER SPEDITION AG, Copper tube, buyer DE136695976"},
		"vendor's label": {`
#PURCHASE ORDER                                  PO #: 2026-3312
                                                Date: 2026-03-22
Vendor                                          Ship To
Acme Fasteners Inc.                             Bluewater Marine LLC
4 Industrial Way                                77 Dock Street

Item #     Description               Qty    Unit Price    Amount
AF-200     Hex bolt M10               300       0.25       75.00`,
			"purchase-order 2026-3312 2026-03-22 Acme Fasteners Inc. > Bluewater Marine LLC, Hex bolt M10"},
		"two labelled names below each other": {`
#PURCHASE ORDER
Order number:   PO-10442          Order date:   2026-05-04
Buyer:          Crane Books Limited
Supplier:       Harbour Paper Ltd
Delivery date:   2026-05-20`,
			"purchase-order PO-10442 2026-05-04 Harbour Paper Ltd > Crane Books Limited"},
		"addressee's label": {`
#ORDER No. 77
Bluewater Marine LLC
To:
Acme Fasteners Inc.
4 Industrial Way`,
			"purchase-order 77 Acme Fasteners Inc. > Bluewater Marine LLC"},
		"labels against a letterhead": {`
Crane Holding Ltd
1 Dock Street                                    #PURCHASE ORDER
Order number:   PO-10442
Buyer:          Crane Books Limited
Supplier:       Harbour Paper Ltd`,
			"purchase-order PO-10442 Harbour Paper Ltd > Crane Books Limited"},
		"only where the goods go": {`
#ORDER No. 77
Bluewater Marine LLC
Ship to:
Harbour Storage Ltd`,
			"purchase-order 77 > Bluewater Marine LLC"},
		"labels for both": {`
#BON DE COMMANDE N° BC-118
Acheteur :                                   Fournisseur :
Ateliers Dupont SARL                         Visserie Lambert SAS`,
			"purchase-order BC-118 Visserie Lambert SAS > Ateliers Dupont SARL"},
		"receipt of goods": {`
#Goods Received Note                       GRN No. GR-5512
Bluewater Marine LLC                      Received on: 2026-03-29
Supplier: Acme Fasteners Inc.`,
			"goods-receipt GR-5512 2026-03-29 Acme Fasteners Inc. > Bluewater Marine LLC"},
		"an order from us to ourselves by its labels": {`
#ORDER No. 77
Supplier: Weser Spedition AG
Buyer: Harbour Storage Ltd`,
			"purchase-order 77 > Harbour Storage Ltd"},
		"an invoice to an addressee": {`
#INVOICE No. 77
Bluewater Marine LLC
To:
Acme Fasteners Inc.`,
			"invoice 77 Bluewater Marine LLC > Acme Fasteners Inc."},
		"PO Box is no number": {`
#PURCHASE ORDER
PO BOX 1234`,
			"purchase-order >"},
	} {
		e := seen.extract(layout(tc.text), own)[0]
		got := read(e)
		for _, l := range e.Data.Lines {
			got += ", " + l.Description
		}
		if at := e.Data.Supplier.Address + e.Data.Buyer.Address; strings.Contains(at, "2026") {
			t.Errorf("%s: the address is %q", name, at)
		}
		if id := e.Data.Buyer.VATID; id != "" {
			got += ", buyer " + id
		}
		if got = strings.Join(strings.Fields(got), " "); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tc.want)
		}
	}
}

// Without a label and a window, the only company with an address is the supplier, however often it
// is printed.
func TestOnlyAddressIsSupplier(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/only-address-is-supplier")
	const acme, harbour = "\n\nAcme Fasteners GmbH\nIndustrieweg 4\n50667 Köln", "\n\nHarbour Paper GmbH\nRing 3\n20095 Hamburg"
	for below, want := range map[string]string{"": "", acme: "Acme Fasteners GmbH", acme + acme: "Acme Fasteners GmbH", acme + harbour: "",
		acme + harbour + acme: ""} {
		d := seen.asIs(layout("\nBluewater Marine LLC\n#ORDER No. 77" + strings.Repeat("\n", 40) + below))[0].Data
		if d.Supplier.Name != want || d.Buyer.Name != "Bluewater Marine LLC" {
			t.Errorf("%q: %q > %q", below, d.Supplier.Name, d.Buyer.Name)
		}
	}
}

// In print of one size, a type with a number in the first row is the title, but a labelled number
// isn't.
func TestTitleInFirstRow(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/title-in-first-row")
	for text, want := range map[string]string{
		"Invoice 103999\nOrder No.\n101777":                        "invoice 103999",
		"Muster GmbH              Bestellung 7700123\nPos   Menge": "purchase-order 7700123",
		"Order No. 101777\nInvoice No. 103999":                     "invoice 103999",
	} {
		e := seen.asIs(sheets(text))[0]
		if got := string(e.Type) + " " + e.Data.Number; got != want || len(doubtsBesideLines(e)) > 0 {
			t.Errorf("%q: got %s, %v, want %s", text, got, e.Doubts, want)
		}
	}
}

// The description is the column of this name, beside one of codes or numbers.
func TestDescriptionBesideCodes(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/description-beside-codes")
	for head, want := range map[string]string{
		"Item     Description":     "Hex bolt",
		"Item #   Description":     "Hex bolt",
		"Artikelnr.   Bezeichnung": "Hex bolt",
		"Item     Article":         "", // which of the two is unknown
		"Article  Item":            "Hex bolt",
	} {
		e := seen.asIs(sheets("Invoice No. 1\n" + head + "              Qty     Price      Total\n47 11    Hex bolt                  2     10.00      20.00"))[0]
		if len(e.Data.Lines) != 1 || e.Data.Lines[0].Description != want {
			t.Errorf("%s: got %+v", head, e.Data.Lines)
		}
	}
}

// The head of the lines' amounts is no label of the total, which stands below them. Nobody pays an
// order, but it needs a person if a greater amount is printed than the one found.
func TestTotalsOfOrders(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "order-totals")
	const head = `
#Auftragsbestätigung   AB-2207
Pumpen Elbtal GmbH                                       Datum   14.01.2026
Pos   Bezeichnung            Menge     Preis EUR     Gesamt EUR
1     Kreiselpumpe KP 3          4        112,50         450,00
2     Dichtung                 200   14,00 / 100          28,00
`
	for sums, want := range map[string]string{
		`
Warenwert netto                                          478,00
19 % USt                                                  90,82
Auftragswert                                             568,82`: "568.82",
		`
Warenwert netto                                          478,00
19 % USt                                                  90,82
Wir buchen ab                                            568,82`: "568.82", // as subtotal and tax make it
		`
Warenwert netto                                          478,00
Frachtpauschale                                           28,50
19 % USt                                                  96,24
Wir buchen ab                                            602,74`: "", // not 450.00, below Gesamt EUR
		`
Gesamt                                                   478,00
Ihr Kreditrahmen                                       5.000,00`: "478",
		`
Gesamt                                                   450,00
Wir buchen ab                                            568,82`: "450; nothing printed adds up to the total 450.00, and a greater amount is printed",
	} {
		e := seen.extract(layout(head + sums))[0]
		got := e.Data.Total.Canonical()
		for _, d := range e.Doubts {
			got += "; " + d.Text
		}
		if e.Type != document.OrderConfirmation || got != want {
			t.Errorf("%s: got %s %s, want %s", sums, e.Type, got, want)
		}
	}
}

// Heads are abbreviated, and stand close together.
func TestHeadsOfOrders(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/heads-of-orders")
	for text, want := range map[string]string{`
#BON DE COMMANDE N° BC 2025 4418
Lig   Référence   Désignation          Quant. Un.   P.U. H.T.   Rem.% Montant HT
001   PT450       Pot blanc 450 g          36 MIL      84,500           3 042,00
002   CRT-12      Caisse carton           100 PCE       0,400    5,0       38,00`: "36 84.5 3042 Pot blanc 450 g; 100 0.4 38 Caisse carton",
		`
#PURCHASE ORDER NO: PO-771
LN   PART NO   DESCRIPTION              QTY   UOM    PRICE     VALUE   DUE
1    CFT-M10   Hex set screw M10         12   BOX    41.30    495.60   17/03/26`: "12 41.3 495.6 Hex set screw M10",
		`
#LIEFERSCHEIN L-20718
Art.-Nr.     Ware                            Menge
S-2210       Sommergerste                   720 kg`: "720   Sommergerste",
	} {
		if got := linesText(seen, text); got != want {
			t.Errorf("got %s, want %s in %s", got, want, text)
		}
	}
}

// Titles of despatch, receipt and acknowledgement, as they are printed without accents, too.
func TestTitlesOfSlips(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/titles-of-slips")
	for title, want := range map[string]document.Type{"DESPATCH NOTE": document.DeliveryNote, "Dispatch Advice": document.DeliveryNote,
		"Advice Note": document.DeliveryNote, "Receiving Report": document.GoodsReceipt, "BON DE RECEPTION": document.GoodsReceipt,
		"Sales Order Acknowledgment": document.OrderConfirmation, "ACCUSE DE RECEPTION DE COMMANDE": document.OrderConfirmation} {
		if e := seen.asIs(layout("#" + title + " No. 4471\nNorth Mill Ltd      Date 14.01.2026"))[0]; e.Type != want || e.Data.Number != "4471" {
			t.Errorf("%s: got %s %s, want %s 4471", title, e.Type, e.Data.Number, want)
		}
	}
}

// A label with a value to its right heads no block, and a date that is asked for isn't the order's.
func TestLabelsInLists(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "lists")
	for text, want := range map[string]string{
		`
Tarnbeck Cycles Ltd
14 Mill Lane, Skipton BD23 1AB
                              #PURCHASE ORDER
Order No   : PO-20417                        Date      : 04/08/2025
Buyer      : H. Askwith                      Currency  : GBP
Page       : 1 / 1                           Terms     : 30 days net
Supplier   : Ferrowick Components Ltd        Deliver to: Tarnbeck Cycles Ltd`: "purchase-order PO-20417 2025-08-04 Ferrowick Components Ltd > Tarnbeck Cycles Ltd",
		`
Gastro-Service Lindner e.K., Weinstr. 70, 55232 Alzey
Seniorenstift St. Elisabeth gGmbH               #Rechnung
Berliner Straße 4                               Nummer         2026/000871
55283 Nierstein                                 Datum          31.01.2026
                                                Kunde          D-40213
                                                Tour           07 / Di`: "invoice 2026/000871 2026-01-31 Gastro-Service Lindner e.K. > Seniorenstift St. Elisabeth gGmbH?",
		`
Valley School District                          #PURCHASE ORDER
P.O. NO.     P.O. DATE    VENDOR NO.    DATE REQUIRED    TERMS
26-01883     02/27/2026   H1140         06/15/2026       Net 45
VENDOR
Hartwell Scientific, Inc.`: "purchase-order 26-01883 2026-02-27 Hartwell Scientific, Inc. > Valley School District?; only one thing on the page names the buyer",
	} {
		if got := read(seen.extract(layout(text))[0]); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
