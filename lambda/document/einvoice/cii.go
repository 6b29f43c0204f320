package einvoice

import "matchbook/lambda/document"

const ciiSpace = "urn:un:unece:uncefact:data:standard:"

// ciiVocabulary is the vocabulary of D16B; use it for later releases too (same name spaces).
var ciiVocabulary = &vocabulary{format: CII, kind: ciiKind, spaces: []string{
	ciiSpace + "CrossIndustryInvoice:100", ciiSpace + "ReusableAggregateBusinessInformationEntity:100",
	ciiSpace + "UnqualifiedDataType:100", ciiSpace + "QualifiedDataType:100"}}

const zugferd1Space = "urn:ferd:CrossIndustryDocument:invoice:1p0"

var zugferd1Vocabulary = &vocabulary{format: ZUGFeRD1, kind: ciiKind, names: zugferd1Names, spaces: []string{
	zugferd1Space, ciiSpace + "ReusableAggregateBusinessInformationEntity:12",
	ciiSpace + "UnqualifiedDataType:15", ciiSpace + "QualifiedDataType:12"}}

// zugferd1Names maps the names of 2014 to D16B's.
var zugferd1Names = map[string]string{
	"SpecifiedExchangedDocumentContext":         "ExchangedDocumentContext",
	"HeaderExchangedDocument":                   "ExchangedDocument",
	"SpecifiedSupplyChainTradeTransaction":      "SupplyChainTradeTransaction",
	"ApplicableSupplyChainTradeAgreement":       "ApplicableHeaderTradeAgreement",
	"ApplicableSupplyChainTradeDelivery":        "ApplicableHeaderTradeDelivery",
	"ApplicableSupplyChainTradeSettlement":      "ApplicableHeaderTradeSettlement",
	"SpecifiedSupplyChainTradeAgreement":        "SpecifiedLineTradeAgreement",
	"SpecifiedSupplyChainTradeDelivery":         "SpecifiedLineTradeDelivery",
	"SpecifiedSupplyChainTradeSettlement":       "SpecifiedLineTradeSettlement",
	"SpecifiedTradeSettlementMonetarySummation": "MonetarySummation",
	"ApplicablePercent":                         "RateApplicablePercent",
}

func ciiKind(root *node) (document.Type, *mapping, string) {
	t, known := typeCodes[root.one(path{ciiTypeCode})]
	if !known {
		return "", nil, "unsupported type code: expected an invoice or a credit note"
	}
	return t, &ciiMapping, ""
}

const (
	ciiTypeCode   = "ExchangedDocument/TypeCode"
	ciiAgreement  = "SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/"
	ciiDelivery   = "SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery/"
	ciiSettlement = "SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/"
	ciiLine       = "SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem"
	ciiIBAN       = ciiSettlement + "SpecifiedTradeSettlementPaymentMeans/"
)

