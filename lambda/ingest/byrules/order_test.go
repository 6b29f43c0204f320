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
		e := Extract(layout(tc.text), own)[0]
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

// In print of one size, a type with a number in the first row is the title, but a labelled number
// isn't.
func TestTitleInFirstRow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Invoice 103999\nOrder No.\n101777":                        "invoice 103999",
		"Muster GmbH              Bestellung 7700123\nPos   Menge": "purchase-order 7700123",
		"Order No. 101777\nInvoice No. 103999":                     "invoice 103999",
	} {
		e := Extract(sheets(text))[0]
		if got := string(e.Type) + " " + e.Data.Number; got != want || len(e.Doubts) > 0 {
			t.Errorf("%q: got %s, %v, want %s", text, got, e.Doubts, want)
		}
	}
}

// The description is the column of this name, beside one of codes or numbers.
func TestDescriptionBesideCodes(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"Item     Description":     "Hex bolt",
		"Item #   Description":     "Hex bolt",
		"Artikelnr.   Bezeichnung": "Hex bolt",
	} {
		e := Extract(sheets("Invoice No. 1\n" + head + "              Qty     Price      Total\n47 11    Hex bolt                  2     10.00      20.00"))[0]
		if len(e.Data.Lines) != 1 || e.Data.Lines[0].Description != want {
			t.Errorf("%s: got %+v", head, e.Data.Lines)
		}
	}
}
