package eval_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"

	"github.com/google/uuid"
)

// random makes a small corpus and a prediction that is partly right.
func random(seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 0))
	var in eval.Input
	in.Documents = make([]corpus.Document, r.IntN(14))
	for i := range in.Documents {
		in.Documents[i] = corpus.Document{ID: num(1 + i), Type: document.Types[r.IntN(len(document.Types))]}
	}
	in.Candidates, in.Clusters = make(map[uuid.UUID][]uuid.UUID), make(map[uuid.UUID]uuid.UUID)
	density := r.Float64() / 4
	for i, a := range in.Documents {
		for _, b := range in.Documents[i+1:] {
			p := corpus.PairOf(a.ID, b.ID)
			if r.Float64() < density {
				in.Links = append(in.Links, p)
			}
			switch x := r.Float64(); {
			case x < density:
				in.Edges = append(in.Edges, eval.Edge{Pair: p, Score: math.Round(r.Float64()*10) / 10})
			case x < 2*density:
				in.Suggestions = append(in.Suggestions, eval.Suggestion{Pair: p, Undecided: r.IntN(2) == 0})
			}
		}
		for _, at := range r.Perm(len(in.Documents)) {
			in.Candidates[a.ID] = append(in.Candidates[a.ID], in.Documents[at].ID)
		}
		if r.IntN(2) == 0 {
			in.Clusters[a.ID] = num(r.IntN(3))
		}
	}
	r.Shuffle(len(in.Documents), func(i, j int) { in.Documents[i], in.Documents[j] = in.Documents[j], in.Documents[i] })
	return in
}

// naive has every figure by its definition: a set for every question, every
// pair of documents looked at.
type naive struct {
	eval.Input
	links, edges, open map[corpus.Pair]bool
}

func newNaive(in eval.Input) naive {
	n := naive{in, map[corpus.Pair]bool{}, map[corpus.Pair]bool{}, map[corpus.Pair]bool{}}
	for _, l := range in.Links {
		n.links[l] = true
	}
	for _, e := range in.Edges {
		n.edges[e.Pair] = true
	}
	for _, s := range in.Suggestions {
		if s.Undecided {
			n.open[s.Pair] = true
		}
	}
	return n
}

// cluster returns the documents that can be reached over pairs that touch no contract.
func (n naive) cluster(id uuid.UUID, over map[corpus.Pair]bool) map[uuid.UUID]bool {
	contract := map[uuid.UUID]bool{}
	for _, d := range n.Documents {
		contract[d.ID] = d.Type == document.Contract
	}
	reached := map[uuid.UUID]bool{id: true}
	for grown := true; grown; {
		grown = false
		for p := range over {
			if !contract[p.A] && !contract[p.B] && reached[p.A] != reached[p.B] {
				reached[p.A], reached[p.B], grown = true, true, true
			}
		}
	}
	return reached
}

func common(a, b map[uuid.UUID]bool) (n float64) {
	for id := range a {
		if b[id] {
			n++
		}
	}
	return n
}

// bCubed follows the definition over pairs of documents: of the documents in the
// predicted cluster of a document, itself included, the share that is in its
// true cluster too, and the other way round.
func (n naive) bCubed() (precision, recall float64) {
	counted := 0.0
	for _, d := range n.Documents {
		if d.Type == document.Contract {
			continue
		}
		counted++
		predicted, truth := n.cluster(d.ID, n.edges), n.cluster(d.ID, n.links)
		precision += common(predicted, truth) / float64(len(predicted))
		recall += common(predicted, truth) / float64(len(truth))
	}
	return precision / counted, recall / counted
}

// pairwise looks at every pair of documents of these types.
func (n naive) pairwise(of func(a, b document.Type) bool) (tp, fp, fn float64) {
	for i, a := range n.Documents {
		for _, b := range n.Documents[i+1:] {
			p := corpus.PairOf(a.ID, b.ID)
			if !of(a.Type, b.Type) {
				continue
			}
			switch {
			case n.links[p] && n.edges[p]:
				tp++
			case n.edges[p]:
				fp++
			case n.links[p]:
				fn++
			}
		}
	}
	return tp, fp, fn
}

func (n naive) in(id uuid.UUID, set map[corpus.Pair]bool) bool {
	return slices.ContainsFunc(n.Documents, func(d corpus.Document) bool { return set[corpus.PairOf(id, d.ID)] })
}

// figures are the shares that are about documents, as numerator and denominator.
func (n naive) figures() (recall10, abstention, decided, differ [2]float64) {
	for _, d := range n.Documents {
		decided[1]++
		if n.in(d.ID, n.edges) || !n.in(d.ID, n.open) {
			decided[0]++
		}
		if !n.in(d.ID, n.links) {
			abstention[1]++
			if !n.in(d.ID, n.edges) {
				abstention[0]++
			}
		}
		own := map[uuid.UUID]bool{d.ID: true}
		for _, o := range n.Documents {
			if n.links[corpus.PairOf(d.ID, o.ID)] {
				recall10[1]++
				if at := slices.Index(n.Candidates[d.ID], o.ID); at >= 0 && at < 10 {
					recall10[0]++
				}
			}
			mine, ok := n.Clusters[d.ID]
			if theirs, too := n.Clusters[o.ID]; ok && too && mine == theirs {
				own[o.ID] = true
			}
		}
		differ[1]++
		if made := n.cluster(d.ID, n.edges); len(made) != len(own) || int(common(made, own)) != len(own) {
			differ[0]++
		}
	}
	return recall10, abstention, decided, differ
}

