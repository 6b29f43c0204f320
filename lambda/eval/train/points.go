package train

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
)

// pointsPerOdd points more make the odds of a pair e times as high.
const pointsPerOdd = 10

// Each sample weighs as much as the others, however many links it has: massOfSample
// is the mass of its true pairs. The points of a kind of evidence move away from
// their reasoned value only against the mass of strength.
const (
	massOfSample = 1000
	strength     = 500
)

// rounds is the number of rounds of fitting. The competition depends on the points,
// so that each round decides it by those of the round before.
const rounds = 4

// fitted fits the points of evidence to samples.
func fitted(ctx context.Context, samples []*Sample) (all pointed, err error) {
	names := slices.Sorted(maps.Keys(score.Learned.Points))
	p := prior{make([]float64, len(names)), strength}
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i
		p.weights[i] = float64(score.Learned.Points[name]) / pointsPerOdd
	}
	all.Numbers = score.Learned
	for range rounds {
		rows, err := rowsOf(ctx, samples, all.Numbers, place)
		if err != nil {
			return all, err
		}
		weights, base := fit(rows, p)
		points := make(map[string]int, len(names))
		for i, name := range names {
			points[name] = int(math.Round(weights[i] * pointsPerOdd))
		}
		all = pointed{score.Learned.With(points), base}
	}
	return all, nil
}

// rowsOf collects the pairs of samples by their evidence.
func rowsOf(ctx context.Context, samples []*Sample, n *score.Numbers, place map[string]int) (rows []row, err error) {
	byEvidence := map[string]*row{}
	for _, s := range samples {
		links, mass := s.links(), massOfSample/float64(max(len(s.Links), 1))
		decisions, err := s.decide(ctx, n)
		if err != nil {
			return nil, err
		}
		for _, d := range decisions {
			if d.Pair.Veto != "" {
				continue
			}
			kinds := kindsOf(d, place)
			key := fmt.Sprint(kinds)
			r := byEvidence[key]
			if r == nil {
				r = &row{kinds: kinds}
				byEvidence[key] = r
			}
			if links[corpus.PairOf(d.A, d.B)] {
				r.yes += mass
			} else {
				r.no += mass
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(byEvidence)) {
		rows = append(rows, *byEvidence[key])
	}
	return rows, nil
}

func kindsOf(d rules.Decision, place map[string]int) (kinds []int) {
	for _, ev := range d.Evidence {
		kinds = append(kinds, place[ev.Name])
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
