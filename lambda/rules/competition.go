package rules

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/score"

	"github.com/google/uuid"
)

// margin is the lead in points that makes one pair better than another.
const margin = 8

// standing is the rank of a pair among the others of one of its documents, the
// weakest first.
type standing int

const (
	displaced standing = iota // better pairs use up all units of the document
	tied                      // others are as good, and there is no room for all
	room                      // there is room for all of them
	alone                     // no other is as good
	addsUp                    // with others that are as good it makes up the whole
)

// compete returns the evidence that the competition on both sides adds to a
// pair. Evidence against it counts from either side, being alone only from both.
func compete(p Pair, ofA, ofB []Pair) []score.Evidence {
	a, b := p.standing(p.A, ofA), p.standing(p.B, ofB)
	theOther := func(whose standing) (one, many string) {
		if whose == a {
			return p.TypeA.Words(), p.TypeB.Words()
		}
		return p.TypeB.Words(), p.TypeA.Words()
	}
	switch worst, best := min(a, b), max(a, b); {
	case worst == displaced:
		one, many := theOther(worst)
		return score.Taken.Because("Other %ss fit the %s better and leave nothing for this one.", many, one)
	case worst == tied && p.Cites(): // a document that cites two belongs to both
	case worst == tied:
		one, many := theOther(worst)
		return score.Tie.Because("Other %ss fit the %s as well, and they cannot all belong to it.", many, one)
	case best == addsUp:
		one, many := theOther(best)
		return score.AddsUp.Because("Alone or together with other %ss it makes up all of the %s.", many, one)
	case worst == alone:
		return score.Only.Because("No other %s fits the %s, and no other %s the %s.",
			p.TypeA.Words(), p.TypeB.Words(), p.TypeB.Words(), p.TypeA.Words())
	}
	return nil
}

// side is a pair as seen from one of its documents.
type side struct {
	points      int
	common, all float64 // units in common, and all units of the document
	self, other document.Type
	confirmed   bool
}

func (p Pair) from(id uuid.UUID) side {
	if p.A == id {
		return side{p.Points, p.Fit.Common, p.Fit.A, p.TypeA, p.TypeB, p.Verdict == Confirmed}
	}
	return side{p.Points, p.Fit.Common, p.Fit.B, p.TypeB, p.TypeA, p.Verdict == Confirmed}
}

// unknown reports whether units cannot be compared: then the room that the pair
// takes is unknown.
func (s side) unknown() bool { return s.all == 0 }

// standing compares a pair with the document's other pairs with documents of
// the same type.
func (p Pair) standing(id uuid.UUID, pairs []Pair) standing {
	me := p.from(id)
	var better, equal []side
	for _, q := range pairs {
		if q.Veto != "" && q.Verdict == "" || q.Verdict == Rejected || q.A == p.A && q.B == p.B {
			continue
		}
		switch r := q.from(id); {
		case r.other != me.other:
		case r.confirmed, r.points > me.points+margin:
			better = append(better, r)
		case r.points >= me.points-margin:
			equal = append(equal, r)
		}
	}
	switch {
	case len(better) == 0 && len(equal) == 0, hasMany(me.self, me.other):
		return alone
	case me.common == 0, slices.ContainsFunc(better, side.unknown), slices.ContainsFunc(equal, side.unknown):
		// The room is unknown.
		if len(better) > 0 {
			return displaced
		}
		return tied
	}
	used := commonUnits(better)
	switch {
	case sameUnits(used+me.common+commonUnits(equal), me.all):
		return addsUp
	case used+me.common > me.all*(1+tolerance):
		return displaced
	case used+me.common+commonUnits(equal) <= me.all:
		return room
	}
	return me.among(slices.Concat(better, equal))
}

// hasMany reports whether a document of one type may belong to any number of
// the other: a contract to its orders and invoices, an order to its revised
// confirmations.
func hasMany(one, many document.Type) bool {
	return one == document.Contract || one == document.PurchaseOrder && many == document.OrderConfirmation
}

// tolerance is the relative error of sums of units, which were read as decimals.
const tolerance = 1e-9

// sameUnits reports whether two sums of units are the same.
func sameUnits(a, b float64) bool { return max(a, b)-min(a, b) <= tolerance*max(a, b) }

func commonUnits(sides []side) (n float64) {
	for _, s := range sides {
		n += s.common
	}
	return n
}

// maxParts bounds the other pairs that among searches: their sets are 2^n.
const maxParts = 11

// among looks for the sets of pairs that make up exactly all units of the
// document. A pair in all of them adds up; if there are such sets and it is in
// none, others have taken its place; otherwise it is open.
func (s side) among(others []side) standing {
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
