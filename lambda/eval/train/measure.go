package train

import (
	"context"
	"slices"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
)

// Measurement is the outcome of the rules alone on a sample.
type Measurement struct {
	eval.Report
	Decisions map[corpus.Pair]rules.Decision
}

// Measure lets the rules decide about all pairs, using the given numbers, and compares the
// matches with the true links. It returns only the context's error.
func (s *Sample) Measure(ctx context.Context, n *score.Numbers) (Measurement, error) {
	decisions, err := s.decide(ctx, n)
	if err != nil {
		return Measurement{}, err
	}
	in := eval.Input{Documents: s.Documents, Links: s.Links}
	m := Measurement{Decisions: make(map[corpus.Pair]rules.Decision, len(decisions))}
	for _, d := range decisions {
		pair := corpus.PairOf(d.A, d.B)
		m.Decisions[pair] = d
		switch d.Outcome {
		case rules.Matched:
			in.Edges = append(in.Edges, eval.Edge{Pair: pair, Score: d.Score, Confidence: d.Confidence, DecidedBy: d.DecidedBy})
		case rules.Suggested:
			in.Suggestions = append(in.Suggestions, eval.Suggestion{Pair: pair, Score: d.Score, Undecided: d.Undecided})
		}
	}
	m.Report = eval.Score(in)
	return m, nil
}

// decide lets the rules decide about all pairs, using the given numbers.
func (s *Sample) decide(ctx context.Context, n *score.Numbers) ([]rules.Decision, error) {
	c := rules.Competition{Documents: s.ids(), Numbers: n}
	for _, p := range s.Pairs {
		if p.Veto == "" {
			p.Evidence = slices.Clone(p.Evidence) // because others read the sample's at the same time
			n.Weigh(p.Evidence)
			p.Points = score.Sum(p.Evidence)
		}
		if p.Counts() {
			c.Pairs = append(c.Pairs, p)
		}
	}
	return rules.Decide(ctx, c)
}
