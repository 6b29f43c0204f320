package reference

// The types of documents named by labels, as in package document. They are repeated here so
// that this package imports none of the domain.
const (
	purchaseOrder     = "purchase-order"
	orderConfirmation = "order-confirmation"
	deliveryNote      = "delivery-note"
	goodsReceipt      = "goods-receipt"
	invoice           = "invoice"
	creditNote        = "credit-note"
	contract          = "contract"
)

// The ways to read a label.
const (
	marked  = 1 << iota // only with a number mark: a stem (Bestell-Nr.), an abbreviation, a verb (avoir)
	several             // plural: a list of numbers may follow
)

// A label announces a number and names its kind. Longer labels win over shorter ones (order
// confirmation, order). Capitals, accents, hyphens and blanks between words don't count, nor
// does a German compound with Nr or Nummer (Bestellnummer is Bestell-Nr.).
type label struct {
	typ      string // empty if the label leaves the kind of document open
	language string
	words    string
	how      int
}

var labels = []label{
	{purchaseOrder, "en", "order", 0}, // and purchase order
	{purchaseOrder, "en", "orders", several},
	{purchaseOrder, "en", "PO", 0},
	{purchaseOrder, "en", "P.O.", 0},
	{purchaseOrder, "de", "Bestellung", 0},
	{purchaseOrder, "de", "Bestellungen", several},
	{purchaseOrder, "de", "Bestell", marked},
	{purchaseOrder, "de", "Best", marked},
	{purchaseOrder, "de", "Ihr Auftrag", 0},
	{purchaseOrder, "de", "Ihrem Auftrag", 0},
	{purchaseOrder, "fr", "commande", 0}, // and bon de commande, V/commande
	{purchaseOrder, "fr", "commandes", several},
	{purchaseOrder, "fr", "cde", 0},
	{purchaseOrder, "it", "ordine", 0}, // and ordine d'acquisto
	{purchaseOrder, "it", "ordine d'acquisto", 0},
	{purchaseOrder, "it", "ordine di acquisto", 0},
	{purchaseOrder, "it", "ordini", several},
	{purchaseOrder, "it", "ord", marked},

	{orderConfirmation, "en", "order confirmation", 0},
	{orderConfirmation, "en", "order acknowledgement", 0},
	{orderConfirmation, "en", "order acknowledgment", 0},
	{orderConfirmation, "de", "Auftragsbestätigung", 0},
	{orderConfirmation, "de", "Auftragsbestätigungen", several},
	{orderConfirmation, "de", "Auftragsbestätigungs", marked},
	{orderConfirmation, "de", "Bestellbestätigung", 0},
	{orderConfirmation, "de", "AB", marked},
	{orderConfirmation, "fr", "confirmation de commande", 0},
	{orderConfirmation, "fr", "accusé de réception de commande", 0},
	{orderConfirmation, "fr", "ARC", marked},
	{orderConfirmation, "it", "conferma d'ordine", 0},
	{orderConfirmation, "it", "conferma ordine", 0},

	{deliveryNote, "en", "delivery note", 0},
	{deliveryNote, "en", "delivery notes", several},
	{deliveryNote, "en", "packing slip", 0},
	{deliveryNote, "en", "despatch note", 0},
	{deliveryNote, "en", "dispatch note", 0},
	{deliveryNote, "en", "despatch", marked},
	{deliveryNote, "en", "dispatch", marked},
	{deliveryNote, "de", "Lieferschein", 0},
	{deliveryNote, "de", "Lieferscheine", several},
	{deliveryNote, "de", "Lieferscheinen", several},
	{deliveryNote, "de", "LS", marked},
	{deliveryNote, "de", "Lieferung", marked},
	{deliveryNote, "fr", "bon de livraison", 0},
	{deliveryNote, "fr", "bons de livraison", several},
	{deliveryNote, "fr", "bordereau de livraison", 0},
	{deliveryNote, "fr", "BL", marked},
	{deliveryNote, "it", "DDT", 0},
	{deliveryNote, "it", "documento di trasporto", 0},
	{deliveryNote, "it", "bolla", 0},
	{deliveryNote, "it", "bolla di consegna", 0},

	{goodsReceipt, "en", "goods receipt", 0},
	{goodsReceipt, "en", "goods receipts", several},
	{goodsReceipt, "en", "goods receipt note", 0},
	{goodsReceipt, "en", "goods received note", 0},
	{goodsReceipt, "en", "GRN", 0},
	{goodsReceipt, "de", "Wareneingang", 0},
	{goodsReceipt, "de", "Wareneingänge", several},
	{goodsReceipt, "de", "Wareneingangs", marked},
	{goodsReceipt, "de", "WE", marked},
	{goodsReceipt, "fr", "bon de réception", 0},
	{goodsReceipt, "it", "entrata merci", 0},
	{goodsReceipt, "it", "ricevimento merci", 0},

	{invoice, "en", "invoice", 0},
	{invoice, "en", "invoices", several},
	{invoice, "en", "inv", marked},
	{invoice, "de", "Rechnung", 0},
	{invoice, "de", "Rechnungen", several},
	{invoice, "de", "Rechnungs", marked},
	{invoice, "de", "Rg", marked},
	{invoice, "de", "Re", marked},
	{invoice, "fr", "facture", 0},
	{invoice, "fr", "factures", several},
	{invoice, "fr", "fact", marked},
	{invoice, "it", "fattura", 0},
	{invoice, "it", "fatture", several},
	{invoice, "it", "fatt", marked},
	{invoice, "it", "ft", marked},

	{creditNote, "en", "credit note", 0},
	{creditNote, "en", "credit notes", several},
	{creditNote, "en", "credit memo", 0},
	{creditNote, "de", "Gutschrift", 0},
	{creditNote, "de", "Gutschriften", several},
	{creditNote, "de", "Gutschrifts", marked},
	{creditNote, "de", "Rechnungskorrektur", 0},
	{creditNote, "de", "Stornorechnung", 0},
	{creditNote, "fr", "avoir", marked},
	{creditNote, "fr", "note de crédit", 0},
	{creditNote, "it", "nota di credito", 0},
	{creditNote, "it", "note di credito", several},
	{creditNote, "it", "nota credito", 0},
	{creditNote, "it", "nota di accredito", 0},

	{contract, "en", "contract", 0},
	{contract, "en", "contracts", several},
	{contract, "en", "agreement", marked},
	{contract, "en", "framework agreement", 0},
	{contract, "de", "Vertrag", 0},
	{contract, "de", "Vertrags", marked},
	{contract, "de", "Rahmenvertrag", 0},
	{contract, "de", "Rahmenvertrags", marked},
	{contract, "de", "Rahmenvereinbarung", 0},
	{contract, "de", "Kontrakt", 0},
	{contract, "fr", "contrat", 0},
	{contract, "fr", "contrat-cadre", 0},
	{contract, "fr", "accord-cadre", 0},
	{contract, "it", "contratto", 0},
	{contract, "it", "contratto quadro", 0},
	{contract, "it", "accordo quadro", 0},

	{"", "en", "ref", 0},
	{"", "en", "reference", 0}, // and référence
	{"", "en", "document", marked},
	{"", "en", "sales order", 0}, // the seller's own number
	{"", "de", "Referenz", 0},
	{"", "de", "Beleg", marked},
	{"", "de", "Auftrag", 0}, // the buyer's number or the seller's
	{"", "de", "Auftrags", marked},
	{"", "it", "rif", 0},
	{"", "it", "riferimento", 0},
}
