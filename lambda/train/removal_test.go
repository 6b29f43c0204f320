package train

import (
	"path/filepath"
	"testing"

	"matchbook/lambda/corpus"
	"matchbook/lambda/internal/skip"
	"matchbook/lambda/rules"
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
	decided := make([]decisions, len(samples))
	for i, s := range samples {
		decided[i] = decisionsBy(t, s, score.Learned)
	}
	for kind := range score.Families() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			changed, without := 0, score.Learned.With(map[string]int{kind: 0})
			for i, s := range samples {
				changed += decided[i].differ(decisionsBy(t, s, without))
			}
			t.Logf("%d outcomes change", changed)
			if (changed == 0) != (notMet[kind] != "") {
				t.Errorf("%d outcomes change without it (%s)", changed, notMet[kind])
			}
		})
	}
}

type decisions map[corpus.Pair]rules.Decision

func decisionsBy(t *testing.T, s *Sample, n *score.Numbers) decisions {
	m, err := s.Measure(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return m.Decisions
}

// differ counts the pairs with another outcome in b; no decision is an outcome, too.
func (a decisions) differ(b decisions) (pairs int) {
	for pair, d := range a {
		if b[pair].Outcome != d.Outcome {
			pairs++
		}
	}
	for pair, d := range b {
		if _, known := a[pair]; !known && d.Outcome != "" {
			pairs++
		}
	}
	return pairs
}
