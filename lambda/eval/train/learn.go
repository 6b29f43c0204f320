package train

import (
	"context"
	"math"
	"slices"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
)

// Points are the source of the points of evidence.
type Points string

// The points are those that reason gives them (score/weights.go), or are fitted to
// known matches. The function has the former: on corpora left out, the latter are no
// better (LeaveOut).
const (
	Reasoned Points = "reasoned"
	Fitted   Points = "fitted"
)

// Learn learns the thresholds and the probabilities from samples, by pairs of
// corpora that are held out in turn, and the points first if they are to be fitted.
// It is the same for any order of their documents.
func Learn(ctx context.Context, samples []*Sample, by Points) (*score.Numbers, error) {
	all, err := learnPoints(ctx, samples, by)
	if err != nil {
		return nil, err
	}
	var held []judged
	for _, out := range Corpora(samples) {
		is := func(s *Sample) bool { return s.Corpus == out }
		rest := slices.DeleteFunc(slices.Clone(samples), is)
		if len(rest) == 0 {
			rest = samples // of one corpus, which cannot be held out
		}
		p, err := learnPoints(ctx, rest, by)
		if err != nil {
			return nil, err
		}
		for _, s := range samples {
			if !is(s) {
				continue
			}
			j, err := s.judge(ctx, p, all.base)
			if err != nil {
				return nil, err
			}
			held = append(held, j...)
		}
	}
	return choose(all.Numbers, held), nil
}

// Corpora lists the names of the corpora of samples.
func Corpora(samples []*Sample) (names []string) {
	for _, s := range samples {
		if !slices.Contains(names, s.Corpus) {
			names = append(names, s.Corpus)
		}
	}
	return names
}

// pointed are numbers with their points, and the log odds of a pair without any
// evidence, which make points that were fitted to other samples comparable.
type pointed struct {
	*score.Numbers
	base float64
}

func learnPoints(ctx context.Context, samples []*Sample, by Points) (pointed, error) {
	if by == Fitted {
		return fitted(ctx, samples)
	}
	return pointed{score.Learned, 0}, nil
}

// judged is a pair of a sample, and its points by numbers of other samples.
type judged struct {
	sample       *Sample
	points       int
	agrees, link bool
}

// judge gives each pair of the sample its points, on the scale of another base. A
// pair that the rules never match is left out.
func (s *Sample) judge(ctx context.Context, p pointed, base float64) (list []judged, err error) {
	n := *p.Numbers
	n.SuggestAt, n.MatchAt, n.HighAt = math.MinInt32, math.MinInt32, math.MaxInt32
	decisions, err := s.decide(ctx, &n)
	if err != nil {
		return nil, err
	}
	links, shift := s.links(), int(math.Round((p.base-base)*pointsPerOdd))
	for _, d := range decisions {
		if d.Outcome == rules.Matched {
			list = append(list, judged{s, d.Points + shift, score.Agree(d.Evidence), links[corpus.PairOf(d.A, d.B)]})
		}
	}
	return list, nil
}

// links is the set of true links.
func (s *Sample) links() map[corpus.Pair]bool {
	links := make(map[corpus.Pair]bool, len(s.Links))
	for _, l := range s.Links {
		links[l] = true
	}
	return links
}
