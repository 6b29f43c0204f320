package rules

import (
	"context"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/score"

	"github.com/google/uuid"
)

// Competition is the part of all pairs that decides about some documents.
type Competition struct {
	Documents []uuid.UUID // their pairs are to be decided
	Pairs     []Pair      // all pairs of these documents and of the documents paired with them
}

// Pair is a score, and the words of a person and of a model about it.
type Pair struct {
	score.Pair
	Verdict Verdict
	Asked   Asked // a model's answer
}

// Verdict is a person's confirmation or rejection of a pair; empty without one.
type Verdict string

// The verdicts. They are kept for ever, or until the person gives the other.
const (
	Confirmed Verdict = "confirmed"
	Rejected  Verdict = "rejected"
)

// Decision is the outcome for one pair, with its score and the reasons.
type Decision struct {
	Edge
	Pair    Pair
	Outcome Outcome
	// Undecided: the rules leave the pair to a model, whether one was asked or not.
	Undecided bool
	// About is a hash of the evidence of an undecided pair: an answer counts for
	// the same evidence only.
	About string
}

// Outcome is the fate of a pair.
type Outcome string

// The outcomes.
const (
	Matched Outcome = "matched"
	// Suggested pairs are listed for people: undecided, out of the question, rejected
	// by a person, or unlikely by a model's answer.
	Suggested Outcome = "suggested"
	Dropped   Outcome = "dropped"
)

// Thresholds of a pair's points, of 100.
const (
	SuggestAt = 50 // undecided
	MatchAt   = 75 // a match, of medium confidence
	highAt    = 85
)

// Decide decides about every pair of the documents. It is a pure function; its
// only error is the context's, as the writers of a tenant wait meanwhile.
func Decide(ctx context.Context, c Competition) (all []Decision, err error) {
	pairs := make(map[uuid.UUID][]Pair)
	for _, p := range c.Pairs {
		pairs[p.A], pairs[p.B] = append(pairs[p.A], p), append(pairs[p.B], p)
	}
	wanted := make(map[uuid.UUID]bool, len(c.Documents))
	for _, id := range c.Documents {
		wanted[id] = true
	}
	for _, p := range c.Pairs {
		if !wanted[p.A] && !wanted[p.B] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := Decision{Edge: edgeOf(p, pairs[p.A], pairs[p.B]), Pair: p, Outcome: Dropped}
		switch {
		case p.Verdict == Confirmed, p.Verdict == "" && p.Veto == "" && d.Score >= MatchAt/100.:
			d.Outcome = Matched
		case p.Verdict == Rejected, p.Veto != "":
			d.Outcome = Suggested
		case d.Score >= SuggestAt/100.:
			d.Outcome, d.Undecided, d.About = Suggested, true, fingerprint(d.Evidence)
			switch {
			case p.Asked.About == d.About:
				d.Follow(p.Asked)
			case p.Asked.Owed:
				d.Owe()
			}
		}
		all = append(all, d)
	}
	return all, nil
}

// undecided begins the reasoning of pairs that the rules leave open.
const undecided = "Undecided. "

// edgeOf adds the competition to the evidence of a pair and sums it up: the
// points of each family up to its cap (score.Sum), and all of them between 0 and
// 100, as a score from 0 to 1.
func edgeOf(p Pair, ofA, ofB []Pair) Edge {
	e := Edge{A: p.A, B: p.B, DecidedBy: "rules", Confidence: "medium", Evidence: slices.Clone(p.Evidence)}
	if p.Verdict == "" && p.Veto == "" {
		e.Evidence = append(e.Evidence, compete(p, ofA, ofB)...)
		e.Score = float64(max(0, min(score.Sum(e.Evidence), 100))) / 100
	}
	if e.Score >= highAt/100. {
		e.Confidence = "high"
	}
	texts := make([]string, len(e.Evidence))
	for i, ev := range e.Evidence {
		texts[i] = ev.Text
	}
	e.Reasoning = strings.Join(texts, " ")
	switch {
	case p.Verdict == Confirmed:
		e.Score, e.Confidence, e.DecidedBy, e.Reasoning = 1, "high", "person", "Confirmed by a person."
	case p.Verdict == Rejected:
		e.DecidedBy, e.Reasoning = "person", "Rejected by a person."
	case p.Veto != "":
		e.Reasoning = "Not matched. " + p.Veto + " " + e.Reasoning
	case e.Score < MatchAt/100.:
		e.Reasoning = undecided + e.Reasoning
	}
	return e
}

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

// Edge is a match or a suggestion: two documents, A < B, and why.
type Edge struct {
	A, B       uuid.UUID
	Score      float64 // 0 to 1
	Confidence string  // high or medium
	DecidedBy  string  // rules, model or person
	Reasoning  string
	Evidence   []score.Evidence
}

// With returns the competition with the given pairs in place of their earlier
// versions.
func (c Competition) With(pairs []Pair) Competition {
	now := make(map[[2]uuid.UUID]Pair, len(pairs))
	for _, p := range pairs {
		now[[2]uuid.UUID{p.A, p.B}] = p
	}
	c.Pairs = slices.Clone(c.Pairs)
	for i, p := range c.Pairs {
		if p, ok := now[[2]uuid.UUID{p.A, p.B}]; ok {
			c.Pairs[i] = p
		}
	}
	return c
}
