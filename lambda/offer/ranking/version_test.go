package ranking

import (
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

func TestRosterKeepsVersion(t *testing.T) {
	t.Parallel()
	r := newWorld(1).roster(300)
	sets := map[int]string{}
	for _, a := range Versions() {
		r.Algorithm = a.Version
		x := index(t, r)
		for i := range x.users {
			offers := must.Get(x.Offers(x.users[i].id))(t)
			sets[a.Version] += encode(offers)
		}
	}
	if sets[1] == sets[2] || strings.Contains(sets[1], `"language"`) || !strings.Contains(sets[2], `"language"`) {
		t.Error("a roster for version 1 and the same for version 2 have to differ by the term language")
	}
}

// A misspelt wish was no limit for earlier versions; their rosters keep their sets.
func TestWishByVersion(t *testing.T) {
	t.Parallel()
	r := newWorld(1).roster(3)
	r.Rows[1].Preferences = []byte(`{"maxkm":5}`)
	for version, unreadable := range map[int]bool{1: false, 2: false, Current: true} {
		r.Algorithm = version
		e := must.Get(index(t, r).Explain(r.Rows[0].ID))(t)
		for _, c := range e.Candidates {
			if c.ID == r.Rows[1].ID && (c.Verdict == Unreadable) != unreadable {
				t.Errorf("version %d: %+v", version, c)
			}
		}
	}
}

func TestUnknownVersion(t *testing.T) {
	t.Parallel()
	r := newWorld(1).roster(3)
	r.Algorithm = 99
	if _, err := New(r); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("error %v", err)
	}
}

// The promises to users hold across versions, because a pair's days by one version are
// days by each other one or fewer.
func TestVersionsAreWhole(t *testing.T) {
	t.Parallel()
	for i, a := range Versions() {
		if a.Version != i+1 || a.Days%7 != 0 || a.Exposure < a.PerDay || a.PerDay < 1 || a.Part < 1 {
			t.Errorf("version %d at %d: %+v", a.Version, i, a)
		}
		for _, term := range append(a.Terms, a.Admits...) {
			if term.points == nil || term.most == nil || term.Name == "" || term.For == "" || term.Largest < 0 {
				t.Errorf("version %d: term %+v", a.Version, term)
			}
		}
	}
	if _, ok := algorithm(Current); !ok {
		t.Error("the current version is not in the table")
	}
}

// No candidate of a node may get more points than the node's bound, nor a term more
// than its largest.
func TestPointsWithinBounds(t *testing.T) {
	t.Parallel()
	for name, shape := range worlds {
		w := newWorld(2)
		shape(w)
		r := w.roster(200)
		r.Algorithm = 2 // it has all terms
		x := index(t, r)
		for _, part := range x.slots {
			for _, trees := range part {
				for _, grown := range trees {
					for i := range grown.nodes {
						checkBounds(t, name, x, grown, &grown.nodes[i])
					}
				}
			}
		}
	}
}

func checkBounds(t *testing.T, world string, x *Index, grown *tree, n *node) {
	t.Helper()
	for i := 0; i < len(x.users); i += 20 {
		u := &x.users[i]
		if u.err != nil {
			continue
		}
		in := n.bounds(u)
		for _, m := range grown.users[n.first:n.end] {
			p := between(u, &x.users[m])
			for _, term := range x.algorithm.Terms {
				if got, most := term.points(p), term.most(u, in); got > most || most > term.Largest {
					t.Fatalf("%s: %s gives %d points, bound %d, largest %d", world, term.Name, got, most, term.Largest)
				}
			}
			for _, f := range x.algorithm.Filters {
				if f.never != nil && f.never(u, in) && f.passes(p) && f.passes(p.turned()) {
					t.Fatalf("%s: a user passes filter %s in a node that it rules out", world, f.Name)
				}
			}
		}
	}
}
