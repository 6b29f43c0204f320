package rules

import "matchbook/lambda/document"

// hasMany reports whether a document of one type may belong to any number of the other: a
// contract to its orders and invoices, an order to its revised confirmations.
func hasMany(one, many document.Type) bool {
	return one == document.Contract || one == document.PurchaseOrder && many == document.OrderConfirmation
}

// tolerance is the relative error of sums of units, since those were read as decimals.
const tolerance = 1e-9

func sameUnits(a, b float64) bool { return max(a, b)-min(a, b) <= tolerance*max(a, b) }

func commonUnits(sides []*side) (n float64) {
	for _, s := range sides {
		n += s.common
	}
	return n
}

// maxParts bounds the other pairs searched by among, because they have 2^n sets.
const maxParts = 11

// among looks for sets of pairs that make up exactly all units of the document. A pair in all
// of them adds up. If there are such sets and the pair is in none, others have taken its
// place. Otherwise it is open.
func (s *side) among(others []*side) standing {
	if len(others) > maxParts {
		return tied
	}
	with, without := 0, 0
	for set := range 1 << len(others) {
		n := 0.0
		for i, o := range others {
			if set&(1<<i) != 0 {
				n += o.common
			}
		}
		if sameUnits(n+s.common, s.all) {
			with++
		}
		if sameUnits(n, s.all) {
			without++
		}
	}
	switch {
	case with > 0 && without == 0:
		return addsUp
	case with == 0 && without > 0:
		return displaced
	}
	return tied
}