func same(f eval.Figure, want float64) bool {
	got, defined := f.Value()
	if math.IsNaN(want) {
		return !defined
	}
	return defined && math.Abs(got-want) < 1e-12
}

func f1(p, r float64) float64 { return 2 * p * r / (p + r) }

func TestScoreDefinitions(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1500) {
		in := random(seed)
		got, n := eval.Score(in), newNaive(in)
		check := func(name string, f eval.Figure, want float64) {
			t.Helper()
			if !same(f, want) {
				t.Fatalf("seed %d: %s is %s, want %v\n%+v", seed, name, f, want, in)
			}
		}
		rates := func(name string, c eval.Counts, of func(a, b document.Type) bool) {
			t.Helper()
			tp, fp, fn := n.pairwise(of)
			if c.TP != int(tp) || c.FP != int(fp) || c.FN != int(fn) {
				t.Fatalf("seed %d: %s: %+v, want %v %v %v", seed, name, c, tp, fp, fn)
			}
			check(name+" precision", c.Precision, tp/(tp+fp))
			check(name+" recall", c.Recall, tp/(tp+fn))
			check(name+" F1", c.F1, 2*tp/(2*tp+fp+fn))
		}
		rates("micro", got.Pairwise, func(_, _ document.Type) bool { return true })
		sum := eval.Counts{}
		for _, p := range got.TypePairs {
			rates(fmt.Sprint(p.A, p.B), p.Counts, func(a, b document.Type) bool { return a == p.A && b == p.B || a == p.B && b == p.A })
			sum.TP, sum.FP, sum.FN = sum.TP+p.TP, sum.FP+p.FP, sum.FN+p.FN
		}
		if sum.TP != got.Pairwise.TP || sum.FP != got.Pairwise.FP || sum.FN != got.Pairwise.FN {
			t.Fatalf("seed %d: the type pairs sum up to %+v, not %+v", seed, sum, got.Pairwise)
		}
		precision, recall := n.bCubed()
		check("B-cubed precision", got.BCubed.Precision, precision)
		check("B-cubed recall", got.BCubed.Recall, recall)
		check("B-cubed F1", got.BCubed.F1, f1(precision, recall))
		recall10, abstention, decided, differ := n.figures()
		check("candidate recall", got.CandidateRecall10.Share, recall10[0]/recall10[1])
		check("abstention", got.Abstention.Share, abstention[0]/abstention[1])
		check("decided", got.Decided.Share, decided[0]/decided[1])
		check("clusters differ", got.ClustersDiffer.Share, differ[0]/differ[1])
		if worst := got.Worst(1000); len(worst) != got.Pairwise.FP+got.Pairwise.FN {
			t.Fatalf("seed %d: %d mistakes, want %d", seed, len(worst), got.Pairwise.FP+got.Pairwise.FN)
		}
	}
}

// A matcher that predicts the truth is right everywhere, and one that
// swaps truth and prediction swaps precision and recall.
func TestScoreOfTruth(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		in := random(seed)
		mirror := eval.Input{Documents: in.Documents}
		for _, l := range in.Links {
			mirror.Edges = append(mirror.Edges, eval.Edge{Pair: l})
		}
		right := eval.Score(eval.Input{Documents: in.Documents, Links: in.Links, Edges: mirror.Edges})
		for _, f := range []eval.Figure{right.Pairwise.F1, right.BCubed.F1, right.Abstention.Share, right.Macro.F1} {
			if v, defined := f.Value(); defined && math.Abs(v-1) > 1e-12 {
				t.Fatalf("seed %d: the truth scores %+v", seed, right)
			}
		}
		for _, e := range in.Edges {
			mirror.Links = append(mirror.Links, e.Pair)
		}
		a, b := eval.Score(in), eval.Score(mirror)
		if a.Pairwise.Precision != b.Pairwise.Recall || a.Pairwise.F1 != b.Pairwise.F1 || a.BCubed.Precision != b.BCubed.Recall || a.BCubed.Recall != b.BCubed.Precision {
			t.Fatalf("seed %d: got %+v and mirrored %+v", seed, a, b)
		}
	}
}

func BenchmarkScore(b *testing.B) {
	const documents = 10_000
	r := rand.New(rand.NewPCG(1, 2))
	in := eval.Input{Candidates: make(map[uuid.UUID][]uuid.UUID), Clusters: make(map[uuid.UUID]uuid.UUID)}
	for i := range documents {
		in.Documents = append(in.Documents, corpus.Document{ID: num(i + 1), Type: document.Types[r.IntN(len(document.Types))]})
		near := corpus.PairOf(num(i+1), num(i+2))
		switch r.IntN(4) {
		case 0:
			in.Links = append(in.Links, near)
		case 1:
			in.Edges = append(in.Edges, eval.Edge{Pair: near, Score: r.Float64()})
		case 2:
			in.Links, in.Edges = append(in.Links, near), append(in.Edges, eval.Edge{Pair: near, Score: r.Float64()})
		case 3:
			in.Suggestions = append(in.Suggestions, eval.Suggestion{Pair: near, Score: r.Float64(), Undecided: true})
		}
		for range 50 {
			in.Candidates[num(i+1)] = append(in.Candidates[num(i+1)], num(r.IntN(documents)+1))
		}
		in.Clusters[num(i+1)] = num(i / 3)
	}
	for b.Loop() {
		eval.Score(in)
	}
	b.ReportMetric(float64(documents*b.N)/b.Elapsed().Seconds(), "documents/s")
}
