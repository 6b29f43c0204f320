package eval

import (
	"cmp"
	"slices"

	"matchbook/lambda/document/corpus"
)

// Kind is the kind of a mistake.
type Kind string

// The kinds of mistakes.
const (
	FalsePositive Kind = "false-positive" // predicted but not true
	FalseNegative Kind = "false-negative" // true but not predicted
)

// Mistake is a wrongly decided pair.
type Mistake struct {
	Kind Kind `json:"kind"`
	corpus.Pair
	// Score is the score of the edge or the suggestion; undefined for a pair never considered.
	Score      Figure `json:"score"`
	Confidence string `json:"confidence,omitempty"` // of an edge
	DecidedBy  string `json:"decided_by,omitempty"` // of an edge
}

// Worst lists up to n false positives by descending score, then up to n false negatives: first
// suggestions by descending score, then pairs never considered. Ties are in id order.
func (r Report) Worst(n int) []Mistake {
	worst := []Mistake{}
	for _, kind := range []Kind{FalsePositive, FalseNegative} {
		taken := 0
		for _, m := range r.mistakes {
			if m.Kind == kind && taken < n {
				worst, taken = append(worst, m), taken+1
			}
		}
	}
	return worst
}

func (s *scorer) mistakes() (list []Mistake) {
	for p, e := range s.edges {
		if !s.links[p] {
			list = append(list, Mistake{FalsePositive, s.pair(p), Figure{e.Score, true}, e.Confidence, e.DecidedBy})
		}
	}
	for p := range s.links {
		if _, ok := s.edges[p]; !ok {
			u, considered := s.suggestions[p]
			list = append(list, Mistake{Kind: FalseNegative, Pair: s.pair(p), Score: Figure{u.Score, considered}})
		}
	}
	slices.SortFunc(list, worseFirst)
	return list
}

func (s *scorer) pair(p places) corpus.Pair {
	return corpus.Pair{A: s.docs[p[0]].ID, B: s.docs[p[1]].ID}
}

func worseFirst(a, b Mistake) int {
	if a.Score.defined != b.Score.defined {
		if a.Score.defined {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.Score.value, a.Score.value),
		slices.Compare(a.A[:], b.A[:]), slices.Compare(a.B[:], b.B[:]))
}
