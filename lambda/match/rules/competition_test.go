package rules

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// drawPairs draws pairs among a few documents: at most one of each two.
func drawPairs(t *rapid.T) (pairs []Pair) {
	docs := []string{"order 1", "order 2", "confirmation", "delivery 1", "delivery 2", "receipt", "invoice 1", "invoice 2", "invoice 3", "credit", "contract"}
	for i, a := range docs {
		for _, b := range docs[:i] {
			if !slices.Contains(score.Matchable(typeOf(a)), typeOf(b)) || rapid.IntRange(0, 2).Draw(t, "is there") == 0 {
				continue
			}
			p := weighed(a, b, rapid.SampledFrom([]int{30, 40, 50, 55, 60, 65, 75, 90, 133}).Draw(t, "points"))
			unit := rapid.SampledFrom([]float64{0, 0, 0.1, 2, 3, 5, 8, 11})
			if p.Fit.A, p.Fit.B = unit.Draw(t, "units"), unit.Draw(t, "units"); p.Fit.A == 0 || p.Fit.B == 0 {
				p.Fit = score.Fit{}
			}
			p.Fit.Common = min(p.Fit.A, p.Fit.B)
			switch rapid.IntRange(0, 12).Draw(t, "verdict") {
			case 0:
				p.Verdict = Confirmed
			case 1:
				p.Verdict = Rejected
			case 2:
				p = vetoed(p)
			case 3, 4, 5:
				p = by("cites", p)
			case 6:
				p = by("cites-loosely", p)
			case 7, 8:
				p = by("other-citation", p)
			}
			if rapid.IntRange(0, 3).Draw(t, "dated") > 0 {
				p = dated(rapid.IntRange(-3, 3).Draw(t, "days"), p)
			}
			if rapid.IntRange(0, 3).Draw(t, "numbered") == 0 {
				p = received(rapid.Int64Range(0, 2).Draw(t, "received"), p)
			}
			if rapid.Bool().Draw(t, "flipped") {
				p = flipped(p)
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func documentsOf(pairs []Pair) (ids []uuid.UUID) {
	for _, p := range pairs {
		ids = append(ids, p.A, p.B)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// neighbourhood returns the pairs that a store reads to decide about the pairs of
// documents: their pairs, and the pairs of the documents paired with them.
func neighbourhood(pairs []Pair, documents ...uuid.UUID) Competition {
	c := Competition{Documents: documents}
	near := slices.Clone(documents)
	for _, p := range pairs {
		if slices.Contains(documents, p.A) || slices.Contains(documents, p.B) {
			near = append(near, p.A, p.B)
		}
	}
	for _, p := range pairs {
		if slices.Contains(near, p.A) || slices.Contains(near, p.B) {
			c.Pairs = append(c.Pairs, p)
		}
	}
	return c
}

// sorted returns the decisions, in the order of the ids.
func sorted(c Competition) []Decision {
	all := decided(c)
	slices.SortFunc(all, func(x, y Decision) int {
		return cmp.Or(slices.Compare(x.A[:], y.A[:]), slices.Compare(x.B[:], y.B[:]))
	})
	return all
}

func TestDecideIgnoresOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t)
		all := sorted(Competition{Documents: documentsOf(pairs), Pairs: pairs})
		if len(all) != len(pairs) {
			t.Fatalf("%d of %d pairs were decided", len(all), len(pairs))
		}
		shuffled := rapid.Permutation(pairs).Draw(t, "order")
		if got := sorted(Competition{Documents: rapid.Permutation(documentsOf(pairs)).Draw(t, "documents"), Pairs: shuffled}); !reflect.DeepEqual(got, all) {
			t.Fatalf("in another order: got %+v\nwant %+v", got, all)
		}
		for _, want := range all {
			if want.Score < 0 || want.Score > 1 || want.Evidence == nil {
				t.Fatalf("got %+v", want)
			}
			alone := sorted(neighbourhood(shuffled, want.A, want.B))
			i := slices.IndexFunc(alone, func(j Decision) bool { return j.A == want.A && j.B == want.B })
			if i < 0 || !reflect.DeepEqual(alone[i], want) {
				t.Fatalf("asked about its two documents alone: got %+v\nwant %+v", alone, want)
			}
		}
	})
}

func TestOtherPairsAreIrrelevant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t)
		if len(pairs) == 0 {
			t.Skip("the drawn set has no pairs")
		}
		p := rapid.SampledFrom(pairs).Draw(t, "pair")
		mine := slices.DeleteFunc(slices.Clone(pairs), func(q Pair) bool { return q.A != p.A && q.B != p.B && q.A != p.B && q.B != p.A })
		ours := func(pairs []Pair) Edge { return edgeOf(&p, newField(pairs).of(&p), plain, Bounds{}) }
		if got, want := ours(pairs), ours(mine); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		ofMine := decided(Competition{Documents: []uuid.UUID{p.A}, Pairs: mine})
		for _, j := range decided(Competition{Documents: []uuid.UUID{p.A}, Pairs: pairs}) {
			if j.A == p.A && j.B == p.B && !slices.ContainsFunc(ofMine, func(k Decision) bool { return reflect.DeepEqual(j, k) }) {
				t.Fatalf("got %+v\nwant one of %+v", j, ofMine)
			}
		}
	})
}

