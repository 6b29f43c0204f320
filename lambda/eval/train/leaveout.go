package train

import (
	"context"
	"slices"
)

// Outcome has the figures of a sample with numbers learned without its corpus, and with
// numbers learned from all.
type Outcome struct {
	*Sample
	LeftOut, InSample Measurement
	Best              Baseline // of the simple rules
}

// LeaveOut leaves out each corpus in turn, learns from the others, and measures the left-out
// one.
func LeaveOut(ctx context.Context, samples []*Sample) (outcomes []Outcome, err error) {
	held := make([][]judged, len(samples))
	for i, s := range samples {
		if held[i], err = s.judge(ctx); err != nil {
			return nil, err
		}
	}
	all := choose(slices.Concat(held...))
	for _, s := range samples {
		var others []judged
		for j, o := range samples {
			if o.Corpus != s.Corpus {
				others = append(others, held[j]...)
			}
		}
		o := Outcome{Sample: s}
		if o.LeftOut, err = s.Measure(ctx, choose(others)); err != nil {
			return nil, err
		}
		if o.InSample, err = s.Measure(ctx, all); err != nil {
			return nil, err
		}
		simple, err := s.Baselines()
		if err != nil {
			return nil, err
		}
		o.Best = simple[0]
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}
