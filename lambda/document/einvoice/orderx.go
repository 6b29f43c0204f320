package einvoice

import "matchbook/lambda/document"

const orderXRoot = "SCRDMCCBDACIOMessageStructure"

// orderXVocabulary is the vocabulary of Order-X, the order of CII D20B.
var orderXVocabulary = &vocabulary{format: OrderX, kind: orderXKind, spaces: []string{
	"urn:un:unece:uncefact:data:" + orderXRoot + ":100", ciiSpace + "ReusableAggregateBusinessInformationEntity:128",
	ciiSpace + "UnqualifiedDataType:128", ciiSpace + "QualifiedDataType:128"}}

// orderXTypes are the codes of UNTDID 1001 in Order-X. A change (230) is refused, because it
// repeats only parts of the order.
var orderXTypes = map[string]document.Type{"220": document.PurchaseOrder, "231": document.OrderConfirmation}

func orderXKind(root *node) (document.Type, *mapping, string) {
	t, known := orderXTypes[root.one(path{ciiTypeCode})]
	if !known {
		return "", nil, "unsupported type code: expected an order or an order response"
	}
	return t, &orderXMapping, ""
}

// orderXMapping differs from an invoice's in the currency and in quantities, which a seller
// agrees to.
var orderXMapping = func() mapping {
	m := ciiMapping
	m.currency = path{ciiSettlement + "OrderCurrencyCode"}
	m.line.quantity = path{"SpecifiedLineTradeDelivery/AgreedQuantity", "SpecifiedLineTradeDelivery/RequestedQuantity"}
	m.flags = append(m.flags[:2:2], flag{path{"ExchangedDocument/StatusCode"}, "27", "order rejected by the seller"})
	return m
}()
