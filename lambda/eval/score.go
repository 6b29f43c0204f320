package eval

import (
	"maps"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"

	"github.com/google/uuid"
)

// Report has the figures of a matcher on a corpus. See Worst for its mistakes.
type Report struct {
	Documents   int `json:"documents"`   // measured
	Links       int `json:"links"`       // true pairs among them
	Edges       int `json:"edges"`       // predicted pairs
	Suggestions int `json:"suggestions"` // pairs considered but not predicted
	Undecided   int `json:"undecided"`   // suggestions waiting for a decision
	// Folded is the share of true pairs among the undecided ones folded away. The others are
	// the questions that people see.
	Folded Share `json:"folded"`

	// Pairwise weighs all pairs alike (micro).
	Pairwise Counts `json:"pairwise"`
	// Macro is the mean over the type pairs, each figure over the pairs where it is defined.
	Macro Rates `json:"macro"`
	// TypePairs lists the type pairs with a true or a predicted pair, in the order of a
	// purchase.
	TypePairs []TypePair `json:"type_pairs"`
	// BCubed covers all documents except contracts.
	BCubed BCubed `json:"b_cubed"`
	// CandidateRecall10 and CandidateRecall50 are the shares of directed pairs (document, true
	// partner) where the partner is among the document's first 10 or 50 candidates; 0 of 0 if
	// the candidates are unknown.
	CandidateRecall10 Share `json:"candidate_recall_10"`
	CandidateRecall50 Share `json:"candidate_recall_50"`
	// Abstention is the share of documents without an edge among those without a true partner.
	Abstention Share `json:"abstention"`
	// Decided is the share of documents needing no person, because they have an edge or no
	// undecided pair. Note that a document with an edge counts as decided even if another of
	// its pairs is undecided.
	Decided Share `json:"decided"`
	// ClustersDiffer is the share of documents with different clusters in the matcher and over
	// the edges. It should be 0; 0 of 0 if the matcher's clusters are unknown.
	ClustersDiffer Share `json:"clusters_differ"`

	// ECE is the expected calibration error: the mean difference between the score and the
	// share of true pairs, over tenths of the score, for the rules' matches and the pairs left
	// open by them.
	ECE Figure `json:"ece"`

	mistakes []Mistake // false positives, then false negatives, worst first
}

// Rates are precision, recall and F1, each 0 to 1.
type Rates struct {
	Precision Figure `json:"precision"`
	Recall    Figure `json:"recall"`
	F1        Figure `json:"f1"`
}

// Counts has numbers of pairs and their rates: precision TP/(TP+FP), recall TP/(TP+FN), F1
// 2TP/(2TP+FP+FN). So F1 is 0 if some pairs are true and none predicted, although precision is
// undefined.
type Counts struct {
	TP int `json:"tp"` // predicted and true
	FP int `json:"fp"` // predicted but not true
	FN int `json:"fn"` // true but not predicted
	Rates
}

// TypePair has the counts for pairs of two types.
type TypePair struct {
	A document.Type `json:"a_type"`
	B document.Type `json:"b_type"`
	Counts
}

// Share is a part of a whole, in documents or pairs.
type Share struct {
	Count int    `json:"count"`
	Of    int    `json:"of"`
	Share Figure `json:"share"` // Count/Of
}

func shareOf(count, of int) Share { return Share{count, of, ratio(float64(count), float64(of))} }

func (c *Counts) rate() {
	tp, fp, fn := float64(c.TP), float64(c.FP), float64(c.FN)
	c.Rates = Rates{ratio(tp, tp+fp), ratio(tp, tp+fn), ratio(2*tp, 2*tp+fp+fn)}
}

// Score compares the predicted pairs with the true ones. The order of the input doesn't
// matter, except for the candidates.
func Score(in Input) Report {
	s := newScorer(in)
	r := Report{Documents: len(s.docs), Links: len(s.links), Edges: len(s.edges), Suggestions: len(s.suggestions)}
	trulyFolded, folded := 0, 0
	for p, u := range s.suggestions {
		if u.Undecided {
			r.Undecided++
		}
		if u.Undecided && u.Folded {
			folded++
			if s.links[p] {
				trulyFolded++
			}
		}
	}
	r.Folded = shareOf(trulyFolded, folded)
	s.pairs(&r)
	r.BCubed, r.ClustersDiffer = s.clusters(in.Clusters)
	r.CandidateRecall10 = s.candidateRecall(in.Candidates, 10)
	r.CandidateRecall50 = s.candidateRecall(in.Candidates, 50)
	r.Abstention = s.abstention()
	r.Decided = s.decided()
	r.ECE = s.calibrationError()
	r.mistakes = s.mistakes()
	return r
}

