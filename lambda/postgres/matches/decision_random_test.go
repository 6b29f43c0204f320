package matches_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/llm"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"
)

// Random decisions, two at once and during matching, leave the matches that follow from the
// last verdict of each pair. When all are withdrawn, the earlier matches are back, to the row.
func TestWithdrawnDecisions(t *testing.T) {
	t.Parallel()
	for name, docs := range map[string][]corpus.Document{"lamps": lampTrade(2), "names": renamedDocuments()} {
		for seed := range uint64(testenv.Size(1, 20)) {
			t.Run(fmt.Sprintf("%s, seed %d", name, seed), func(t *testing.T) {
				t.Parallel()
				w := newWorkshop(t, docs)
				random := rand.New(rand.NewPCG(seed, 7))
				w.matchAll(random, 3)
				before := w.dump(false)
				w.Exec("UPDATE document SET matching_status = 'succeeded'")
				var persons sync.WaitGroup
				for person := range uint64(2) {
					persons.Go(func() { w.decideAtRandom(rand.New(rand.NewPCG(seed, person)), docs, testenv.Size(12, 40)) })
				}
				persons.Go(func() { w.matchPending(rand.New(rand.NewPCG(seed, 9)), 2) })
				persons.Wait()
				w.matchPending(random, 3)
				const lastSQL = `SELECT count(*) FROM match_pair AS p FULL JOIN (
						SELECT DISTINCT ON (document_a_id, document_b_id) * FROM decision ORDER BY document_a_id, document_b_id, id DESC
					) AS d USING (document_a_id, document_b_id)
					WHERE coalesce(p.verdict, '') <> coalesce(nullif(d.verdict, 'withdrawn'), '')`
				if n := w.Count(lastSQL); n > 0 {
					t.Errorf("%d pairs have another verdict than the last decision", n)
				}
				if n := w.Count("SELECT count(*) FROM decision"); n == 0 {
					t.Error("no decision is stored")
				}
				for _, d := range docs {
					for _, o := range docs {
						if _, err := w.Decide(t.Context(), d.ID, o.ID, byAnna(rules.Withdrawn)); err != nil && d.ID != o.ID {
							t.Fatal(err)
						}
					}
				}
				w.matchPending(random, 3)
				if after := w.dump(false); after != before {
					t.Errorf("withdrawn, the outcome is another: %s", firstDifference(before, after))
				}
			})
		}
	}
}

// decideAtRandom decides about pairs of orders and invoices.
func (w *workshop) decideAtRandom(random *rand.Rand, docs []corpus.Document, n int) {
	verdicts := []rules.Verdict{rules.Confirmed, rules.Rejected, rules.Withdrawn}
	for range n {
		a, b := docs[random.IntN(len(docs))], docs[random.IntN(len(docs))]
		if a.Type == b.Type {
			continue
		}
		_, err := w.Decide(w.T.Context(), a.ID, b.ID, byAnna(verdicts[random.IntN(len(verdicts))]))
		if err != nil {
			w.T.Errorf("%s and %s: %v", a.ID, b.ID, err)
		}
	}
}

// Of two persons who decide at once about what both saw, the second is refused.
func TestConcurrentDecisions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lamps()
	simURL := must.Get(f.Clock.URL())(t)
	seen := must.Get(f.PairVersion(t.Context(), num(1), num(2)))(t)
	errs := make(chan error, 2)
	for verdict, db := range map[rules.Verdict]*matches.Store{rules.Confirmed: f.Store, rules.Rejected: matches.New(postgrestest.Open(t, simURL))} {
		go func() {
			d := byAnna(verdict)
			d.Seen = seen
			_, err := db.Decide(t.Context(), num(1), num(2), d)
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	if (first == nil) == (second == nil) || !errors.Is(errors.Join(first, second), postgres.ErrStale) {
		t.Errorf("got %v and %v, want one to be stale", first, second)
	}
	postgrestest.Equal(t, "stored decisions", f.Count("SELECT count(*) FROM decision"), 1)
}

// memory is a model that counts how often it is asked each question.
type memory struct {
	clerk
	asked map[string]int
}

func (m *memory) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	m.asked[q.User]++
	return m.clerk.Answer(ctx, q)
}

// I16: what a model answered before a decision is not bought again after it.
func TestDecisionReusesAnswers(t *testing.T) {
	t.Parallel()
	_, w := trade(t, 2)
	model := &memory{asked: map[string]int{}}
	l := newLine(w, model)
	l.drain(w.DB, w.ids)
	before := w.dump(false)
	for _, verdict := range []rules.Verdict{rules.Confirmed, rules.Withdrawn, rules.Rejected, rules.Withdrawn} {
		done, err := w.Decide(t.Context(), num(3), num(4), byAnna(verdict))
		if err != nil || !done.Changed {
			t.Fatalf("%s: %+v, %v", verdict, done, err)
		}
		_, _ = l.Send(t.Context(), done.Published)
		l.drain(w.DB, nil)
		if after := w.dump(false); (after == before) != (verdict == rules.Withdrawn) {
			t.Errorf("%s: %s", verdict, firstDifference(before, after))
		}
	}
	for question, n := range model.asked {
		if n > 1 {
			t.Errorf("asked %d times: %.300s", n, question)
		}
	}
	if len(model.asked) < 2 {
		t.Errorf("%d questions prove little", len(model.asked))
	}
}
