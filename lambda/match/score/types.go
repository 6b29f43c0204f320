package score

import (
	"slices"

	"matchbook/lambda/document"
)

// mayMatch reports whether two types can be matched; it is symmetric.
func mayMatch(a, b document.Type) bool { return slices.Contains(matchable[a], b) }

// Matchable lists the types that a document of type t can be matched with.
func Matchable(t document.Type) []document.Type { return slices.Clone(matchable[t]) }

var matchable = map[document.Type][]document.Type{
	document.PurchaseOrder: {document.OrderConfirmation, document.DeliveryNote, document.GoodsReceipt, document.Invoice,
		document.Contract},
	document.OrderConfirmation: {document.PurchaseOrder},
	document.DeliveryNote:      {document.PurchaseOrder, document.GoodsReceipt, document.Invoice},
	document.GoodsReceipt:      {document.PurchaseOrder, document.DeliveryNote, document.Invoice, document.CreditNote},
	document.Invoice: {document.PurchaseOrder, document.DeliveryNote, document.GoodsReceipt, document.CreditNote,
		document.Contract},
	document.CreditNote: {document.GoodsReceipt, document.Invoice},
	document.Contract:   {document.PurchaseOrder, document.Invoice},
}

// rank is the order in which documents follow each other in business.
var rank = map[document.Type]int{document.Contract: 0, document.PurchaseOrder: 1, document.OrderConfirmation: 2,
	document.DeliveryNote: 3, document.GoodsReceipt: 4, document.Invoice: 5, document.CreditNote: 6}

// inOrder returns the two documents in the order of business.
func inOrder(a, b *Document) (first, second *Document) {
	if rank[a.Type] > rank[b.Type] {
		return b, a
	}
	return a, b
}

// Between reports whether type x stands between a and b in the order of business.
func Between(a, x, b document.Type) bool {
	return (rank[a] < rank[x]) == (rank[x] < rank[b]) && rank[a] != rank[x] && rank[x] != rank[b]
}