// citing is a pair of which one cites the other by this number.
func citing(kind, number string, p Pair) Pair {
	p = by(kind, p)
	p.Evidence[0].Cited = number
	return p
}

// A citation that may be a misread number keeps a pair open, unless it is exactly the number of
// another document.
func TestCitationKeepsPairOpen(t *testing.T) {
	t.Parallel()
	nearly := func(number string) Pair { // of a company, as loose citations are of one
		p := citing("cites-loosely", number, weighed("order 1", "invoice", 20))
		p.Evidence[0].Points = -10
		p.Evidence = append(p.Evidence, weighed("order 1", "invoice", 95).Evidence[1])
		return p
	}
	rejected := citing("cites", "47", weighed("order 2", "invoice", 95))
	rejected.Verdict = Rejected
	for _, tc := range []struct {
		name string
		pair Pair
		more []Pair
		open bool
	}{
		{"alone", nearly("47"), nil, true},
		{"it is the number of another", nearly("47"), []Pair{citing("cites", "47", weighed("order 2", "invoice", 95))}, false},
		{"another number is that of another", nearly("47"), []Pair{citing("cites", "48", weighed("order 2", "invoice", 95))}, true},
		{"nearly that of another", nearly("47"), []Pair{citing("cites-loosely", "47", weighed("order 2", "invoice", 95))}, true},
		{"a person has rejected the other", nearly("47"), []Pair{rejected}, true},
		{"two have the number", citing("cites", "47", weighed("order 1", "invoice", 60)),
			[]Pair{citing("cites", "47", weighed("order 2", "invoice", 95))}, true},
	} {
		got := decided(Competition{Documents: documentsOf([]Pair{tc.pair}), Pairs: append(tc.more, tc.pair)})
		for _, d := range got {
			if d.A == tc.pair.A && d.B == tc.pair.B && (d.Outcome != Dropped) != tc.open {
				t.Errorf("%s: got %s, %v", tc.name, d.Outcome, d.Evidence)
			}
		}
	}
}

// brief returns the pairs, brief unless they are of the document.
func brief(pairs []Pair, of uuid.UUID) []Pair {
	pairs = slices.Clone(pairs)
	for i, p := range pairs {
		if p.A != of && p.B != of {
			pairs[i].Brief, pairs[i].Evidence = true, p.Pair.Brief()
		}
	}
	return pairs
}

// near returns the pairs of a document and those of its partners in either list.
func near(id uuid.UUID, lists ...[]Pair) (near [][]Pair) {
	ids := []uuid.UUID{id}
	for _, p := range slices.Concat(lists...) {
		if p.A == id || p.B == id {
			ids = append(ids, p.Other(id))
		}
	}
	for _, list := range lists {
		near = append(near, slices.DeleteFunc(slices.Clone(list), func(p Pair) bool {
			return !slices.Contains(ids, p.A) && !slices.Contains(ids, p.B)
		}))
	}
	return near
}

// When the pairs of a document change, the decisions about all other pairs stay the
// same, but for those that Moved lists. It needs brief pairs only, of the
// document's partners.
func TestMovedFindsAllChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t)
		if rapid.Bool().Draw(t, "block") {
			pairs = drawBlock(t)
		}
		if len(pairs) == 0 {
			t.Skip("the drawn set has no pairs")
		}
		id := rapid.SampledFrom(documentsOf(pairs)).Draw(t, "document")
		before := slices.DeleteFunc(slices.Clone(pairs), func(p Pair) bool {
			return (p.A == id || p.B == id) && rapid.IntRange(0, 2).Draw(t, "is new") > 0
		})
		seen := near(id, before, pairs)
		moved := Moved(brief(seen[0], id), brief(seen[1], id))
		is := sorted(Competition{Documents: documentsOf(pairs), Pairs: pairs})
		for _, was := range sorted(Competition{Documents: documentsOf(before), Pairs: before}) {
			i := slices.IndexFunc(is, func(d Decision) bool { return d.A == was.A && d.B == was.B })
			found := slices.ContainsFunc(moved, func(p Pair) bool { return p.A == was.A && p.B == was.B })
			if !reflect.DeepEqual(is[i], was) && !found && was.A != id && was.B != id {
				t.Fatalf("was %+v\nis  %+v, and moved %v", was, is[i], moved)
			}
		}
	})
}

// Pairs that are brief do not change the decisions about others.
func TestBriefRivalsAreEnough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t)
		if len(pairs) == 0 {
			t.Skip("the drawn set has no pairs")
		}
		id := rapid.SampledFrom(documentsOf(pairs)).Draw(t, "document")
		want := slices.DeleteFunc(sorted(Competition{Documents: documentsOf(pairs), Pairs: pairs}), func(d Decision) bool { return d.A != id && d.B != id })
		if got := sorted(Competition{Documents: []uuid.UUID{id}, Pairs: brief(pairs, id)}); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
	})
}
