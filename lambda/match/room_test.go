package match

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/job"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// manyOrders are so many orders of the same, and two invoices that fit each of
// them: every pair is undecided.
func manyOrders(n int) (docs []score.Raw) {
	const acme = `"supplier":{"name":"Acme Lighting","vat_id":"DE136695976"}`
	for i := range n {
		docs = append(docs, score.Raw{ID: idOf(fmt.Sprint("order ", i)), TenantID: tenantA, Type: po,
			Data: object(acme, fmt.Sprintf(`"number":"45%03d"`, i), `"total":"1184.37"`, `"date":"2026-01-05"`, lines("lamp 20 59.22"))})
	}
	for i := range 2 {
		docs = append(docs, score.Raw{ID: idOf(fmt.Sprint("invoice ", i)), TenantID: tenantA, Type: inv,
			Data: object(acme, fmt.Sprintf(`"number":"RE-%d"`, i), `"total":"1184.37"`, `"date":"2026-01-15"`, lines("lamp 20 59.22"))})
	}
	return docs
}

// once is a queue to which, as to the real one, nothing is published that is
// waiting already.
type once struct{ outbox }

func (o *once) Send(_ context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	for _, m := range messages {
		if !slices.Contains(o.waiting, m.ID) {
			o.waiting = append(o.waiting, m.ID)
		}
	}
	return nil, nil
}

// There may be more candidates than a question has room for. The best ones are
// asked about, whatever the order of arrival; the others stay undecided, and
// the two invoices do not have each other ask for ever.
func TestExcessCandidatesStayOpen(t *testing.T) {
	t.Parallel()
	for _, n := range []int{maxCandidates, maxCandidates + 1, maxCandidates + 5} {
		docs := manyOrders(n)
		var first *memory
		for seed := range uint64(6) {
			m, model, queue := newMemory(docs), &fakeModel{think: opinion}, &once{}
			matcher := &Matcher{Store: m, Log: slog.New(slog.DiscardHandler), Model: asker(model, newVault()), Sender: queue}
			drain := func() int {
				return queue.drain(t, matcher, inAnyOrder(rand.New(rand.NewPCG(seed, 4)), docs), func(_ uuid.UUID, err error) {
					t.Fatalf("%d orders, seed %d: %v", n, seed, err)
				})
			}
			drain()
			asked := len(model.asked)
			if again := drain(); again != len(docs) || len(model.asked) != asked {
				t.Errorf("%d orders, seed %d: again, %d documents were matched, want %d, and %d questions asked", n, seed, again, len(docs), len(model.asked)-asked)
			}
			byRules := 0
			for _, e := range m.hints {
				if e.DecidedBy == "rules" && strings.HasPrefix(e.Reasoning, "Undecided. ") {
					byRules++
				}
			}
			if want := 2 * (n - maxCandidates); byRules != want {
				t.Errorf("%d orders, seed %d: %d pairs are undecided, want %d", n, seed, byRules, want)
			}
			if first == nil {
				first = m
			} else if !m.same(first) {
				t.Errorf("%d orders, seed %d: the order of arrival makes a difference", n, seed)
			}
		}
	}
}
