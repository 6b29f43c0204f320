package einvoice_test

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/document/einvoice"
)

// at is XML with a text at a place: "A/B" is <A><B>text</B></A>.
func at(place, text string) string {
	for names := strings.Split(place, "/"); len(names) > 0; names = names[:len(names)-1] {
		name, attr, _ := strings.Cut(names[len(names)-1], " ")
		text = "<a:" + name + " " + attr + ">" + text + "</a:" + name + ">"
	}
	return text
}

// row is a place in a file, and the field to which it leads.
type row struct{ in, want string }

func checkRows(t *testing.T, file func(content string) string, rows []row) {
	t.Helper()
	for _, r := range rows {
		d, err := einvoice.Read(strings.NewReader(file(r.in)))
		if err != nil || len(d.Problems) > 0 {
			t.Errorf("%s: %v, %v", r.in, err, d.Problems)
			continue
		}
		d.Data.Number, d.Data.TypeCode = "", ""
		if got, err := json.Marshal(d.Data); err != nil || string(got) != "{"+r.want+"}" {
			t.Errorf("%s: got %s, want {%s}, %v", r.in, got, r.want, err)
		}
	}
}

// payTo is the account in a UBL invoice.
var payTo = at("PaymentMeans/PayeeFinancialAccount/ID", "DE89370400440532013000")

func TestUBLFieldFallbacks(t *testing.T) {
	t.Parallel()
	supplier := func(place, text string) string { return at("AccountingSupplierParty/Party/"+place, text) }
	checkRows(t, ubl, []row{
		{at("SellerSupplierParty/Party/PartyName/Name", "S"), `"supplier":{"name":"S"}`},
		{at("BuyerCustomerParty/Party/PartyName/Name", "B"), `"buyer":{"name":"B"}`},
		{supplier("PartyTaxScheme/RegistrationName", "S"), `"supplier":{"name":"S"}`},
		{supplier("Contact/Name", "S"), `"supplier":{"name":"S"}`},
		{supplier("PartyLegalEntity/CompanyID schemeID='9930'", "DE1"), `"supplier":{"vat_id":"DE1"}`},
		{supplier("PartyLegalEntity/CompanyID schemeID='0088'", "DE1"), ""},
		{supplier("PartyLegalEntity/RegistrationAddress/CityName", "C"), `"supplier":{"address":"C"}`},
		{at("PaymentMeans/PaymentMandate/PayerFinancialAccount/ID", "DE1"), `"buyer":{"iban":"DE1"}`},
		{at("PaymentMeans/PaymentDueDate", "2026-03-02"), `"payment_terms":{"due":"2026-03-02"}`},
		{at("PaymentTerms/PaymentDueDate", "2026-03-02"), `"payment_terms":{"due":"2026-03-02"}`},
		{at("TaxTotal/TaxSubtotal/Percent", "7"), `"taxes":[{"rate":"7"}]`},
		{at("AllowanceCharge/AllowanceChargeReasonCode", "95"), `"charges":[{"description":"95"}]`},
		{at("AllowanceCharge", at("Amount", "5")+at("ChargeIndicator", "true")), `"charges":[{"amount":"5"}]`},
		{at("AllowanceCharge", at("Amount", "5")+at("ChargeIndicator", "false")), `"charges":[{"amount":"-5"}]`},
		{at("AllowanceCharge", at("Amount", "-5")+at("ChargeIndicator", "false")), `"charges":[{"amount":"5"}]`},
		{at("LegalMonetaryTotal", at("LineExtensionAmount", "9")+at("ChargeTotalAmount", "1")), ""},
		{at("LegalMonetaryTotal", at("TaxInclusiveAmount", "9")+at("PrepaidAmount", "4")+at("PayableAmount", "5")),
			`"total":"9","prepaid":"4","amount_due":"5"`},
		{at("LegalMonetaryTotal/PayableRoundingAmount", "-0.02"), `"rounding":"-0.02"`},
		{at("Delivery/ActualDeliveryDate", "2026-03-02"), `"delivery_date":"2026-03-02"`},
		{at("BuyerReference", "04011000"), `"buyer_reference":"04011000"`},
		{at("PayeeParty/PartyName/Name", "Bank") + payTo, `"payee":{"name":"Bank","iban":"DE89370400440532013000"}`},
		{supplier("PartyName/Name", "S") + at("PayeeParty/PartyName/Name", "S") + payTo,
			`"supplier":{"name":"S","iban":"DE89370400440532013000"},"payee":{"name":"S"}`},
		{at("InvoiceLine/Item/ManufacturersItemIdentification/ID", "K"), `"line_items":[{"sku":"K"}]`},
		{at("InvoiceLine/TaxTotal/TaxSubtotal/TaxCategory/Percent", "7"), `"line_items":[{"tax_rate":"7"}]`},
		{at("InvoiceLine/TaxTotal/TaxSubtotal/Percent", "7"), `"line_items":[{"tax_rate":"7"}]`},
		{at("BillingReference/SelfBilledInvoiceDocumentReference/ID", "4"), `"references":[{"type":"invoice","number":"4"}]`},
		{at("BillingReference/CreditNoteDocumentReference/ID", "4"), `"references":[{"type":"credit-note","number":"4"}]`},
		{at("BillingReference/SelfBilledCreditNoteDocumentReference/ID", "4"),
			`"references":[{"type":"credit-note","number":"4"}]`},
		{at("BillingReference/DebitNoteDocumentReference/ID", "4"), `"references":[{"type":"debit-note","number":"4"}]`},
		{at("AdditionalDocumentReference/ID", "4"), `"references":[{"type":"document","number":"4"}]`},
		{at("InvoiceLine/ReceiptLineReference/DocumentReference/ID", "4"),
			`"references":[{"type":"goods-receipt","number":"4"}],"line_items":[{}]`},
		{at("CreditNoteLine/BillingReference/InvoiceDocumentReference/ID", "4"),
			`"references":[{"type":"invoice","number":"4"}],"line_items":[{}]`},
		{at("DespatchLine/OrderLineReference/OrderReference/SalesOrderID", "4"),
			`"references":[{"type":"sales-order","number":"4"}],"line_items":[{}]`},
		{at("DespatchLine/DocumentReference/ID", "4"), `"references":[{"type":"document","number":"4"}],"line_items":[{}]`},
	})
}