var ciiMapping = mapping{
	profile:  path{"ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID"},
	number:   path{"ExchangedDocument/ID"},
	date:     path{"ExchangedDocument/IssueDateTime/DateTimeString"},
	currency: path{ciiSettlement + "InvoiceCurrencyCode"},
	from:     path{ciiSettlement + "BillingSpecifiedPeriod/StartDateTime/DateTimeString"},
	to:       path{ciiSettlement + "BillingSpecifiedPeriod/EndDateTime/DateTimeString"},
	notes:    path{"ExchangedDocument/IncludedNote/Content"},
	due:      path{ciiSettlement + "SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString"},
	terms:    path{ciiSettlement + "SpecifiedTradePaymentTerms/Description"},
	supplier: path{ciiAgreement + "SellerTradeParty"},
	buyer:    path{ciiAgreement + "BuyerTradeParty"},
	party: partyPlaces{
		name:          path{"Name", "SpecifiedLegalOrganization/TradingBusinessName", "DefinedTradeContact/PersonName"},
		registrations: path{"SpecifiedTaxRegistration"},
		registration:  path{"ID"},
		ids:           path{"ID", "GlobalID", "SpecifiedLegalOrganization/ID"},
		address:       path{"PostalTradeAddress"},
		parts: []path{{"LineOne"}, {"LineTwo"}, {"LineThree"}, {"StreetName", "BuildingNumber"},
			{"PostcodeCode", "CityName"}, {"CountrySubDivisionName"}, {"CountryID"}},
	},
	iban:           path{ciiIBAN + "PayeePartyCreditorFinancialAccount/IBANID"},
	account:        path{ciiIBAN + "PayeePartyCreditorFinancialAccount/ProprietaryID"},
	payer:          path{ciiIBAN + "PayerPartyDebtorFinancialAccount/IBANID"},
	payee:          path{ciiSettlement + "PayeeTradeParty"},
	typeCode:       path{ciiTypeCode},
	buyerReference: path{ciiAgreement + "BuyerReference"},
	delivered:      path{ciiDelivery + "ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString"},
	prepaid:        ciiSums("TotalPrepaidAmount"),
	rounding:       ciiSums("RoundingAmount"),
	payable:        ciiSums("DuePayableAmount"),
	subtotal: sumPlaces{
		sum:      ciiSums("TaxBasisTotalAmount"),
		fallback: ciiSums("LineTotalAmount"),
		between:  ciiSums("ChargeTotalAmount", "AllowanceTotalAmount"),
	},
	total: sumPlaces{
		sum:      ciiSums("GrandTotalAmount"),
		fallback: ciiSums("DuePayableAmount"),
		between:  ciiSums("TotalPrepaidAmount", "RoundingAmount"),
	},
	tax:   ciiSums("TaxTotalAmount"),
	taxes: path{ciiSettlement + "ApplicableTradeTax"},
	rate: taxPlaces{
		category: path{"CategoryCode"},
		rate:     path{"RateApplicablePercent"},
		base:     path{"BasisAmount"},
		amount:   path{"CalculatedAmount"},
	},
	charges: []chargePlaces{{
		charges:     path{ciiSettlement + "SpecifiedTradeAllowanceCharge"},
		isCharge:    path{"ChargeIndicator/Indicator"},
		description: path{"Reason", "ReasonCode"},
		amount:      path{"ActualAmount"},
		rate:        path{"CategoryTradeTax/RateApplicablePercent"},
	}, {
		charges:     path{ciiSettlement + "SpecifiedLogisticsServiceCharge"},
		description: path{"Description"},
		amount:      path{"AppliedAmount"},
		rate:        path{"AppliedTradeTax/RateApplicablePercent"},
	}},
	lines: path{ciiLine},
	line: linePlaces{
		sku: path{"SpecifiedTradeProduct/SellerAssignedID", "SpecifiedTradeProduct/BuyerAssignedID",
			"SpecifiedTradeProduct/GlobalID"},
		description: path{"SpecifiedTradeProduct/Name", "SpecifiedTradeProduct/Description"},
		notes:       path{"AssociatedDocumentLineDocument/IncludedNote/Content"},
		quantity:    path{"SpecifiedLineTradeDelivery/BilledQuantity"},
		price: path{"SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount",
			"SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount"},
		priceFor: path{"SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity",
			"SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/BasisQuantity"},
		amount: path{"SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
			"SpecifiedLineTradeSettlement/MonetarySummation/LineTotalAmount"},
		rate:      path{"SpecifiedLineTradeSettlement/ApplicableTradeTax/RateApplicablePercent"},
		discounts: path{"SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge"},
	},
	references: []referencePlaces{
		{"purchase-order", ciiNumbers(ciiAgreement + "BuyerOrderReferencedDocument")},
		{"sales-order", ciiNumbers(ciiAgreement + "SellerOrderReferencedDocument")},
		{"quotation", ciiNumbers(ciiAgreement + "QuotationReferencedDocument")},
		{"contract", ciiNumbers(ciiAgreement + "ContractReferencedDocument")},
		{"project", path{ciiAgreement + "SpecifiedProcuringProject/ID"}},
		{"", path{ciiAgreement + "AdditionalReferencedDocument"}},
		{"delivery-note", ciiNumbers(ciiDelivery+"DespatchAdviceReferencedDocument",
			ciiDelivery+"DeliveryNoteReferencedDocument")},
		{"goods-receipt", ciiNumbers(ciiDelivery + "ReceivingAdviceReferencedDocument")},
		{"invoice", ciiNumbers(ciiSettlement + "InvoiceReferencedDocument")},
		{"purchase-order", ciiNumbers(ciiLine + "/SpecifiedLineTradeAgreement/BuyerOrderReferencedDocument")},
		{"sales-order", ciiNumbers(ciiLine + "/SpecifiedLineTradeAgreement/SellerOrderReferencedDocument")},
		{"contract", ciiNumbers(ciiLine + "/SpecifiedLineTradeAgreement/ContractReferencedDocument")},
		{"delivery-note", ciiNumbers(ciiLine+"/SpecifiedLineTradeDelivery/DespatchAdviceReferencedDocument",
			ciiLine+"/SpecifiedLineTradeDelivery/DeliveryNoteReferencedDocument")},
		{"goods-receipt", ciiNumbers(ciiLine + "/SpecifiedLineTradeDelivery/ReceivingAdviceReferencedDocument")},
		{"invoice", ciiNumbers(ciiLine + "/SpecifiedLineTradeSettlement/InvoiceReferencedDocument")},
		{"", path{ciiLine + "/SpecifiedLineTradeAgreement/AdditionalReferencedDocument",
			ciiLine + "/SpecifiedLineTradeSettlement/AdditionalReferencedDocument"}},
	},
	flags: []flag{
		{path{"ExchangedDocumentContext/TestIndicator/Indicator"}, "true", "marked as a test"},
		{path{"ExchangedDocument/CopyIndicator/Indicator"}, "true", "marked as a copy"},
		{path{ciiTypeCode}, proForma, isProForma},
	},
}

// ciiSums are places among the totals, under the names of both releases.
func ciiSums(names ...string) (p path) {
	for _, name := range names {
		p = append(p, ciiSettlement+"SpecifiedTradeSettlementHeaderMonetarySummation/"+name,
			ciiSettlement+"MonetarySummation/"+name)
	}
	return p
}

// ciiNumbers are the places of the number in references, under the names of both releases.
func ciiNumbers(documents ...string) (p path) {
	for _, d := range documents {
		p = append(p, d+"/IssuerAssignedID", d+"/ID")
	}
	return p
}
