package reference

import (
	"slices"
	"strings"
	"testing"
)

// samples has a sentence for each label, and the number in it.
var samples = map[string][2]string{
	"order":                           {"Your order no. 22/00304-B of 13.07.2024.", "22/00304-B"},
	"orders":                          {"Covers orders 4500000101 and 4500000107.", "4500000107"},
	"PO":                              {"Delivered against PO 4500000101", "4500000101"},
	"P.O.":                            {"P.O. Number: 88-1203", "88-1203"},
	"Bestellung":                      {"Ihre Bestellung vom 3.4.2026, Nr. 4500000101", "4500000101"},
	"Bestellungen":                    {"Ihre Bestellungen 1001 und 3002", "3002"},
	"Bestell":                         {"Bestell-Nr. 4500010059", "4500010059"},
	"Best":                            {"Best.-Nr.: 22/00304-B", "22/00304-B"},
	"Ihr Auftrag":                     {"Ihr Auftrag Nr. 77120 vom 2. März 2026", "77120"},
	"Ihrem Auftrag":                   {"gemäß Ihrem Auftrag 77120", "77120"},
	"commande":                        {"V/commande n° 4500-12", "4500-12"},
	"commandes":                       {"vos commandes 45120, 46007 et 47001", "47001"},
	"cde":                             {"V/cde 45120 du 12/02/2026", "45120"},
	"ordine":                          {"Vs. ordine n. 45/2026 del 3/4/2026", "45/2026"},
	"ordine d'acquisto":               {"Ordine d'acquisto 4500031", "4500031"},
	"ordine di acquisto":              {"Ordine di acquisto 4500031", "4500031"},
	"ordini":                          {"ordini 1201, 1305 e 1410", "1410"},
	"ord":                             {"Vs. ord. n. 512 del 3.4.2026", "512"},
	"order confirmation":              {"See our order confirmation 2201-7", "2201-7"},
	"order acknowledgement":           {"Order acknowledgement OA-5512", "OA-5512"},
	"order acknowledgment":            {"Order acknowledgment OA-5512", "OA-5512"},
	"Auftragsbestätigung":             {"laut Auftragsbestätigung AB-10233", "AB-10233"},
	"Auftragsbestätigungen":           {"Auftragsbestätigungen 10233, 20455", "20455"},
	"Auftragsbestätigungs":            {"Auftragsbestaetigungs-Nr.: 10233", "10233"},
	"Bestellbestätigung":              {"Bestellbestätigung 10233", "10233"},
	"AB":                              {"Unsere AB-Nr. 10233", "10233"},
	"confirmation de commande":        {"Confirmation de commande 7781", "7781"},
	"accusé de réception de commande": {"Accusé de réception de commande n° 7781", "7781"},
	"ARC":                             {"N/ARC n° 7781", "7781"},
	"conferma d'ordine":               {"Conferma d’ordine 7781", "7781"},
	"conferma ordine":                 {"conferma ordine n. 77", "77"},
	"delivery note":                   {"Delivered with delivery note 80028572", "80028572"},
	"delivery notes":                  {"delivery notes 80028572 and 80031", "80031"},
	"packing slip":                    {"Packing slip # 5512", "5512"},
	"despatch note":                   {"Despatch note DN0034529", "DN0034529"},
	"dispatch note":                   {"Dispatch note DN0034529", "DN0034529"},
	"despatch":                        {"Despatch ref. DN0034529.", "DN0034529"},
	"dispatch":                        {"Dispatch no. 4452", "4452"},
	"Lieferschein":                    {"Lieferschein-Nr.: LS 88120", "LS 88120"},
	"Lieferscheine":                   {"Lieferscheine 88120, 90120", "90120"},
	"Lieferscheinen":                  {"zu den Lieferscheinen 88120 sowie 90120", "90120"},
	"LS":                              {"LS-Nr. 88120", "88120"},
	"Lieferung":                       {"Lieferung Nr. 80012345", "80012345"},
	"bon de livraison":                {"bon de livraison BL 2201", "BL 2201"},
	"bons de livraison":               {"bons de livraison 2201 et 3405", "3405"},
	"bordereau de livraison":          {"bordereau de livraison 2201", "2201"},
	"BL":                              {"BL n° 2201", "2201"},
	"DDT":                             {"DDT n. 881 del 12.3.2026", "881"},
	"documento di trasporto":          {"documento di trasporto 881/A", "881/A"},
	"bolla":                           {"Vs. bolla n. 12", "12"},
	"bolla di consegna":               {"bolla di consegna 8812", "8812"},
	"goods receipt":                   {"goods receipt 5000010033", "5000010033"},
	"goods receipts":                  {"goods receipts 50001, 61002", "61002"},
	"goods receipt note":              {"Goods receipt note 5001", "5001"},
	"goods received note":             {"Goods received note no. 17", "17"},
	"GRN":                             {"GRN 55120", "55120"},
	"Wareneingang":                    {"Wareneingang WE-2026-00077", "WE-2026-00077"},
	"Wareneingänge":                   {"Wareneingänge 5001, 6002", "6002"},
	"Wareneingangs":                   {"Wareneingangsnummer 5001", "5001"},
	"WE":                              {"WE-Nr. 5001", "5001"},
	"bon de réception":                {"bon de réception 5512", "5512"},
	"entrata merci":                   {"entrata merci 5512", "5512"},
	"ricevimento merci":               {"ricevimento merci n. 5", "5"},
	"invoice":                         {"For our invoice F22-0142 of 27/11/22", "F22-0142"},
	"invoices":                        {"invoices 10012 and 20013", "20013"},
	"inv":                             {"Inv. no. 10012", "10012"},
	"Rechnung":                        {"Zu Rechnung 2022/0374.", "2022/0374"},
	"Rechnungen":                      {"Rechnungen 10012, 20013", "20013"},
	"Rechnungs":                       {"Rechnungsnummer: RE-2026-0042", "RE-2026-0042"},
	"Rg":                              {"Rg.-Nr. 10012", "10012"},
	"Re":                              {"Re-Nr. 10012", "10012"},
	"facture":                         {"facture nº F24-0456", "F24-0456"},
	"factures":                        {"factures 10012 et 20013", "20013"},
	"fact":                            {"Fact. n° 10012", "10012"},
	"fattura":                         {"fattura nr. 12/A", "12/A"},
	"fatture":                         {"fatture 10012 e 20013", "20013"},
	"fatt":                            {"Ns. fatt. n. 10012", "10012"},
	"ft":                              {"ft. n. 10012", "10012"},
	"credit note":                     {"our credit note CN-2026-14", "CN-2026-14"},
	"credit notes":                    {"credit notes 1401, 2402", "2402"},
	"credit memo":                     {"credit memo 1401", "1401"},
	"Gutschrift":                      {"Gutschrift GS-2026-0014", "GS-2026-0014"},
	"Gutschriften":                    {"Gutschriften 1401 und 2402", "2402"},
	"Gutschrifts":                     {"Gutschrifts-Nr. 1401", "1401"},
	"Rechnungskorrektur":              {"Rechnungskorrektur RK-114", "RK-114"},
	"Stornorechnung":                  {"Stornorechnung SR-114", "SR-114"},
	"avoir":                           {"Avoir n° A-114", "A-114"},
	"note de crédit":                  {"note de crédit 1401", "1401"},
	"nota di credito":                 {"nota di credito n. 12/A", "12/A"},
	"note di credito":                 {"note di credito 1401 e 2402", "2402"},
	"nota credito":                    {"nota credito 1401", "1401"},
	"nota di accredito":               {"nota di accredito 1401", "1401"},
	"contract":                        {"Contract RV-2022-080 applies.", "RV-2022-080"},
	"contracts":                       {"contracts 4600001, 5600002", "5600002"},
	"agreement":                       {"under agreement no. 4600001", "4600001"},
	"framework agreement":             {"Under framework agreement RV-2022-024.", "RV-2022-024"},
	"Vertrag":                         {"Vertrag Nr. V-77", "V-77"},
	"Vertrags":                        {"Vertragsnummer 4600001", "4600001"},
	"Rahmenvertrag":                   {"Gemäß Rahmenvertrag SV-2022-042 vom 10/11/22.", "SV-2022-042"},
	"Rahmenvertrags":                  {"Rahmenvertrags-Nr. 4600001", "4600001"},
	"Rahmenvereinbarung":              {"Rahmenvereinbarung 4600001", "4600001"},
	"Kontrakt":                        {"Kontrakt 4600001", "4600001"},
	"contrat":                         {"contrat n° C-2026-3", "C-2026-3"},
	"contrat-cadre":                   {"contrat-cadre C-2026-3", "C-2026-3"},
	"accord-cadre":                    {"accord-cadre 4600001", "4600001"},
	"contratto":                       {"contratto n. 15/2026", "15/2026"},
	"contratto quadro":                {"contratto quadro 4600001", "4600001"},
	"accordo quadro":                  {"accordo quadro 4600001", "4600001"},
	"ref":                             {"Ref: 88120-4", "88120-4"},
	"reference":                       {"Votre référence : 88120-4", "88120-4"},
	"document":                        {"document no. 88120", "88120"},
	"sales order":                     {"sales order 88120", "88120"},
	"Referenz":                        {"Referenz 88120", "88120"},
	"Beleg":                           {"Belegnummer 88120", "88120"},
	"Auftrag":                         {"Auftrag 88120", "88120"},
	"Auftrags":                        {"Auftrags-Nr. 88120", "88120"},
	"rif":                             {"Rif. 88120", "88120"},
	"riferimento":                     {"riferimento: 88120", "88120"},
}

func TestEachLabelIsNeeded(t *testing.T) {
	t.Parallel()
	for i, row := range labels {
		t.Run(row.language+" "+row.words, func(t *testing.T) {
			sample := samples[row.words]
			want := Found{row.typ, sample[1]}
			if got := newIndex(labels).find(clean(sample[0])); !slices.Contains(got, want) {
				t.Errorf("Find(%q) = %q, want %q", sample[0], got, want)
			}
			without := slices.Delete(slices.Clone(labels), i, i+1)
			if got := newIndex(without).find(clean(sample[0])); slices.Contains(got, want) {
				t.Errorf("without the label, %q is found in %q all the same", got, sample[0])
			}
		})
	}
	if len(samples) != len(labels) {
		t.Errorf("%d samples for %d labels", len(samples), len(labels))
	}
}

func TestMarkedLabelsNeedAMark(t *testing.T) {
	t.Parallel()
	for _, row := range labels {
		if text := row.words + " 471182"; row.how&marked != 0 && len(Find(text)) > 0 {
			t.Errorf("Find(%q) = %q", text, Find(text))
		}
	}
}

func TestTypeSynonyms(t *testing.T) {
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