func TestOrderFieldFallbacks(t *testing.T) {
	t.Parallel()
	order := func(content string) string {
		return strings.NewReplacer("Invoice-2", "Order-2", "<Invoice", "<Order", "</Invoice", "</Order").Replace(ubl(content))
	}
	total := func(name, between string) string {
		return at("AnticipatedMonetaryTotal", at(name, "9")+at(between, "1"))
	}
	checkRows(t, order, []row{
		{at("AccountingCustomerParty/Party/PartyName/Name", "B"), `"buyer":{"name":"B"}`},
		{total("LineExtensionAmount", "AllowanceTotalAmount"), ""},
		{total("LineExtensionAmount", "ChargeTotalAmount"), ""},
		{total("PayableAmount", "PrepaidAmount"), ""},
		{total("PayableAmount", "PayableRoundingAmount"), ""},
		{total("PayableAmount", "TaxExclusiveAmount"), `"subtotal":"1","total":"9"`},
		{total("PayableAmount", "TaxInclusiveAmount"), `"total":"1"`},
		{at("OrderChangeDocumentReference/ID", "4"), `"references":[{"type":"order-change","number":"4"}]`},
		{at("ProjectReference/ID", "4"), `"references":[{"type":"project","number":"4"}]`},
	})
}

func TestCIIFieldFallbacks(t *testing.T) {
	t.Parallel()
	invoice := func(content string) string {
		return ciiHead + at("ExchangedDocument", at("ID", "1")+at("TypeCode", "380")) +
			at("SupplyChainTradeTransaction", content) + ciiTail
	}
	seller := func(place, text string) string {
		return at("ApplicableHeaderTradeAgreement/SellerTradeParty/"+place, text)
	}
	settled := func(place, text string) string { return at("ApplicableHeaderTradeSettlement/"+place, text) }
	sums := func(name, between string) string {
		return settled("SpecifiedTradeSettlementHeaderMonetarySummation", at(name, "9")+at(between, "1"))
	}
	line := func(place, text string) string { return at("IncludedSupplyChainTradeLineItem/"+place, text) }
	cited := func(kind string) string {
		return `"references":[{"type":"` + kind + `","number":"4"}],"line_items":[{}]`
	}
	checkRows(t, invoice, []row{
		{seller("SpecifiedLegalOrganization/TradingBusinessName", "S"), `"supplier":{"name":"S"}`},
		{seller("DefinedTradeContact/PersonName", "S"), `"supplier":{"name":"S"}`},
		{seller("GlobalID schemeID='9930'", "DE1"), `"supplier":{"vat_id":"DE1"}`},
		{seller("ID schemeID='9930'", "DE1"), `"supplier":{"vat_id":"DE1"}`},
		{seller("SpecifiedLegalOrganization/ID schemeID='9930'", "DE1"), `"supplier":{"vat_id":"DE1"}`},
		{seller("PostalTradeAddress", at("CountrySubDivisionName", "R")+at("LineThree", "3")+at("BuildingNumber", "7")+
			at("StreetName", "Street")), `"supplier":{"address":"3, Street 7, R"}`},
		{settled("SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/ProprietaryID",
			"DE89370400440532013000"), `"supplier":{"iban":"DE89370400440532013000"}`},
		{settled("SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/ProprietaryID", "4711"), ""},
		{sums("LineTotalAmount", "LineTotalAmount2"), `"subtotal":"9"`},
		{sums("LineTotalAmount", "ChargeTotalAmount"), ""},
		{sums("LineTotalAmount", "AllowanceTotalAmount"), ""},
		{sums("DuePayableAmount", "DuePayableAmount2"), `"total":"9","amount_due":"9"`},
		{sums("DuePayableAmount", "TotalPrepaidAmount"), `"prepaid":"1","amount_due":"9"`},
		{sums("DuePayableAmount", "RoundingAmount"), `"rounding":"1","amount_due":"9"`},
		{settled("PayeeTradeParty/Name", "Bank"), `"payee":{"name":"Bank"}`},
		{settled("SpecifiedTradeAllowanceCharge/ReasonCode", "95"), `"charges":[{"description":"95"}]`},
		{at("ApplicableHeaderTradeAgreement/QuotationReferencedDocument/IssuerAssignedID", "4"),
			`"references":[{"type":"quotation","number":"4"}]`},
		{line("SpecifiedTradeProduct/BuyerAssignedID", "K"), `"line_items":[{"sku":"K"}]`},
		{line("SpecifiedTradeProduct/GlobalID", "K"), `"line_items":[{"sku":"K"}]`},
		{line("SpecifiedTradeProduct/Description", "D"), `"line_items":[{"description":"D"}]`},
		{line("SpecifiedLineTradeAgreement/GrossPriceProductTradePrice", at("ChargeAmount", "9")+at("BasisQuantity", "2")),
			`"line_items":[{"unit_price":"9","price_quantity":"2"}]`},
		{line("SpecifiedLineTradeAgreement/SellerOrderReferencedDocument/IssuerAssignedID", "4"), cited("sales-order")},
		{line("SpecifiedLineTradeAgreement/ContractReferencedDocument/IssuerAssignedID", "4"), cited("contract")},
		{line("SpecifiedLineTradeDelivery/DeliveryNoteReferencedDocument/IssuerAssignedID", "4"), cited("delivery-note")},
		{line("SpecifiedLineTradeDelivery/ReceivingAdviceReferencedDocument/IssuerAssignedID", "4"), cited("goods-receipt")},
		{line("SpecifiedLineTradeSettlement/InvoiceReferencedDocument/IssuerAssignedID", "4"), cited("invoice")},
		{line("SpecifiedLineTradeAgreement/AdditionalReferencedDocument/IssuerAssignedID", "4"), cited("document")},
		{line("SpecifiedLineTradeSettlement/AdditionalReferencedDocument/IssuerAssignedID", "4"), cited("document")},
	})
}
