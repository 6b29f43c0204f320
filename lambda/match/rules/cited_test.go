package rules

import "testing"

// citing is a pair of which one cites the other by this number.
func citing(kind, number string, p Pair) Pair {
	p = by(kind, p)
	p.Evidence[0].Cited = number
	return p
}

// A citation that may be a misread number keeps a pair open, unless it is exactly the number of
// another document.
func TestACitationKeepsAPairOpenUnlessItMeansAnother(t *testing.T) {
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
