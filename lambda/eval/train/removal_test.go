package train

import (
	"path/filepath"
	"testing"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
)

// notMet are the kinds of evidence that neither corpora nor cases have.
var notMet = map[string]string{
	"alike":          "they have no embeddings",
	"iban-only":      "no bank has bought an invoice",
	"amount-other":   "without suppliers, they have no such pair near a threshold",
	"cites-unnamed":  "no number is one document's and cited as another's",
	"cites-as-other": "their pairs with such a citation agree in goods and amounts as well",
}

// TestEachKindCounts: without the points of any one kind of evidence, the rules
// decide a pair of the corpora or of the hand-written cases in another way.
func TestEachKindCounts(t *testing.T) {
	t.Parallel()
	corpora := readCorpora(t)
	cases := must.Get(ReadCases(filepath.Join(testenv.Shared(t, "eval/matching/cases"), "cases.jsonl")))(t)
	var samples []*Sample // the small ones first: most kinds count in one of them
	for _, c := range cases {
		s := must.Get(NewSample(c.Documents, c.Must))(t)
		samples = append(samples, s)
	}
	samples = append(samples, corpora...)
	decided := make([]decisions, len(samples))
	for i, s := range samples {
		decided[i] = decisionsBy(t, s, score.Learned)
	}
	for kind := range score.Learned.Points {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			without := score.Learned.With(map[string]int{kind: 0})
			counts := false
			for i := 0; i < len(samples) && !counts; i++ {
				counts = decided[i].differ(decisionsBy(t, samples[i], without))
			}
			if counts != (notMet[kind] == "") {
				t.Errorf("an outcome changes without it: %t (%s)", counts, notMet[kind])
			}
		})
	}
}

type decisions map[corpus.Pair]rules.Decision

func decisionsBy(t *testing.T, s *Sample, n *score.Numbers) decisions {
	m := must.Get(s.Measure(t.Context(), n))(t)
	return m.Decisions
}

// differ reports whether a pair has another outcome in b; no decision is one, too.
func (a decisions) differ(b decisions) bool {
	for pair, d := range a {
		if b[pair].Outcome != d.Outcome {
			return true
		}
	}
	for pair, d := range b {
		if _, known := a[pair]; !known && d.Outcome != "" {
			return true
		}
	}
	return false
}
