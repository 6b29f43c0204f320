package byrules

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/transcript"
)

// Each word heads its column, however it is written, and nothing else does.
func TestColumnWords(t *testing.T) {
	t.Parallel()
	for name, words := range map[string]string{
		"position": "Pos, Pos., Position, #, Nr., No., N°, LN, Lig., Ligne, Lp., Regel, Rad, Linje, Riga",
		"delivered": "Delivered, Qty received, Quantity shipped, Accepted, Menge geliefert, Anzahl erhalten, Liefermenge, Istmenge, Ist-Menge, Qté livrée, Quantité livrées, Reçu, Reçues, " +
			"Q.tà consegnata, Quantità ricevuto, Cant. entregada, Cantidad recibidos, Aantal geleverd, Ontvangen, Ilość dostarczona, Otrzymano, Antal levereret, Leverert, Levererat, Dodáno, Livrat",
		"ordered": "Ordered, Qty remaining, Back-ordered, Backordered, Open, Menge bestellt, Bestellmenge, Sollmenge, Soll-Menge, Restmenge, Offen, Rückstand, Qté commandée, Ordinato, Cant. pedida, " +
			"Besteld, Zamówione, Bestilt, Beställt, Objednáno, Comandat, Reliquat",
		"quantity": "Menge, Anzahl, Qty, Quantity, Aantal, Ilość, Antal, Množství, Quantidade, Quantité, Quant, Qté, Q.té, Quantità, Q.tà, Cantidad, Cant., Stück, Stückzahl, Hours, Stunden, Mennyiség, Cantitate, Ποσότητα",
		"amount": "Amount, Line total, Net value, Total, Ext., Extension, Extended, Warenwert, Wert, Nettobetrag, Gesamtbetrag, Zeilensumme, Betrag, Summe, Gesamt, Gesamtpreis, Montant, Prix total, Total HT, " +
			"Importo, Importe, Totale, Entgelt, Bedrag, Totaal, Kwota, Wartość, Belopp, Beløb, Částka, Valor, Valoare, Érték, Összeg, Αξία, Ποσό",
		"price": "Price, Unit price, Net price, List price, Pris, Preț, Egységár, Τιμή, Rate, Cost, Einzelpreis, Nettopreis, Stückpreis, E-Preis, Preis, Stuksprijs, Prijs, Cena, À-pris, Àpris, Preço, EP, Prix, " +
			"Prix unitaire, P.U., PU, Prezzo, Prezzo unitario, Precio, Precio unitario",
		"sku": "SKU, Art.-Nr., Artikelnummer, Item no, Product code, Part number, Part #, Mat. Nr, Material-Nr, Referenzen, Référence, Réf, Codice, Código, Code, Item ID",
		"description": "Description, Item description, Item, Article, Product, Service, Bezeichnung, Beschreibung, Artikel, Artikelbezeichnung, Leistung, Produkt, Désignation, Libellé, Descrizione, Prodotto, Descripción, " +
			"Concepto, Artículo, Omschrijving, Nazwa, Opis, Beskrivelse, Beskrivning, Benämning, Popis, Descrição, Denumire, Descriere, Megnevezés, Περιγραφή, Είδος, Nom & Description, Ware, Warenbezeichnung, Goods, " +
			"Particulars, Material, Materialkurztext, Denominación, Denominazione, Produit, Producto",
		"discount": "Rem, Rab. %, Disc, SC, Dto %, Korting, Remise, Rabatt, Discount, Sconto, Descuento",
		"rate":     "VAT, Tax, MwSt, USt %, TVA, IVA %, Steuersatz, Tax rate",
		"":         "Kostenstelle, Datum, Telefon, Bemerkung, Our menge, Remark, Ordnung, Nummer",
	} {
		for word := range strings.SplitSeq(words, ", ") {
			for _, text := range []string{word, strings.ToUpper(word), strings.ToLower(word)} {
				if got := columnOf(text); got != name {
					t.Errorf("%s heads %q, want %q", text, got, name)
				}
			}
		}
	}
}

