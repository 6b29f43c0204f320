package rules

import (
	"cmp"
	"slices"

	"matchbook/lambda/match/score"
)

// Rivals are the other pairs of one of a pair's documents with documents of the
// same type: the competition as a model or a person sees it. Like the evidence it
// depends on the pairs of the two documents only. Numbers of pairs are 0, 1, or 2
// for several, so that an answer counts while many documents alike arrive.
type Rivals struct {
	Certain     int     // they belong to the document beyond doubt
	Equal       int     // they fit it as well as the pair
	Units, Left float64 // of the document: all, and without those of certain pairs; 0 if unknown
}

// several is the largest number of pairs that is told apart.
const several = 2

// rivals lists the competition of a pair of the group. A pair is certain by a
// person's word, or by points of its own that make a match whatever competes with it.
func (g *group) rivals(me *side) Rivals {
	r := Rivals{Units: me.all}
	var certain []*side
	for i := range g.sides {
		switch s := &g.sides[i]; {
		case s.rival == me.rival:
		case s.confirmed || s.points >= score.MatchAt && s.points > me.points+margin:
			certain = append(certain, s)
		case s.points >= me.points-margin:
			r.Equal = min(r.Equal+1, several)
		}
	}
	// The sum of decimals depends on their order, and the order of the pairs means nothing.
	slices.SortFunc(certain, func(a, b *side) int { return cmp.Compare(a.common, b.common) })
	r.Certain, r.Left = min(len(certain), several), max(me.all-commonUnits(certain), 0)
	return r
}
