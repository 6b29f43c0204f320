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
	all, err := Learn(ctx, samples)
	if err != nil {
		return nil, err
	}
	for _, out := range Corpora(samples) {
		is := func(s *Sample) bool { return s.Corpus == out }
		n, err := Learn(ctx, slices.DeleteFunc(slices.Clone(samples), is))
		if err != nil {
			return nil, err
		}
		for _, s := range samples {
			if !is(s) {
				continue
			}
			o := Outcome{Sample: s}
			if o.LeftOut, err = s.Measure(ctx, n); err != nil {
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
	}
	return outcomes, nil
}
