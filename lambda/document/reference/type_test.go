package reference

import (
	"strings"
	"testing"
)

func TestTypesAreKnownByMeaning(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"purchase-order": purchaseOrder, "purchase_order": purchaseOrder, "PurchaseOrder": purchaseOrder,
		"Purchase Order": purchaseOrder, "PURCHASE ORDER NO.": purchaseOrder, "PO": purchaseOrder, "P.O.": purchaseOrder,
		"PO #": purchaseOrder, "order": purchaseOrder, "Bestellung": purchaseOrder, "Bestell-Nr.": purchaseOrder,
		"Bestellnummer": purchaseOrder, "Ihre Bestellung": purchaseOrder, "Votre commande n°": purchaseOrder,
		"N° cde": purchaseOrder, "Ordine n.": purchaseOrder, "Customer PO": purchaseOrder,
		"Kunden-Bestellnr.":  purchaseOrder,
		"order_confirmation": orderConfirmation, "Auftragsbestätigung": orderConfirmation, "AB": orderConfirmation,
		"Lieferschein": deliveryNote, "LIEFERSCHEIN-NR": deliveryNote, "Bon de livraison": deliveryNote,
		"BL n°": deliveryNote, "Delivery Note": deliveryNote, "deliveryNote": deliveryNote,
		"Wareneingang": goodsReceipt, "goods_receipt": goodsReceipt, "GRN": goodsReceipt,
		"Invoice": invoice, "Rechnungs-Nr.": invoice, "Notre facture": invoice, "Unsere Rechnung": invoice,
		"Credit Note": creditNote, "Gutschrift": creditNote,
		"contract": contract, "Rahmenvertrag": contract, "Contrat-cadre": contract, "Contract No.": contract,
		// unknown, or of several types
		"": "", "other": "", "ref": "", "Your ref": "", "Su pedido": "", "注文番号": "", "tender": "", "Auftrag": "",
		"sales order": "", "order form of the year": "", "4711": "", "\xff": "",
		strings.Repeat("order ", 20): "",
	} {
		if got := Type(word); got != want {
			t.Errorf("Type(%q) = %q, want %q", word, got, want)
		}
	}
}
