package rules

import (
	"encoding/binary"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// third is the effect of documents between the two of a pair.
type third int

const (
	noThird      third = iota
	implied            // one belongs to both
	throughOrder       // of a contract and an invoice: an order belongs to both
	ofOtherOrder       // of a contract and an invoice: no order of the invoice belongs to the contract
	delivered          // of a contract and an invoice: the invoice is of a delivery, so it has an order
)

// between lists the types of documents that connect two others: what belongs to one receipt or
// delivery belongs together. An order doesn't connect its deliveries and invoices, because it may
// have several of each.
var between = map[[2]document.Type][]document.Type{
	{document.PurchaseOrder, document.DeliveryNote}: {document.GoodsReceipt},
	{document.PurchaseOrder, document.GoodsReceipt}: {document.DeliveryNote},
	{document.PurchaseOrder, document.Invoice}:      {document.GoodsReceipt, document.DeliveryNote},
	{document.GoodsReceipt, document.Invoice}:       {document.DeliveryNote},
	{document.DeliveryNote, document.Invoice}:       {document.GoodsReceipt},
	{document.Contract, document.Invoice}:           {document.PurchaseOrder, document.GoodsReceipt, document.DeliveryNote},
}

func connecting(a, b document.Type) []document.Type {
	if types, ok := between[[2]document.Type{a, b}]; ok {
		return types
	}
	return between[[2]document.Type{b, a}]
}

// third looks for the documents between the two of a pair. It depends only on the pairs of the
// two, because each judges its links by the competition on its side. A plain pair doesn't need
// any.
func (f *field) third(p *Pair) third {
	if p.Plain() {
		return noThird
	}
	contract := p.TypeA == document.Contract || p.TypeB == document.Contract
	for _, t := range connecting(p.TypeA, p.TypeB) {
		few, many := f.linked(p.A, t), f.linked(p.B, t)
		ordered := len(few) > 0 && p.TypeA == document.Invoice || len(many) > 0 && p.TypeB == document.Invoice
		common := slices.ContainsFunc(few, func(id uuid.UUID) bool {
			_, both := slices.BinarySearchFunc(many, id, compareIDs)
			return both
		})
		switch {
		case contract && common:
			return throughOrder
		case contract && ordered && t == document.PurchaseOrder:
			return ofOtherOrder
		case contract && ordered:
			return delivered
		case common:
			return implied
		}
	}
	return noThird
}

func compareIDs(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }

// linked lists the documents of a type that belong to a document by its own pairs, in id order:
// a person confirmed it, one cites the other, or the points and the competition on its side make
// a match.
func (f *field) linked(id uuid.UUID, t document.Type) []uuid.UUID {
	at := seat{id, t}
	list, known := f.links[at]
	if g := f.groups[at]; !known && g != nil {
		for i := range g.sides {
			if s := &g.sides[i]; g.belongs(s) {
				list = append(list, s.rival)
			}
		}
		slices.SortFunc(list, compareIDs)
		f.links[at] = list
	}
	return list
}

func (g *group) belongs(s *side) bool {
	if s.confirmed || s.plain {
		return true
	}
	known := g.place(s)
	return known.standing != copied && s.points+competing[known.standing].Points() >= score.MatchAt
}

// competing is the evidence of the competition on one side.
var competing = map[standing]score.Kind{displaced: score.Taken, farther: score.Farther, tied: score.Tie, nearest: score.Nearest,
	room: score.Room, alone: score.Only, addsUp: score.AddsUp}

// linksOf is a sum of the documents that connect the two of a pair to others, which is another
// one if these change.
func (f *field) linksOf(p *Pair) (sums [2]uint64) {
	if p.Plain() {
		return sums
	}
	for _, t := range connecting(p.TypeA, p.TypeB) {
		for i, id := range []uuid.UUID{p.A, p.B} {
			for _, other := range f.linked(id, t) {
				sums[i] += binary.BigEndian.Uint64(other[:8])*31 + binary.BigEndian.Uint64(other[8:])
			}
		}
	}
	return sums
}

// between is the evidence of a third document. Quantities or an amount that exceed the other
// document's outweigh it, and so do a better partner of one of the two, and a citation of the
// contract. A chain of citations is the better reason.
func (r rivalry) between(p *Pair) []score.Evidence {
	switch t := r.third; {
	case r.elsewhere != "" && r.via == "":
		return score.OtherChain.Because("A %s belongs to one of the two, and cites another document than the other.", r.elsewhere.Words())
	case t == implied && r.via == "" && min(r.standings[0], r.standings[1]) > displaced && !(p.ordered() && p.Exceeds()):
		return score.Implied.Because("A document that belongs to the %s belongs to the %s as well.", p.TypeA.Words(), p.TypeB.Words())
	case t == throughOrder && !p.CitesAnyhow():
		return score.ThroughOrder.Because("The invoice belongs to a purchase order of the contract, and doesn't cite the contract.")
	case t == delivered && !p.CitesAnyhow():
		return score.Delivered.Because("The invoice belongs to a delivery, so to an order, and doesn't cite the contract.")
	case t == ofOtherOrder && !p.CitesAnyhow():
		return score.OfOtherOrder.Because("The invoice belongs to a purchase order, which isn't the contract's.")
	}
	return nil
}

// ordered reports whether one of the two is a purchase order, which bounds the quantities of the
// other. A delivery or a receipt doesn't, because an invoice may bill several.
func (p *Pair) ordered() bool {
	return p.TypeA == document.PurchaseOrder || p.TypeB == document.PurchaseOrder
}
