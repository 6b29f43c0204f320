package train

import (
	"context"
	"math"
	"slices"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
)

// Learn learns the thresholds and the probabilities from samples. The order of their documents
// doesn't matter.
func Learn(ctx context.Context, samples []*Sample) (*score.Numbers, error) {
	var all []judged
	for _, s := range samples {
		j, err := s.judge(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, j...)
	}
	return choose(all), nil
}

// Corpora returns the names of the samples' corpora.
func Corpora(samples []*Sample) (names []string) {
	for _, s := range samples {
		if !slices.Contains(names, s.Corpus) {
			names = append(names, s.Corpus)
		}
	}
	return names
}

// judged is a pair of a sample with its points. See choose for its use.
type judged struct {
	sample       *Sample
	points       int
	agrees, link bool
}

// judge returns the sample's pairs with their points, without the pairs the rules never match.
func (s *Sample) judge(ctx context.Context) (list []judged, err error) {
	n := *score.Learned
	n.SuggestAt, n.MatchAt, n.HighAt = math.MinInt32, math.MinInt32, math.MaxInt32
	decisions, err := s.decide(ctx, &n)
	if err != nil {
		return nil, err
	}
	links := s.links()
	for _, d := range decisions {
		if d.Outcome == rules.Matched {
			list = append(list, judged{s, d.Points, score.Agree(d.Evidence), links[corpus.PairOf(d.A, d.B)]})
		}
	}
	return list, nil
}

// links returns the set of true links.
func (s *Sample) links() map[corpus.Pair]bool {
	links := make(map[corpus.Pair]bool, len(s.Links))
	for _, l := range s.Links {
		links[l] = true
	}
	return links
}
