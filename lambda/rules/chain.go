package rules

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/score"

	"github.com/google/uuid"
)

// chained returns the evidence of a chain: the later document of the pair cites
// a third one, which cites the earlier. An invoice that cites a delivery belongs
// to the order that the delivery cites.
func chained(p Pair, ofA, ofB []Pair) []score.Evidence {
	if p.Cites() || p.TypeA == document.Contract || p.TypeB == document.Contract {
		return nil
	}
	var via document.Type // the least, whatever the order of the pairs
	for _, q := range ofA {
		x, t := q.end(p.A)
		if !score.Between(p.TypeA, t, p.TypeB) || via != "" && via <= t || !q.leg() {
			continue
		}
		if slices.ContainsFunc(ofB, func(r Pair) bool { y, _ := r.end(p.B); return y == x && r.leg() }) {
			via = t
		}
	}
	if via == "" {
		return nil
	}
	return score.Chain.Because("A %s connects them: one of the two cites it, and it cites the other.", via.Words())
}

// leg reports whether a pair can be part of a chain: a direct citation, or a
// person's confirmation. An outcome of the rules cannot, so that what is decided
// about a pair does not depend on what is decided about others.
func (p Pair) leg() bool {
	return p.Verdict == Confirmed || p.Verdict == "" && p.Veto == "" && p.Cites()
}

// end is the other document of the pair, with its type.
func (p Pair) end(id uuid.UUID) (uuid.UUID, document.Type) {
	if p.A == id {
		return p.B, p.TypeB
	}
	return p.A, p.TypeA
}
