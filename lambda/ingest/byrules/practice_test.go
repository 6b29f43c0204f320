package byrules

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
)

// Kinds of papers from practice, each with a text of its own.
func TestPractice(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/practice")
	for name, test := range map[string]struct{ text, want string }{
		// Numbers.
		"number below the title": {`
Norden Pumps Ltd                                        DISPATCH NOTE
4 Quay Road                                                  K/7-1190
Hull HU1 2AB                                               21/05/2026`,
			"delivery-note K/7-1190 2026-05-21? Norden Pumps Ltd >"},
		"heads in one cell": {`
Prairie Paper LLC                                          INVOICE
12 Main St                                  INVOICE # INVOICE DATE
Dayton OH 45402                             0071190 05/23/2026
Sold to: QX77                     Ship to:
Rosa's Bakery Inc                 Rosa's Kitchen
1 Elm St                          2 Oak St`,
			"invoice 0071190 2026-05-23 Prairie Paper LLC > Rosa's Bakery Inc"},
		"initials behind the mark": {`
Tôlerie Brun SA
#Accusé de réception de commande
N° ARC             Date              Code client
ARC-771            23/05/2026        C-88`,
			"order-confirmation ARC-771 2026-05-23 Tôlerie Brun SA >"},
		"initials in front of a mark": {`
Weser Spedition AG
          #WARENEINGANGSSCHEIN
WE-Beleg        : 4711902              Buchungsdatum : 05.05.2026
Bestellung      : 450077               Belegdatum    : 03.05.2026
Lieferant       : 70412   Jade Kran KG`,
			"goods-receipt 4711902 2026-05-05 Jade Kran KG > Weser Spedition AG"},
		"heads of other papers": {`
MIDLAND TOOLS INC.
          GOODS RECEIPT NOTE
RECEIPT NO.      RECEIPT DATE      PO NUMBER      VENDOR
R-5517           05/23/2026        610077         V-338   CRANE SEALS CO.

PACKING SLIP     CARRIER           PRO NO.        FREIGHT
88-201           OLD ROAD          771-40         PREPAID`,
			"goods-receipt R-5517 2026-05-23 CRANE SEALS CO. > MIDLAND TOOLS INC."},
		"title in a head": {`
Officine Galli S.r.l.

TIPO DOCUMENTO             NUMERO      DATA
FATTURA (originale)        77/A        23/05/2026`,
			"invoice 77/A 2026-05-23 Officine Galli S.r.l. >"},
		"title in capitals": {`
Molino Serra S.R.L.

ORDINE D'ACQUISTO N. 0077/2026 del 3 maggio 2026`,
			"purchase-order 0077/2026 2026-05-03  > Molino Serra S.R.L."},
		"title in capitals, and an invoice": {`
BESTELLUNG Nr. 77
Rechnungsnummer: T-5`, "invoice T-5   >"},
		"letter that orders": {`
Bakkerij Zon B.V.
Dorpsstraat 4
4354 AB Domburg

Aan:   Meel Goes V.O.F.
       Kade 8
       4463 AC Goes

Domburg, 3 mei 2026

Betreft: bestelling nr. 2026-9

Graag bestellen wij voor levering op vrijdag:`,
			"purchase-order 2026-9 2026-05-03 Meel Goes V.O.F. > Bakkerij Zon B.V."},
		"letter about an order": {`
Bakkerij Zon B.V.
Onderwerp: bestelling nr. 2026-9
Waar blijft onze bestelling?`,
			"purchase-order 2026-9   > Bakkerij Zon B.V.; no title names the type of the document"},
		// Dates.
		"date of a cited paper": {`
#Gutschrift                             Nr.         90012
(Rechnungskorrektur)                    Datum       24.05.2026
Zu unserer Rechnung    90009318   vom 29.04.2026`,
			"credit-note 90012 2026-05-24  >"},
		"date of a cited paper below": {`
#Auftragsbestätigung             AB 77
Datum                            14.05.2026
Ihre Bestellung                  450077
vom                              12.05.2026`,
			"order-confirmation AB 77 2026-05-14  >"},
		"date below the number": {`
Pépinières Brun SARL                    #BON DE LIVRAISON
Le Mas 3                                N° BL 0145
Tél. 05 55 00                           du 20 mai 2026`,
			"delivery-note BL 0145 2026-05-20 Pépinières Brun SARL >"},
		// Parties.
		"salesperson": {`
MADERAS RUIZ, S.A.

FACTURA Nº         FECHA            VENDEDOR         HOJA
A26/77             23-05-2026       07               1 de 1`,
			"invoice A26/77 2026-05-23 MADERAS RUIZ, S.A. >"},
		"sole trader": {`
Anna Pohl
Polsterei
Kirchgasse 3, 97318 Kitzingen
Tel. 09321 55

An die
Kanzlei Brand
Ritterstr. 17
97318 Kitzingen

#Rechnung Nr. 14
Kitzingen, den 3. Mai 2026`,
			"invoice 14 2026-05-03 Anna Pohl? > Kanzlei Brand; another company may be the supplier"},
		"postcode alone": {`
Alder Stationers Ltd
Bridge Street 11
          #CREDIT NOTE


Finch LLP                                  Credit Note: CN/2
The Old House                              Date: 9 May 2026
Water Street
Chester
CH1 2LB`,
			"credit-note CN/2 2026-05-09 Alder Stationers Ltd > Finch LLP?"},
		"comma before the form": {`
TACOMA BELTS, INC.
#Invoice No. 5`, "invoice 5  TACOMA BELTS, INC. >"},
		"seller's order on its confirmation": {`
RIVER BOLTS CO.                                         SALES ORDER ACKNOWLEDGEMENT
6100 Dock Ave

ORDER NO            ORDER DATE          CUST NO            CUSTOMER PO
0774-00             05/23/26            10447              B-903

LN    ITEM DESCRIPTION             ORDERED       PRICE       EXTENSION
1     3/8-16X1 HEX SCREW               100      0.1420           14.20`,
			"order-confirmation 0774-00 2026-05-23? RIVER BOLTS CO. >"},
		"an order on a confirmation": {`
RIVER BOLTS CO.
#SALES ORDER ACKNOWLEDGEMENT
ORDER NO            ORDER DATE
0774-00             05/23/26`, "order-confirmation  2026-05-23? RIVER BOLTS CO. >"},
		"order with the title in three cells": {`
CAMICIE SERRA S.R.L.
Via Alta 31 - 20064 Gorgonzola (MI)

                               Spett.le
                               Tessitura Figli S.p.A.
                               Via Magenta 8
                               13900 BIELLA

ORDINE A FORNITORE   N. 1093/2026   DEL 15/05/2026`,
			"purchase-order 1093/2026 2026-05-15 Tessitura Figli S.p.A. > CAMICIE SERRA S.R.L."},
		"goods receipt slip": {`
#GOODS RECEIPT SLIP                          5000447
Goods receipt date     17.05.2026
Vendor                 0000204417
Name                   Kaolin Works Ltd`, "goods-receipt 5000447 2026-05-17? Kaolin Works Ltd >; the date has an unknown label"},
		"delivered to the buyer": {`
Order - Purchase

Glaze Profiles Limited                     Ellerby Windows Ltd
Attn. Sales Office                         Marfleet Park
Ashby Road                                 Hull HU9 5NB
Coalville
LE67 3LA                                   Order No.        PO-1033
Buy-from Vendor No.    V00214              Document Date    23/05/26

Ship-to Address
Ellerby Windows Ltd
Gate B`, "purchase-order PO-1033 2026-05-23 Glaze Profiles Limited > Ellerby Windows Ltd"},
		"mail that orders": {`
From: Rhonda <rhonda@castile.example>
Subject: PO 77120 - Wichita job

Hi Marty,

Please enter the following purchase order for us.

Castile Mechanical, Inc.
Purchase Order #: 77120
PO Date: 05/23/2026
Vendor: Allen Brothers Pipe & Supply`,
			"purchase-order 77120 2026-05-23 Allen Brothers Pipe & Supply > Castile Mechanical, Inc.; only one thing on the page names the supplier"},
		"name longer than its domain": {`
#Invoice 5
BLUE HERON SIGNS & GRAPHICS
Foundry Works
accounts@blueheronsigns.example`, "invoice 5  BLUE HERON SIGNS & GRAPHICS >"},
		"cheques": {`
#Invoice 5
Make checks payable to Heron Signs.`, "invoice 5  Heron Signs >"},
		"tagline and address in a line": {`
Malerbetrieb Uwe Stoll
Meisterbetrieb seit 1988
Ahornweg 6 · 37154 Northeim · Tel. 05551 5

#Rechnung Nr. 5`, "invoice 5  Malerbetrieb Uwe Stoll? >"},
		"day first by the language": {`
Abonos Norte, S.L.

ALBARÁN Nº            FECHA            SU PEDIDO
A/26/55               06-05-2026       SI-19`, "delivery-note A/26/55 2026-05-06 Abonos Norte, S.L. >; no title names the type of the document"},
		"title and its day": {`
VELA TELECOM SAS                                  Votre facture du 3 mai 2026
N° de facture        F26-7
Ligne                du 01/04/2026 au 30/04/2026
Montant prélevé le 18/05/2026`, "invoice F26-7 2026-05-03 VELA TELECOM SAS >"},
		"a credit note's invoice": {`
Vela Telecom SAS
#Avoir n° A-9
Votre facture du 3 mai 2026
Lille, le 18/05/2026`, "credit-note A-9 2026-05-18 Vela Telecom SAS >"},
		"a period alone": {`
Vela Telecom SAS
#Facture n° F26-8
01/04/2026 - 30/04/2026`, "invoice F26-8  Vela Telecom SAS >"},
		"days of a period": {`
Vela Telecom SAS
#Facture n° F26-8
Du 01/04/2026 au 30/04/2026
Lille, le 03/05/2026`, "invoice F26-8 2026-05-03 Vela Telecom SAS >"},
		// Addressed by an attention line, with a logo as letterhead.
		"attention below the name": {`
Zilver Software B.V.
t.a.v. de administratie
Stationsplein 8
3511 ED  UTRECHT

#Factuur
Factuurnummer: 2670
` + strings.Repeat("\n", 40) + `
Party De Gouden Vork      Weg 3, 3431 BK Nieuwegein
www.degoudenvork.example`, "invoice 2670  Party De Gouden Vork > Zilver Software B.V.; only one thing on the page names the supplier"},
		"Portuguese salutation": {`
Vinhos Serra, Lda.
#Fatura n.º 26-7

Exmo.(s) Sr.(s)
Cantinas Reunidas, S.A.
Rua Nova 3
1100-042 Lisboa`, "invoice 26-7  Vinhos Serra, Lda. > Cantinas Reunidas, S.A."},
		"heads that read as labels": {`
#Facture n° 26-7
Pos.     Prestation       Nombre     Prix CHF     Total CHF
1        Analyse              2         8.10         16.20`, "invoice 26-7   >"},
		"title above a label": {`
GOODS RECEIPT SLIP                                Page: 1
Plant            Lark Foods Ltd
Delivery note    DN-552
Bill of lading`, "goods-receipt    > Lark Foods Ltd; nothing on the page tells the supplier from the buyer"},
		"number and date of an order": {`
Wharf Trading PLC                                  #PURCHASE ORDER
                                                   PO number/date
                                                   45002177 / 06.03.2026`, "purchase-order 45002177 2026-03-06  > Wharf Trading PLC"},
		"number and date of an invoice": {`
Wharf Trading PLC                                  #Rechnung
                                                   Nummer / Datum
                                                   90034177 / 14.03.2026`, "invoice 90034177 2026-03-14 Wharf Trading PLC >"},
		"dates below a head": {`
Corrib Haulage Ltd
Business Park, Co. Galway
#INVOICE CS-206
Date         Consignment
12/02/26     883102
13/02/26     883140`, "invoice CS-206  Corrib Haulage Ltd >"},
		"a day behind a place": {`
Corrib Haulage Ltd
#INVOICE CS-206
Oranmore, dnia 12.02.2026 r.`, "invoice CS-206 2026-02-12 Corrib Haulage Ltd >"},
		"a day with an unknown label": {`
Corrib Haulage Ltd
#INVOICE CS-206
Qwertz       12 February 2026`, "invoice CS-206 2026-02-12? Corrib Haulage Ltd >; the date has an unknown label"},
		"a day without a label": {`
Corrib Haulage Ltd
#INVOICE CS-206
12 February 2026`, "invoice CS-206 2026-02-12? Corrib Haulage Ltd >"},
		"dates below each other": {`
Corrib Haulage Ltd                            #INVOICE CS-206
Invoice date
                                              12/02/26
Supply
                                              13/02/26`, "invoice CS-206 2026-02-12 Corrib Haulage Ltd >"},
		"a seller's order and the customer's": {`
Fensterbau Lind GmbH
#Auftragsbestätigung
Auftragsnr.        VA26-7
Ihre Bestellnr.    EK-118`, "order-confirmation VA26-7  Fensterbau Lind GmbH >"},
		"an order of one of them": {`
Fensterbau Lind GmbH
#Auftragsbestätigung
Auftragsnr.        VA26-7`, "order-confirmation   Fensterbau Lind GmbH >"},
		"large letterhead": {`
          #Hotel Puerta del Mar
     Avda. Mayor, 3 · 30500 Molina · Tel. 968 55

FACTURA H-77                          Clima Levante, S.A.
Fecha: 16/05/2026`, "invoice H-77 2026-05-16 Clima Levante, S.A. >; nothing on the page tells the supplier from the buyer"},
		// What stands there if the printed title, name or date is a picture.
		"title in a picture": {`
Weser Spedition AG

Rechnungs-Nr.            RE-5502
Rechnungsdatum           16.05.2026
Lieferschein             LS-4417`, "invoice RE-5502 2026-05-16 Weser Spedition AG >"},
		"receipt's title in a picture": {`
Weser Spedition AG

Bestellung            450077
Lieferschein          LS-4417
Buchungsdatum         16.05.2026`, "delivery-note LS-4417 2026-05-16? Weser Spedition AG >; no title names the type of the document; the date has an unknown label"},
		"letterhead in a picture": {`
Metallbau Oetjen GmbH
Hauptstraße 112
27412 Tarmstedt

#Gutschrift Nr. 9` + footer + footer + "Nordmark Handel KG, Sitz Norderstedt", "credit-note 9  Nordmark Handel KG > Metallbau Oetjen GmbH?"},
		"a court": {`
#Rechnung Nr. 9` + footer + footer + "Genossenschaftsregister AG Osnabrück GnR 2001", "invoice 9   >"},
		"date in a sentence": {`
#Rechnung Nr. 9
Ihre Meldung telefonisch durch Herrn Oetjen 12.05.2026`, "invoice 9   >"},
		"a till's stamp": {`
#Rechnung Nr. 9` + footer + "12.05.2026   13:50   T2", "invoice 9 2026-05-12?  >"},
		"date of a line": {`
#Rechnung Nr. 9` + footer + "12.05.2026   Bar", "invoice 9   >"},
	} {
		if got := read(seen.asIs(layout(test.text))[0]); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}

// Pages may count themselves with a label and a number in two cells, and a title may name a page.
func TestPageCountsInCells(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/page-counts-in-cells")
	for name, text := range map[string]string{
		"label and count": "#Rechnung\nBeleg            R-77\nDatum            28.05.2026\nSeite            1/2\n-----\nRechnung R-77 vom 28.05.2026            Seite 2 / 2",
		"Italian":         "Officine Galli S.r.l.            Pag. 1/2\nFATTURA            77/A\n-----\nOfficine Galli S.r.l.            Pag. 2/2\nFattura n. 77/A del 27/05/2026",
	} {
		if found := seen.asIs(layout(text)); len(found) != 1 || len(found[0].Doubts) > 0 {
			t.Errorf("%s: got %d documents, doubts %v", name, len(found), found[0].Doubts)
		}
	}
}

// A company alone may be the customer in the window of the envelope.
func TestPartiesAreTold(t *testing.T) {
	t.Parallel()
	seen := newPapers(t, "read/parties-are-told")
	const window = `
LUMA ENERGÍA                         #Factura n.º 26-7
                                     Mercados Oliva, S.L.
                                     Avda. Juan Carlos, 58
                                     30009 Murcia
Fecha: 05/05/2026`
	const right = `
Bar Luna, S.L.                       Mercados Oliva, S.L.
Calle Sol, 5                         Avda. Juan Carlos, 58
30001 Murcia                         30009 Murcia`
	const title = "\n\n#Factura n.º 26-7\nFecha: 05/05/2026"
	foot := strings.Repeat("\n", 50)
	const order = `
Krankenhaus Burgtal
Materialwirtschaft

Medi Hohenau GmbH                    #Bestellung
Mayerstr. 18                         Bestell-Nr.      4700338
74653 Künzel                         Datum            16.05.2026
Fax 07940 5519`
	for name, test := range map[string]struct {
		text string
		own  []document.Party
		told bool
	}{
		"a customer in the window": {window, nil, false},
		"our company in it":        {window, []document.Party{{Name: "Mercados Oliva, S.L."}}, true},
		"with the sender's label":  {strings.Replace(window, "Mercados", "Proveedor: Mercados", 1), nil, true},
		"with a label":             {strings.Replace(window, "Mercados", "Cliente: Mercados", 1) + "\nwww.lumaenergía.example", nil, true},
		"with its own domain":      {window + "\nwww.mercadosoliva.example", nil, true},
		"a mail to the customer":   {"An:  kauf@mercadosoliva.example" + window, nil, false},
		"a slip of the customer":   {window + foot + "Mercados Oliva, S.L. · Murcia", nil, false},
		"the customer's telephone": {window + "\n                                     Tel. 968 20 33", nil, false},
		"the sender's telephone":   {right + "\nTel. 968 20 44" + title, nil, true},
		"the other's telephone":    {right + "\n                                     Tel. 968 20 33" + title, nil, false},
		"two telephones":           {right + "\nTel. 968 20 44                       Tel. 968 20 33" + title, nil, false},
		"the sender's account":     {right + title + foot + "Mercados Oliva, S.L.    IBAN DE89 3704 0044 0532 0130 00", nil, true},
		"the first name":           {strings.Replace(window, "LUMA ENERGÍA", "", 1), nil, true},
		"an order to the second":   {order, nil, false},
		"an order with a buyer":    {order + "\nBesteller            Klinik Burgtal GmbH" + strings.Repeat("\n", 20), nil, true},
		"a labelled order":         {order + "\nAnlieferung in Burgtal\nLieferant: Medi Hohenau GmbH", nil, true},
	} {
		if doubts := doubtsBesideLines(seen.asIs(layout(test.text), test.own...)[0]); (len(doubts) == 0) != test.told {
			t.Errorf("%s: got the doubts %v", name, doubts)
		}
	}
}
