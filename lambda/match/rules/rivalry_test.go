package rules

import (
	"fmt"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// drawBlock draws the pairs of some orders and many invoices, of which many are
// equal.
func drawBlock(t *rapid.T) (pairs []Pair) {
	orders, invoices := rapid.IntRange(1, 3).Draw(t, "orders"), rapid.IntRange(1, 14).Draw(t, "invoices")
	for i := range orders {
		for j := range invoices {
			p := weighed(fmt.Sprint("order ", i), fmt.Sprint("invoice ", j), rapid.SampledFrom([]int{60, 60, 60, 66, 75, 90}).Draw(t, "points"))
			units := rapid.SampledFrom([]float64{0, 5, 10, 20}).Draw(t, "units")
			if p.Fit = (score.Fit{A: 20, B: units, Common: units}); p.TypeA == inv {
				p.Fit.A, p.Fit.B = units, 20
			}
			if units == 0 {
				p.Fit = score.Fit{}
			}
			switch rapid.IntRange(0, 12).Draw(t, "kind") {
			case 0:
				p.Verdict = Confirmed
			case 1:
				p.Verdict = Rejected
			case 2:
				p = vetoed(p)
			case 3:
				p = by("cites", p)
			case 4, 5:
				p = by("cites-loosely", p)
			}
			if rapid.Bool().Draw(t, "cited") && len(p.Evidence) > 0 {
				p.Evidence[0].Cited = rapid.SampledFrom([]string{"4500", "4501"}).Draw(t, "citation")
			}
			p = dated(rapid.IntRange(-1, 1).Draw(t, "days"), p)
			if rapid.IntRange(0, 3).Draw(t, "numbered") == 0 {
				p = received(rapid.Int64Range(0, 2).Draw(t, "received"), p)
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// What pairs have in common is computed once, and the result is the same as if
// each pair were compared with each other one.
func TestGroupingChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t)
		if rapid.Bool().Draw(t, "block") {
			pairs = drawBlock(t)
		}
		f := newField(pairs)
		for _, p := range pairs {
			if got, want := f.of(&p), oneByOne(p, pairs); got != want {
				t.Fatalf("of %+v\ngot  %+v\nwant %+v", p, got, want)
			}
		}
	})
}

// 0.1 and 0.2 and 0.3 are not 0.3 and 0.2 and 0.1 in floating point.
func TestSumsIgnoreOrder(t *testing.T) {
	t.Parallel()
	me := weighed("order", "invoice", 60, 8, 5, 5)
	var taken []Pair
	for i, units := range []float64{0.1, 0.2, 0.3, 5, 0.7, 1e-3} {
		taken = append(taken, verdict(Confirmed, weighed("order", fmt.Sprint("invoice ", i), 60, 8, units, units)))
	}
	want := newField(taken).of(&me).rivals
	rapid.Check(t, func(t *rapid.T) {
		if got := newField(rapid.Permutation(taken).Draw(t, "order")).of(&me).rivals; got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

// oneByOne is the plain form of field.of.
func oneByOne(p Pair, pairs []Pair) (r rivalry) {
	if p.Verdict != "" || p.Veto != "" {
		return r
	}
	for i, id := range [][16]byte{p.A, p.B} {
		g, me := &group{}, p.from(id)
		var chains []Pair
		for _, q := range pairs {
			switch {
			case q.A != id && q.B != id, q.Verdict == Rejected, q.Veto != "" && q.Verdict == "":
				continue
			case q.from(id).other == me.other:
				g.sides = append(g.sides, q.from(id))
			}
			chains = append(chains, q)
			cited, exact := p.Citation()
			theirs, very := q.Citation()
			r.meant = r.meant || cited != "" && cited == theirs && !exact && very && q.Veto == ""
		}
		r.standings[i], r.rivals[i] = g.standing(&me, p.Cites()), g.rivals(&me)
		if i == 0 {
			r.via = chained(p, chains, pairs)
		}
	}
	r.third, r.elsewhere = thirdOf(p, pairs), elsewhereOf(p, pairs)
	return r
}

// elsewhereOf is the plain form of field.elsewhere.
func elsewhereOf(p Pair, pairs []Pair) (least document.Type) {
	if p.CitesAnyhow() {
		return ""
	}
	for _, q := range pairs {
		for _, r := range pairs {
			var mine, its = p.A, p.B
			if q.A == its || q.B == its {
				mine, its = its, mine
			}
			x := q.from(mine)
			if (q.A != mine && q.B != mine) || !q.leg() || !score.Between(p.TypeA, x.other, p.TypeB) || r.Verdict == Rejected ||
				r.Veto != "" && r.Verdict == "" || !r.CitesOther() || r.A != its && r.B != its || r.Other(its) != x.rival {
				continue
			}
			if least == "" || x.other < least {
				least = x.other
			}
		}
	}
	return least
}

// thirdOf is the plain form of field.third.
func thirdOf(p Pair, pairs []Pair) third {
	belongs := func(id uuid.UUID, t document.Type) (list []uuid.UUID) {
		for _, q := range pairs {
			if q.A != id && q.B != id || q.Verdict == Rejected || q.Veto != "" && q.Verdict == "" || q.from(id).other != t {
				continue
			}
			g := &group{}
			for _, o := range pairs {
				if (o.A == id || o.B == id) && o.Verdict != Rejected && (o.Veto == "" || o.Verdict != "") && o.from(id).other == t {
					g.sides = append(g.sides, o.from(id))
				}
			}
			me := q.from(id)
			s := g.standing(&me, q.Cites())
			if me.confirmed || q.Plain() || s != copied && q.Points+competing[s].Points() >= score.MatchAt {
				list = append(list, me.rival)
			}
		}
		return list
	}
	if p.Plain() {
		return noThird
	}
	contract := p.TypeA == ct || p.TypeB == ct
	for _, t := range connecting(p.TypeA, p.TypeB) {
		ofA, ofB := belongs(p.A, t), belongs(p.B, t)
		ordered := len(ofA) > 0 && p.TypeA == inv || len(ofB) > 0 && p.TypeB == inv
		if slices.ContainsFunc(ofA, func(id uuid.UUID) bool { return slices.Contains(ofB, id) }) {
			if t == po {
				return throughOrder
			}
			return implied
		}
		if ordered && contract {
			return map[bool]third{true: ofOtherOrder, false: delivered}[t == po]
		}
	}
	return noThird
}

// chained is the least type of a document in a chain between those of a pair.
func chained(p Pair, ofA, all []Pair) (via document.Type) {
	if p.Cites() || p.TypeA == ct || p.TypeB == ct {
		return ""
	}
	for _, q := range ofA {
		side := q.from(p.A)
		if !q.leg() || !score.Between(p.TypeA, side.other, p.TypeB) || via != "" && via <= side.other {
			continue
		}
		if slices.ContainsFunc(all, func(r Pair) bool {
			return r.leg() && (r.A == p.B || r.B == p.B) && r.Other(p.B) == side.rival
		}) {
			via = side.other
		}
	}
	return via
}

// Orders and invoices of which each fits each other.
//
//	go test ./lambda/match/rules -run '^$' -bench Alike -benchtime 3x
func BenchmarkDecideAlike(b *testing.B) {
	for _, n := range []int{20, 60, 120, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var c Competition
			for i := range n {
				for j := range n {
					p := weighed(fmt.Sprint("order ", i), fmt.Sprint("invoice ", j), 60, 10, 10, 10)
					c.Pairs = append(c.Pairs, p)
					c.Documents = append(c.Documents, p.A, p.B)
				}
			}
			for b.Loop() {
				result(c)
			}
		})
	}
}
