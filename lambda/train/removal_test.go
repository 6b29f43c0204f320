package train

import (
	"path/filepath"
	"testing"

	"matchbook/lambda/internal/skip"
	"matchbook/lambda/score"
)

// notMet are the kinds of evidence that neither corpora nor cases have.
var notMet = map[string]string{
	"alike":     "they have no embeddings",
	"iban-only": "no bank has bought an invoice",
}

// TestEachKindCounts: without the points of any one kind of evidence, the rules
// decide a pair of the corpora or of the hand-written cases in another way.
func TestEachKindCounts(t *testing.T) {
	t.Parallel()
	samples := readCorpora(t)
	cases, err := ReadCases(filepath.Join(skip.Shared(t, "eval/matching/cases"), "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s, err := NewSample(c.Documents, c.Must)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
	}
	for kind := range score.Families() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			changed, without := 0, score.Learned.With(map[string]int{kind: 0})
			for _, s := range samples {
				changed += outcomesChanged(t, s, score.Learned, without)
			}
			t.Logf("%d outcomes change", changed)
			if (changed == 0) != (notMet[kind] != "") {
				t.Errorf("%d outcomes change without it (%s)", changed, notMet[kind])
			}
		})
	}
}

func outcomesChanged(t *testing.T, s *Sample, with, without *score.Numbers) (changed int) {
	a, err := s.Measure(t.Context(), with)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Measure(t.Context(), without)
	if err != nil {
		t.Fatal(err)
	}
	for pair, d := range a.Decisions {
		if b.Decisions[pair].Outcome != d.Outcome {
			changed++
		}
	}
	for pair, d := range b.Decisions {
		if _, known := a.Decisions[pair]; !known && d.Outcome != "" {
			changed++
		}
	}
	return changed
}
