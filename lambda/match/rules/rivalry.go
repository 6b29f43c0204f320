package rules

import (
	"cmp"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// rivalry is the effect of other pairs of its two documents on a pair. A decision depends only on
// it and on the pair itself. It is zero for a pair decided by a person or out of the question.
type rivalry struct {
	standings [2]standing   // at A and at B
	rivals    [2]Rivals     // at A and at B
	via       document.Type // of a document connecting the two by citations; or empty
	elsewhere document.Type // of a document connecting one of the two to another than the other; or empty
	third     third         // of documents between the two
	meant     bool          // its citation is the very number of another document
}

// field holds pairs in the form used to compare them. Equal pairs of a document are compared
// with the others once.
type field struct {
	groups map[seat]*group
	legs   map[uuid.UUID]map[uuid.UUID]document.Type // parts of chains, by document and other document
	others map[[2]uuid.UUID]bool                     // documents that don't cite each other, but another one
	exact  map[citation]bool
	links  map[seat][]uuid.UUID // see linked
	// partners are the known documents of each document asked for.
	partners map[uuid.UUID][]partner
}

// seat is a document, and the type of the documents competing for it.
type seat struct {
	id    uuid.UUID
	other document.Type
}

// citation is a citation of the very number of a document's partner.
type citation struct {
	id    uuid.UUID
	cited string
}

// group holds the pairs competing for a seat.
type group struct {
	sides   []side
	numbers map[string]int // sides by the other document's number
	known   map[class]place
}

// class holds everything in which the pairs of a group differ for a comparison.
type class struct {
	points, days int
	common, all  float64
	dated, cites bool
	number       string // if several pairs of the group have it
	received     int64  // if there is such a number
}

type place struct {
	standing standing
	rivals   Rivals
}

func newField(pairs []Pair) *field {
	f := &field{groups: map[seat]*group{}, legs: map[uuid.UUID]map[uuid.UUID]document.Type{},
		others: map[[2]uuid.UUID]bool{}, exact: map[citation]bool{}, links: map[seat][]uuid.UUID{},
		partners: map[uuid.UUID][]partner{}}
	for i := range pairs {
		p := &pairs[i]
		if p.Verdict == Rejected || p.Veto != "" && p.Verdict == "" {
			continue
		}
		if p.leg() {
			f.leg(p.A, p.B, p.TypeB)
			f.leg(p.B, p.A, p.TypeA)
		}
		if p.CitesOther() {
			f.others[[2]uuid.UUID{p.A, p.B}], f.others[[2]uuid.UUID{p.B, p.A}] = true, true
		}
		if cited, exact := p.Citation(); exact && p.Veto == "" {
			f.exact[citation{p.A, cited}], f.exact[citation{p.B, cited}] = true, true
		}
		f.add(p, p.A, p.TypeB)
		f.add(p, p.B, p.TypeA)
	}
	return f
}

func (f *field) leg(id, other uuid.UUID, of document.Type) {
	if f.legs[id] == nil {
		f.legs[id] = map[uuid.UUID]document.Type{}
	}
	f.legs[id][other] = of
}

func (f *field) add(p *Pair, id uuid.UUID, other document.Type) {
	s, g := p.from(id), f.group(id, other)
	g.sides = append(g.sides, s)
	if s.far.Number != "" {
		g.numbers[s.far.Number]++
	}
}

func (f *field) group(id uuid.UUID, other document.Type) *group {
	at := seat{id, other}
	if f.groups[at] == nil {
		f.groups[at] = &group{numbers: map[string]int{}, known: map[class]place{}}
	}
	return f.groups[at]
}

// of compares a pair with all others. The pair may be in the field itself.
func (f *field) of(p *Pair) (r rivalry) {
	if p.Verdict != "" || p.Veto != "" {
		return rivalry{}
	}
	a, b := f.place(p, p.A, p.TypeB), f.place(p, p.B, p.TypeA)
	r.standings, r.rivals, r.via = [2]standing{a.standing, b.standing}, [2]Rivals{a.rivals, b.rivals}, f.via(p)
	r.third, r.elsewhere = f.third(p), f.elsewhere(p)
	if cited, exact := p.Citation(); cited != "" && !exact {
		r.meant = f.exact[citation{p.A, cited}] || f.exact[citation{p.B, cited}]
	}
	return r
}

func (f *field) place(p *Pair, id uuid.UUID, other document.Type) place {
	me := p.from(id)
	return f.group(id, other).place(&me)
}

// place compares a pair with the others of the group, once for all that are alike.
func (g *group) place(me *side) place {
	c := class{me.points, me.days, me.common, me.all, me.dated, me.cites, "", 0}
	if g.numbers[me.far.Number] > 1 {
		c.number, c.received = me.far.Number, me.far.Received
	}
	known, ok := g.known[c]
	if !ok {
		known = place{g.standing(me, c.cites), g.rivals(me)}
		g.known[c] = known
	}
	return known
}

// via is the type of a document connecting the two of a pair: the later one cites it, and it
// cites the earlier. An invoice citing a delivery, for example, belongs to the order cited by
// the delivery. Of several types, via returns the least.
func (f *field) via(p *Pair) (least document.Type) {
	if p.Cites() || p.TypeA == document.Contract || p.TypeB == document.Contract {
		return ""
	}
	few, many := f.legs[p.A], f.legs[p.B]
	if len(few) > len(many) {
		few, many = many, few
	}
	for id, t := range few {
		if _, both := many[id]; both && score.Between(p.TypeA, t, p.TypeB) && (least == "" || t < least) {
			least = t
		}
	}
	return least
}

// elsewhere is the type of a document that belongs to one of the two by a citation, and cites
// another document than the other: the invoice of a delivery, and an order that isn't the delivery's.
// Of several types, it returns the least.
func (f *field) elsewhere(p *Pair) (least document.Type) {
	if p.CitesAnyhow() {
		return ""
	}
	for _, ends := range [][2]uuid.UUID{{p.A, p.B}, {p.B, p.A}} {
		for id, t := range f.legs[ends[0]] {
			if f.others[[2]uuid.UUID{id, ends[1]}] && score.Between(p.TypeA, t, p.TypeB) && (least == "" || t < least) {
				least = t
			}
		}
	}
	return least
}

// leg reports whether a pair can be part of a chain: a direct citation, or a person's
// confirmation. Outcomes of the rules must not count, so that the decision about a pair never
// depends on decisions about others.
func (p *Pair) leg() bool {
	return p.Verdict == Confirmed || p.Verdict == "" && p.Veto == "" && p.Cites()
}

// Rivals is the competition as a model or a person sees it: the other pairs of one of a pair's
// documents with documents of the same type. Like evidence, it depends only on the pairs of
// the two documents. Counts are 0, 1, or 2 for several, so that an answer still counts while
// many like documents arrive.
type Rivals struct {
	Certain     int     // they belong to the document beyond doubt
	Equal       int     // they fit it as well as the pair
	Nearer      int     // of them, nearer in time than the pair
	Units, Left float64 // of the document: all, and without the certain pairs; 0 if unknown
}

const several = 2

// twins reports whether all that competes with a pair is a single document on one side or on
// each, which fits as well and at the same time: one of two is right, and neither is likelier.
func (r rivalry) twins() bool {
	tie := false
	for i, s := range r.standings {
		single := s == tied && r.rivals[i].Equal == 1 && r.rivals[i].Certain == 0
		if s < byNumber && !single {
			return false
		}
		tie = tie || single
	}
	return tie
}

// rivals counts the competition of a pair of the group. A pair is certain if a person
// confirmed it, or if its points make a match whatever competes with it.
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
			if s.dated && me.dated && s.nearer(me) {
				r.Nearer = min(r.Nearer+1, several)
			}
		}
	}
	// The result must not depend on the order of pairs, but a sum of floats does.
	slices.SortFunc(certain, func(a, b *side) int { return cmp.Compare(a.common, b.common) })
	r.Certain, r.Left = min(len(certain), several), max(me.all-commonUnits(certain), 0)
	return r
}
