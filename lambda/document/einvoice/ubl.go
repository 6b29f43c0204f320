package einvoice

import (
	"strings"

	"matchbook/lambda/document"
)

const (
	ublSpace      = "urn:oasis:names:specification:ubl:schema:xsd:"
	ublExtensions = ublSpace + "CommonExtensionComponents-2"
)

var ublTypes = map[string]document.Type{
	"Invoice":              document.Invoice,
	"SelfBilledInvoice":    document.Invoice,
	"CreditNote":           document.CreditNote,
	"SelfBilledCreditNote": document.CreditNote,
	"Order":                document.PurchaseOrder,
	"OrderResponse":        document.OrderConfirmation,
	"OrderResponseSimple":  document.OrderConfirmation,
	"DespatchAdvice":       document.DeliveryNote,
	"ReceiptAdvice":        document.GoodsReceipt,
}

func ublVocabulary(root string) *vocabulary {
	return &vocabulary{format: UBL, kind: ublKind, ignored: ublExtensions, spaces: []string{
		ublSpace + root + "-2", ublSpace + "CommonAggregateComponents-2", ublSpace + "CommonBasicComponents-2"}}
}

// ublKind returns the type by the root element; the code may make an invoice a credit note.
func ublKind(root *node) (document.Type, *mapping, string) {
	t, known := ublTypes[root.name]
	if !known {
		return "", nil, "unsupported UBL document: " + root.name
	}
	m := ublOther
	if t == document.Invoice || t == document.CreditNote {
		m = ublBilling
	}
	if t == document.Invoice && typeCodes[root.one(path{"InvoiceTypeCode"})] == document.CreditNote {
		t = document.CreditNote
	}
	if strings.HasPrefix(root.one(m.profile), oioUBL) {
		m.subtotal.sum = nil
	}
	return t, &m, ""
}

// oioUBL marks the Danish profile, where TaxExclusiveAmount is the tax.
const oioUBL = "OIOUBL"

var ublBilling = func() mapping {
	m := ublOther
	m.buyer = path{"AccountingCustomerParty/Party", "BuyerCustomerParty/Party"}
	return m
}()