// Each title names its type, before others that begin alike.
func TestTitleWords(t *testing.T) {
	t.Parallel()
	for kind, words := range map[document.Type]string{
		document.CreditNote: "Credit note, Credit memo, Gutschrift, Rechnungskorrektur, Storno, Stornorechnung, Korrekturrechnung, Avoir, Facture d'avoir, Note de crédit, Nota di credito, Nota de crédito, " +
			"Factura rectificativa, Abono, Creditnota, Creditfactuur, Faktura korygująca, Korekta faktury, Kreditfaktura, Kreditnota, Dobropis, Hyvityslasku, Notă de credit, Factură storno, Jóváíró számla, Sztornó számla",
		document.Invoice: "Invoice, Commercial invoice, Tax invoice, VAT invoice, Final invoice, Rechnung, Schlussrechnung, Facture, Fattura, Factura, Honorarnote, Note d'honoraires, Factuur, Fatura, Faktura VAT, " +
			"Daňový doklad, Lasku, Factură, Τιμολόγιο, Számla, Gutschrift (Selbstfakturierung), Self-billed invoice, Autofattura",
		document.GoodsReceipt: "Goods receipt, Goods received note, Wareneingang, Wareneingangsschein, Receiving report, Bon de réception, Ricevimento merci, Recepción de mercancías, Goederenontvangst, Przyjęcie zewnętrzne, " +
			"Inleverans, Varemodtagelse",
		document.DeliveryNote: "Delivery note, Packing slip, Packing list, Despatch note, Dispatch advice, Advice note, Shipping note, Lieferschein, Bon de livraison, Bordereau de livraison, Documento di trasporto, Bolla, Albarán, " +
			"Pakbon, Leveringsbon, Afleveringsbon, Guia de remessa, Dowód dostawy, Wydanie zewnętrzne, Följesedel, Leveranssedel, Følgeseddel, Pakkseddel, Dodací list, Lähete, Aviz de însoțire, Δελτίο αποστολής, Szállítólevél",
		document.OrderConfirmation: "Order confirmation, Sales order acknowledgement, Auftragsbestätigung, Bestellbestätigung, Confirmation de commande, Accusé de réception de commande, Conferma d'ordine, Confirmación de pedido, " +
			"Orderbevestiging, Opdrachtbevestiging, Confirmação de encomenda, Potwierdzenie zamówienia, Ordererkännande, Orderbekräftelse, Ordrebekræftelse, Ordrebekreftelse, Potvrzení objednávky, Tilausvahvistus, " +
			"Confirmare de comandă, Επιβεβαίωση παραγγελίας, Rendelés visszaigazolás",
		document.PurchaseOrder: "Purchase order, Order, Bestellung, Bon de commande, Commande, Ordine d'acquisto, Pedido, Orden de compra, Bestelling, Bestelbon, Inkooporder, Nota de encomenda, Ordem de compra, Zamówienie, " +
			"Inköpsorder, Beställning, Indkøbsordre, Objednávka, Ostotilaus, Comandă, Παραγγελία, Megrendelés",
		document.Contract: "Contract, Service agreement, Mietvertrag, Contrat, Contratto, Contrato, Raamovereenkomst, Umowa, Avtal, Aftale, Avtale, Smlouva, Sopimus, Σύμβαση, Szerződés",
		"":                "Angebot, Quotation, Statement, Mahnung, Kontoauszug, Zahlungserinnerung, Proforma, Our invoice",
	} {
		for word := range strings.SplitSeq(words, ", ") {
			got := document.Type("")
			for _, title := range titles {
				if title.form().MatchString(strings.ToUpper(word)) {
					got = title.kind
					break
				}
			}
			if got != kind {
				t.Errorf("%s names %q, want %q", word, got, kind)
			}
		}
	}
}

// Heads close together in a cell are separate, as far as columns of words are so narrow.
func TestHeadsInCell(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Pos Bezeichnung": "Pos|Bezeichnung", "Pos. Artikel-Nr. Bezeichnung": "Pos.|Artikel-Nr.|Bezeichnung", "Rem.% Montant": "Rem.%|Montant", "Description Qty": "Description|Qty",
		"Qty Price": "Qty|Price", "Qty Unit price": "Qty|Unit price", "Unit price": "Unit price", "Item # Description": "Item #|Description", "VAT Amount": "VAT|Amount", "Price Amount": "Price Amount",
		"Menge": "Menge", "Kostenstelle": "", "Amount Description": "Amount|Description", "Description Price": "Description Price", "Remark Qty": "Qty",
	} {
		var got []string
		for _, part := range headsIn(cell{Line: transcript.Line{Text: text}}) {
			got = append(got, part.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %s", text, got, want)
		}
	}
}

// A label names a side of a paper if it has few words and no value.
func TestSideWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ship to": "delivery", "Shipped to:": "delivery", "Lieferanschrift": "delivery", "Lieferadresse:": "delivery", "Adresse de livraison": "delivery", "Destinazione merce": "delivery", "Luogo di consegna": "delivery",
		"Dirección de entrega": "delivery", "Afleveradres": "delivery", "Leveransadress": "delivery", "Morada de entrega": "delivery", "Adres dostawy": "delivery", "Dodací adresa": "delivery",
		"Adresa de livrare": "delivery", "Διεύθυνση παράδοσης": "delivery", "Szállítási cím": "delivery", "Toimitusosoite": "delivery", "Deliver to": "delivery", "Delivery address": "delivery",
		"To:": "addressee", "Empfänger": "addressee", "An:": "addressee", "Destinataire": "addressee", "Destinatario:": "addressee", "* To:": "addressee",
		"Bill to": "buyer", "Kunde:": "buyer", "Supplier:": "supplier", "Lieferant": "supplier",
		"Ship to 4711": "", "Kunden-Nr.": "", "Customer number": "", "Kontoinhaber": "", "Ship to GmbH": "", "Ship to the address that we gave": "", "Datum": "", "Towards": "",
	} {
		if got := sideOf(text); got != want {
			t.Errorf("%s names the side %q, want %q", text, got, want)
		}
	}
}