// scorer is the input, by the positions of documents in id order.
type scorer struct {
	docs        []corpus.Document
	links       map[places]bool
	edges       map[places]Edge
	suggestions map[places]Suggestion
}

// places has the positions of two documents, the smaller first.
type places [2]int

func newScorer(in Input) *scorer {
	s := &scorer{docs: slices.Clone(in.Documents), links: make(map[places]bool, len(in.Links)),
		edges: make(map[places]Edge, len(in.Edges)), suggestions: make(map[places]Suggestion, len(in.Suggestions))}
	slices.SortFunc(s.docs, func(a, b corpus.Document) int { return slices.Compare(a.ID[:], b.ID[:]) })
	at := make(map[uuid.UUID]int, len(s.docs))
	for i, d := range s.docs {
		at[d.ID] = i
	}
	placesOf := func(p corpus.Pair) (pp places, ok bool) {
		a, okA := at[p.A]
		b, okB := at[p.B]
		return places{min(a, b), max(a, b)}, okA && okB && a != b
	}
	for _, l := range in.Links {
		if p, ok := placesOf(l); ok {
			s.links[p] = true
		}
	}
	for _, e := range in.Edges {
		if p, ok := placesOf(e.Pair); ok {
			s.edges[p] = e
		}
	}
	for _, u := range in.Suggestions {
		if p, ok := placesOf(u.Pair); ok {
			s.suggestions[p] = u
		}
	}
	return s
}

// pairs fills in the figures about pairs.
func (s *scorer) pairs(r *Report) {
	perTypes := make(map[[2]int]*TypePair) // by positions in document.Types
	counts := func(p places) *Counts {
		a, b := s.docs[p[0]].Type, s.docs[p[1]].Type
		if slices.Index(document.Types, a) > slices.Index(document.Types, b) {
			a, b = b, a
		}
		key := [2]int{slices.Index(document.Types, a), slices.Index(document.Types, b)}
		if perTypes[key] == nil {
			perTypes[key] = &TypePair{A: a, B: b}
		}
		return &perTypes[key].Counts
	}
	for p := range s.edges {
		if s.links[p] {
			counts(p).TP++
		} else {
			counts(p).FP++
		}
	}
	for p := range s.links {
		if _, ok := s.edges[p]; !ok {
			counts(p).FN++
		}
	}
	r.TypePairs = []TypePair{}
	var precisions, recalls, f1s []Figure
	inOrder := func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(perTypes), inOrder) {
		t := perTypes[key]
		t.rate()
		r.TypePairs = append(r.TypePairs, *t)
		r.Pairwise.TP, r.Pairwise.FP, r.Pairwise.FN = r.Pairwise.TP+t.TP, r.Pairwise.FP+t.FP, r.Pairwise.FN+t.FN
		precisions, recalls, f1s = append(precisions, t.Precision), append(recalls, t.Recall), append(f1s, t.F1)
	}
	r.Pairwise.rate()
	r.Macro = Rates{mean(precisions), mean(recalls), mean(f1s)}
}

func (s *scorer) candidateRecall(candidates map[uuid.UUID][]uuid.UUID, k int) Share {
	if candidates == nil {
		return Share{}
	}
	found := 0
	among := func(of, partner int) {
		list := candidates[s.docs[of].ID]
		if slices.Contains(list[:min(k, len(list))], s.docs[partner].ID) {
			found++
		}
	}
	for p := range s.links {
		among(p[0], p[1])
		among(p[1], p[0])
	}
	return shareOf(found, 2*len(s.links))
}

func (s *scorer) abstention() Share {
	linked, tied := touched(len(s.docs), s.links), touched(len(s.docs), s.edges)
	lone, left := 0, 0
	for i := range s.docs {
		if linked[i] {
			continue
		}
		lone++
		if !tied[i] {
			left++
		}
	}
	return shareOf(left, lone)
}

func (s *scorer) decided() Share {
	tied, open := touched(len(s.docs), s.edges), make([]bool, len(s.docs))
	for p, u := range s.suggestions {
		if u.Undecided {
			open[p[0]], open[p[1]] = true, true
		}
	}
	n := 0
	for i := range s.docs {
		if tied[i] || !open[i] {
			n++
		}
	}
	return shareOf(n, len(s.docs))
}

// touched reports for each of n documents whether it is in a pair.
func touched[V any](n int, pairs map[places]V) []bool {
	is := make([]bool, n)
	for p := range pairs {
		is[p[0]], is[p[1]] = true, true
	}
	return is
}