// ublOther is the mapping of the other documents. One table is enough, because UBL names the
// same thing alike in every type, and a missing place is never found.
var ublOther = mapping{
	profile:  path{"CustomizationID"},
	number:   path{"ID"},
	date:     path{"IssueDate"},
	currency: path{"DocumentCurrencyCode"},
	from:     path{"InvoicePeriod/StartDate"},
	to:       path{"InvoicePeriod/EndDate"},
	notes:    path{"Note", "OrderLine/Note"},
	due:      path{"DueDate", "PaymentMeans/PaymentDueDate", "PaymentTerms/PaymentDueDate"},
	terms:    path{"PaymentTerms/Note"},
	// Trading companies come first, because a forwarder may despatch and a warehouse receive.
	supplier: path{"AccountingSupplierParty/Party", "SellerSupplierParty/Party", "DespatchSupplierParty/Party"},
	buyer:    path{"BuyerCustomerParty/Party", "AccountingCustomerParty/Party", "DeliveryCustomerParty/Party"},
	party: partyPlaces{
		name: path{"PartyLegalEntity/RegistrationName", "PartyName/Name", "PartyTaxScheme/RegistrationName",
			"Contact/Name"},
		registrations: path{"PartyTaxScheme"},
		registration:  path{"CompanyID"},
		scheme:        path{"TaxScheme/ID", "TaxScheme/TaxTypeCode"},
		ids:           path{"PartyIdentification/ID", "PartyLegalEntity/CompanyID"},
		address:       path{"PostalAddress", "PartyLegalEntity/RegistrationAddress"},
		parts: []path{{"Department"}, {"StreetName", "BuildingNumber"}, {"AdditionalStreetName"}, {"BuildingName"},
			{"AddressLine/Line"}, {"Postbox"}, {"PostalZone", "CityName"}, {"CountrySubentity"},
			{"Country/IdentificationCode"}},
	},
	account:        path{"PaymentMeans/PayeeFinancialAccount/ID"},
	payer:          path{"PaymentMeans/PaymentMandate/PayerFinancialAccount/ID"},
	payee:          path{"PayeeParty"},
	typeCode:       path{"InvoiceTypeCode", "CreditNoteTypeCode"},
	buyerReference: path{"BuyerReference"},
	delivered:      path{"Delivery/ActualDeliveryDate"},
	prepaid:        path{"LegalMonetaryTotal/PrepaidAmount"},
	rounding:       path{"LegalMonetaryTotal/PayableRoundingAmount"},
	payable:        path{"LegalMonetaryTotal/PayableAmount"},
	subtotal: sumPlaces{
		sum:      path{"LegalMonetaryTotal/TaxExclusiveAmount", "AnticipatedMonetaryTotal/TaxExclusiveAmount"},
		fallback: path{"LegalMonetaryTotal/LineExtensionAmount", "AnticipatedMonetaryTotal/LineExtensionAmount"},
		between: path{"LegalMonetaryTotal/AllowanceTotalAmount", "AnticipatedMonetaryTotal/AllowanceTotalAmount",
			"LegalMonetaryTotal/ChargeTotalAmount", "AnticipatedMonetaryTotal/ChargeTotalAmount"},
	},
	total: sumPlaces{
		sum:      path{"LegalMonetaryTotal/TaxInclusiveAmount", "AnticipatedMonetaryTotal/TaxInclusiveAmount"},
		fallback: path{"LegalMonetaryTotal/PayableAmount", "AnticipatedMonetaryTotal/PayableAmount"},
		between: path{"LegalMonetaryTotal/PrepaidAmount", "AnticipatedMonetaryTotal/PrepaidAmount",
			"LegalMonetaryTotal/PayableRoundingAmount", "AnticipatedMonetaryTotal/PayableRoundingAmount"},
	},
	tax:   path{"TaxTotal/TaxAmount"},
	taxes: path{"TaxTotal/TaxSubtotal"},
	rate: taxPlaces{
		category: path{"TaxCategory/ID"},
		rate:     path{"TaxCategory/Percent", "Percent"},
		base:     path{"TaxableAmount"},
		amount:   path{"TaxAmount"},
	},
	charges: []chargePlaces{{
		charges:     path{"AllowanceCharge"},
		isCharge:    path{"ChargeIndicator"},
		description: path{"AllowanceChargeReason", "AllowanceChargeReasonCode"},
		amount:      path{"Amount"},
		rate:        path{"TaxCategory/Percent"},
	}},
	lines: path{"InvoiceLine", "CreditNoteLine", "OrderLine/LineItem", "OrderLine/SellerSubstitutedLineItem",
		"DespatchLine", "ReceiptLine"},
	line: linePlaces{
		sku: path{"Item/SellersItemIdentification/ID", "Item/BuyersItemIdentification/ID",
			"Item/StandardItemIdentification/ID", "Item/ManufacturersItemIdentification/ID"},
		description: path{"Item/Name", "Item/Description"},
		notes:       path{"Note"},
		quantity:    path{"InvoicedQuantity", "CreditedQuantity", "Quantity", "DeliveredQuantity", "ReceivedQuantity"},
		price:       path{"Price/PriceAmount"},
		priceFor:    path{"Price/BaseQuantity"},
		amount:      path{"LineExtensionAmount"},
		rate: path{"Item/ClassifiedTaxCategory/Percent", "TaxTotal/TaxSubtotal/TaxCategory/Percent",
			"TaxTotal/TaxSubtotal/Percent"},
		discounts: path{"AllowanceCharge"},
	},
	references: []referencePlaces{
		{"purchase-order", path{"OrderReference/ID"}},
		{"sales-order", path{"OrderReference/SalesOrderID", "SalesOrderID"}},
		{"quotation", path{"QuotationDocumentReference/ID"}},
		{"contract", path{"ContractDocumentReference/ID", "Contract/ID"}},
		{"project", path{"ProjectReference/ID"}},
		{"tender", path{"OriginatorDocumentReference/ID"}},
		{"", path{"AdditionalDocumentReference"}},
		{"catalogue", path{"CatalogueReference/ID"}},
		{"purchase-order", path{"OrderDocumentReference/ID"}},
		{"order-change", path{"OrderChangeDocumentReference/ID"}},
		{"delivery-note", path{"DespatchDocumentReference/ID"}},
		{"goods-receipt", path{"ReceiptDocumentReference/ID"}},
		{"invoice", ublBilled("InvoiceDocumentReference/ID", "SelfBilledInvoiceDocumentReference/ID")},
		{"credit-note", ublBilled("CreditNoteDocumentReference/ID", "SelfBilledCreditNoteDocumentReference/ID")},
		{"debit-note", ublBilled("DebitNoteDocumentReference/ID")},
		{"purchase-order", ublLines("OrderLineReference/OrderReference/ID")},
		{"sales-order", ublLines("OrderLineReference/OrderReference/SalesOrderID")},
		{"delivery-note", ublLines("DespatchLineReference/DocumentReference/ID")},
		{"goods-receipt", ublLines("ReceiptLineReference/DocumentReference/ID")},
		{"", ublLines("DocumentReference")},
	},
	flags: []flag{
		{path{"CopyIndicator"}, "true", "marked as a copy"},
		{path{"InvoiceTypeCode"}, proForma, isProForma},
		{path{"OrderResponseCode"}, "RE", "order rejected by the seller"},
		{path{"AcceptedIndicator"}, "false", "order rejected by the seller"},
	},
}

// ublBilled are places of references to earlier billing, in the document and in its lines.
func ublBilled(places ...string) (p path) {
	for _, place := range places {
		p = append(p, "BillingReference/"+place)
	}
	return append(p, ublLines(p...)...)
}

// ublLines are places in the lines of every type.
func ublLines(places ...string) (p path) {
	for _, line := range []string{"InvoiceLine/", "CreditNoteLine/", "OrderLine/", "DespatchLine/", "ReceiptLine/"} {
		for _, place := range places {
			p = append(p, line+place)
		}
	}
	return p
}
