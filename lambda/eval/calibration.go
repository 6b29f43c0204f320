package eval

import "math"

// tenths has the pairs in each tenth of the score.
type tenths [10]struct{ pairs, score, right float64 }

func (t *tenths) add(score float64, right bool) {
	b := &t[min(max(int(score*10), 0), 9)]
	b.pairs++
	b.score += score
	if right {
		b.right++
	}
}

// calibrationError compares the rules' scores with the share of true pairs (Naeini and others,
// Obtaining Well Calibrated Probabilities, 2015).
func (s *scorer) calibrationError() Figure {
	var t tenths
	for p, e := range s.edges {
		if e.DecidedBy == "rules" {
			t.add(e.Score, s.links[p])
		}
	}
	for p, u := range s.suggestions {
		if u.Undecided {
			t.add(u.Score, s.links[p])
		}
	}
	off, all := 0.0, 0.0
	for _, b := range t {
		off, all = off+math.Abs(b.score-b.right), all+b.pairs
	}
	return ratio(off, all)
}
