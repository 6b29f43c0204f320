package rules

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// margin is the lead in points that makes one pair better than another.
const margin = 8

// standing is the rank of a pair among the others of one of its documents, weakest first.
type standing int

const (
	copied    standing = iota // another document of the same number comes first
	displaced                 // better pairs use up all units of the document
	farther                   // tied, but the others are nearer in time
	tied                      // others are as good, without room for all
	nearest                   // tied, but it is the nearest in time
	byNumber                  // it cites the document, so it has room
	room                      // there is room for all of them
	alone                     // no other is as good
	addsUp                    // with equally good others it makes up the whole
)

// compete returns the evidence that the competition on both sides adds to a pair. Use evidence
// against it from either side, but being alone must hold on both.
func compete(p *Pair, r rivalry) []score.Evidence {
	a, b := r.standings[0], r.standings[1]
	theOther := func(whose standing) (one, many string) {
		if whose == a {
			return p.TypeA.Words(), p.TypeB.Words()
		}
		return p.TypeB.Words(), p.TypeA.Words()
	}
	var chain []score.Evidence
	if r.via != "" {
		chain = score.Chain.Because("A %s connects them: one of the two cites it, and it cites the other.", r.via.Words())
	}
	worst, best := min(a, b), max(a, b)
	one, many := theOther(worst)
	switch {
	case worst == copied:
		return append(chain, score.Copy.Because("Another %s has the same number and fits the %s as well.", many, one)...)
	case worst < room && worst > displaced && len(chain) > 0: // a document citing two belongs to both
		return chain
	case worst == displaced:
		return append(chain, score.Taken.Because("Other %ss fit the %s better and leave nothing for this one.", many, one)...)
	case worst == farther:
		return score.Farther.Because("Other %ss fit the %s as well and are nearer in time.", many, one)
	case worst == tied:
		return score.Tie.Because("Other %ss fit the %s as well, and they cannot all belong to it.", many, one)
	case worst == nearest:
		return score.Nearest.Because("Of the %ss that fit the %s as well it is the nearest in time.", many, one)
	case best == addsUp:
		one, many = theOther(best)
		return append(chain, score.AddsUp.Because("Alone or together with other %ss it makes up all of the %s.", many, one)...)
	case worst == room:
		return append(chain, score.Room.Because("Other %ss fit the %s as well, and it has room for all of them.", many, one)...)
	case worst == alone:
		return append(chain, score.Only.Because("No other %s fits the %s, and no other %s the %s.",
			p.TypeA.Words(), p.TypeB.Words(), p.TypeB.Words(), p.TypeA.Words())...)
	}
	return chain
}

// means is the evidence against a pair if what one of the two cites is the very number of
// another document: X is cited and exists, so X/CO1 isn't. It doesn't hold against parts that
// add up to a whole, because a list of numbers may name only the first.
func (r rivalry) means(p *Pair) []score.Evidence {
	a, b := r.standings[0], r.standings[1]
	if parts := min(a, b) >= room && max(a, b) == addsUp; parts || !r.meant {
		return nil
	}
	cited, _ := p.Citation()
	return score.Meant.Because("The cited number %s is exactly another document's.", cited)
}

// side is a pair as seen from one of its documents.
type side struct {
	rival       uuid.UUID // the other document
	points      int
	common, all float64 // units in common, and all units of the document
	self, other document.Type
	confirmed   bool
	cites       bool      // the very number
	plain       bool      // see Pair.Plain
	far         score.End // of the other document
	days        int       // from the first in the order of business to the second
	dated       bool      // the days are known
}

// nearer reports whether the documents of s are nearer in time than those in r. The wrong
// order is farther than any time in the right one.
func (s *side) nearer(r *side) bool {
	if s.days < 0 || r.days < 0 {
		return s.days > r.days
	}
	return s.days < r.days
}

func (p *Pair) from(id uuid.UUID) side {
	s := side{rival: p.Other(id), points: p.Points, common: p.Fit.Common, confirmed: p.Verdict == Confirmed,
		cites: p.Cites(), plain: p.Plain()}
	a, b := p.Ends[0], p.Ends[1]
	if s.dated = !a.Date.IsZero() && !b.Date.IsZero(); s.dated {
		if s.days = a.Date.DaysUntil(b.Date); p.Later() == p.A {
			s.days = -s.days
		}
	}
	if p.A == id {
		s.all, s.self, s.other, s.far = p.Fit.A, p.TypeA, p.TypeB, b
	} else {
		s.all, s.self, s.other, s.far = p.Fit.B, p.TypeB, p.TypeA, a
	}
	return s
}

// unknown reports whether the pair takes unknown room, since its units cannot be compared.
func (s *side) unknown() bool { return s.all == 0 }

// copies reports whether the other documents of both pairs share a number: one is a copy, or
// the number was used again.
func (s *side) copies(r *side) bool { return s.far.Number != "" && s.far.Number == r.far.Number }

// before reports whether s comes before r, a pair with a document of the same number: it is
// better, nearer in time or was received earlier.
func (s *side) before(r *side) bool {
	switch {
	case s.confirmed != r.confirmed:
		return s.confirmed
	case s.points > r.points+margin, r.points > s.points+margin:
		return s.points > r.points
	case s.dated && r.dated && s.days != r.days:
		return s.nearer(r)
	}
	return s.far.Received < r.far.Received
}

// standing compares a pair with the others of its group. A pair that cites the document's
// number always has room, because a document citing two belongs to both.
func (g *group) standing(me *side, cites bool) standing {
	behind, many := false, hasMany(me.self, me.other)
	var better, equal []*side
	for i := range g.sides {
		switch r := &g.sides[i]; {
		case r.rival == me.rival:
		case me.copies(r) && !many:
			behind = behind || !me.before(r)
		case r.confirmed, r.points > me.points+margin:
			better = append(better, r)
		case r.points >= me.points-margin:
			equal = append(equal, r)
		}
	}
	switch {
	case behind:
		return copied
	case len(better) == 0 && len(equal) == 0, many:
		return alone
	case cites:
		return byNumber
	}
	return me.roomBeside(better, equal)
}

func (s *side) roomBeside(better, equal []*side) standing {
	switch {
	case s.common == 0, slices.ContainsFunc(better, (*side).unknown), slices.ContainsFunc(equal, (*side).unknown):
		// The room is unknown.
		if len(better) > 0 {
			return displaced
		}
		return s.inTime(equal)
	}
	used := commonUnits(better)
	switch {
	case sameUnits(used+s.common+commonUnits(equal), s.all):
		return addsUp
	case used+s.common > s.all*(1+tolerance):
		return displaced
	case used+s.common+commonUnits(equal) <= s.all:
		return room
	}
	if among := s.among(slices.Concat(better, equal)); among != tied {
		return among
	}
	return s.inTime(equal)
}

// inTime ranks equally good pairs by the time between their documents.
func (s *side) inTime(equal []*side) standing {
	first, last := s.dated, false
	for _, r := range equal {
		if !s.dated || !r.dated {
			return tied
		}
		first, last = first && s.nearer(r), last || r.nearer(s)
	}
	switch {
	case first:
		return nearest
	case last:
		return farther
	}
	return tied
}
