package score

import (
	"slices"

	"matchbook/lambda/document"
)

// mayMatch reports whether two types can be matched; it is symmetric.
func mayMatch(a, b document.Type) bool { return slices.Contains(matchable[a], b) }

// Matchable lists the types that a document of type t can be matched with.
func Matchable(t document.Type) []document.Type { return slices.Clone(matchable[t]) }

var matchable = func() map[document.Type][]document.Type {
	const po, oc, dn, gr, inv, cn, ct = document.PurchaseOrder, document.OrderConfirmation, document.DeliveryNote,
		document.GoodsReceipt, document.Invoice, document.CreditNote, document.Contract
	return map[document.Type][]document.Type{
		po:  {oc, dn, gr, inv, ct},
		oc:  {po},
		dn:  {po, gr, inv},
		gr:  {po, dn, inv, cn},
		inv: {po, dn, gr, cn, ct},
		cn:  {gr, inv},
		ct:  {po, inv},
	}
}()

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
