package matcheval

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

func numbered(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("30000000-0000-4000-8000-%012d", n))
}

// The precision of a model is that of its answers, whatever became of the pairs.
func TestAnswersByConfidence(t *testing.T) {
	t.Parallel()
	c := corpus.Corpus{Links: []corpus.Pair{corpus.PairOf(numbered(1), numbered(2)), corpus.PairOf(numbered(1), numbered(3))}}
	for n := 1; n <= 4; n++ {
		c.Documents = append(c.Documents, corpus.Document{ID: numbered(n), Type: "invoice"})
	}
	answer := func(a, b int, confidence string) report.Answer {
		return report.Answer{A: numbered(a), B: numbered(b), Confidence: confidence}
	}
	o := outcome{answers: []report.Answer{answer(1, 2, "high"), answer(2, 3, "none"), answer(1, 3, "low"),
		answer(1, 4, "high"), answer(2, 4, "none")}}
	m := &Result{Model: evalModel{Summary: scripted.Summary{Mode: "yes"}, Answers: o.answered(c)}}
	want := `    answered high     2 pairs, 1 of them true, share 0.5000
    answered low      1 pair, 1 of them true, share 1.0000
    answered none     2 pairs, 0 of them true, share 0.0000
`
	if got := m.Text(); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMeasurementText(t *testing.T) {
	t.Parallel()
	order, invoice, other := numbered(1), numbered(2), numbered(3)
	m := &Result{Corpus: "corpus", Condition: "masked", States: map[string]int{"succeeded": 3}, Seconds: 0.25, DocumentsPerSecond: 12,
		Report: eval.Score(eval.Input{
			Documents:  []corpus.Document{{ID: order, Type: "purchase-order"}, {ID: invoice, Type: "invoice"}, {ID: other, Type: "invoice"}},
			Links:      []corpus.Pair{{A: order, B: invoice}},
			Edges:      []eval.Edge{{Pair: corpus.PairOf(order, other), Score: 0.9, Confidence: "high", DecidedBy: "rules"}},
			Candidates: map[uuid.UUID][]uuid.UUID{order: {other, invoice}},
			Clusters:   map[uuid.UUID]uuid.UUID{order: order},
		})}
	m.Worst = outcome{}.explain(m.Report.Worst(10))
	m.Worst[0].AType, m.Worst[0].ANumber, m.Worst[0].BType = "invoice", "R 1", "purchase-order"
	m.Worst[0].Reasoning, m.Worst[1].AType, m.Worst[1].BType = "Both are blue.", "purchase-order", "invoice"
	want := `CORPUS corpus, masked
  documents   3: succeeded 3
  pairs       1 true, 1 matched, 0 considered and not matched, of these 0 undecided
  questions   0 for 1,000 documents; 0 more folded away, 0 of them true
  time        0.2 s, 12.0 documents/s

                                             tp     fp     fn  precision    recall        F1
  all pairs                                   0      1      1     0.0000    0.0000    0.0000
    purchase order - invoice                  0      1      1     0.0000    0.0000    0.0000
  mean over the type pairs                                        0.0000    0.0000    0.0000
  B-cubed, without contracts                                      0.6667    0.6667    0.6667

  candidate recall@10  0.5000  1 of 2 partners are among a document's first 10 candidates
  candidate recall@50  0.5000  1 of 2 partners are among a document's first 50 candidates
  abstention           0.0000  0 of 1 documents without a true partner have no match
  decided              1.0000  3 of 3 documents have a match, or nothing undecided
  WRONG CLUSTERS       0.6667  2 of 3 documents are in a different cluster than their matches form

  Worst wrong matches, 1 of 1
    0.90 high by rules   purchase order 30000000-0000-4000-8000-000000000003 -- invoice R 1
        Both are blue.

  Worst missed links, 1 of 1
    never considered     purchase order 30000000-0000-4000-8000-000000000001 -- invoice 30000000-0000-4000-8000-000000000002

`
	if got := m.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
