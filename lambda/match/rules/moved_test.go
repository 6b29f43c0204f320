package rules

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

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
