package matches_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// scored is a pair of invoices with these points.
func scored(a, b int, points int) score.Pair {
	return score.Pair{A: num(a), B: num(b), TypeA: document.Invoice, TypeB: document.Invoice, Points: points, Evidence: []score.Evidence{}}
}

// answered is a pair with a model's answer.
func answered(a, b int, points int, asked rules.Asked) rules.Pair {
	return rules.Pair{Pair: scored(a, b, points), Asked: asked}
}

// asked lists what is stored about pairs.
func (f *fixture) asked() string {
	f.T.Helper()
	list := postgrestest.Values[string](f.T, f.Conn, "SELECT concat_ws(' ', right(document_a_id::text, 1) || '-' || right(document_b_id::text, 1), points, asked, question, answer, reasoning) FROM match_pair ORDER BY document_a_id, document_b_id")
	return strings.Join(list, ", ")
}

// ruled writes these pairs of num(1) with this result, and returns the pairs
// that the rules were shown.
func (f *fixture) ruled(pairs []score.Pair, d rules.Result) (shown []rules.Pair) {
	f.T.Helper()
	fence := f.Take(num(1))
	block := f.block(fence, key("k"))
	must.Get(f.Write(f.T.Context(), fence, key("k"), document.Types, block, pairs, func(_ context.Context, c rules.Competition) (rules.Result, error) {
		shown = c.Pairs
		return d, nil
	}))(f.T)
	return shown
}

func TestAnswerLivesWithPair(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(3)
	high := rules.Asked{About: "f00d", Question: "q1", Answer: rules.High, Reasoning: "The same \u201elamps\u201c."}
	none := rules.Asked{About: "beef", Question: "q1", Answer: rules.None}
	pairs := []score.Pair{scored(1, 2, 60), scored(1, 3, 50)}
	f.ruled(pairs, rules.Result{Asked: []rules.Pair{answered(1, 2, 60, high), answered(1, 3, 50, none)}})
	const stored = "1-2 60 f00d q1 high The same \u201elamps\u201c., 1-3 50 beef q1 none "
	for _, step := range []struct {
		when   string
		pairs  []score.Pair
		result rules.Result
		want   string
		shown  []rules.Asked // nil: not looked at
	}{
		{"matched again", pairs, rules.Result{}, stored, []rules.Asked{high, none}},
		{"the pairs look different", []score.Pair{scored(1, 2, 61), scored(1, 3, 50)}, rules.Result{},
			strings.Replace(stored, "1-2 60", "1-2 61", 1), []rules.Asked{high, none}},
		{"asked anew", pairs, rules.Result{Asked: []rules.Pair{answered(1, 3, 50, high)}},
			"1-2 60 f00d q1 high The same \u201elamps\u201c., 1-3 50 f00d q1 high The same \u201elamps\u201c.", nil},
		{"taken back", pairs, rules.Result{Asked: []rules.Pair{answered(1, 3, 50, rules.Asked{})}}, "1-2 60 f00d q1 high The same \u201elamps\u201c., 1-3 50    ", nil},
		{"a pair is gone", pairs[1:], rules.Result{}, "1-3 50    ", []rules.Asked{{}}},
		{"and comes back", pairs, rules.Result{}, "1-2 60    , 1-3 50    ", []rules.Asked{{}, {}}},
	} {
		shown := f.ruled(step.pairs, step.result)
		postgrestest.Equal(t, step.when, f.asked(), step.want)
		var got []rules.Asked
		for _, p := range shown {
			got = append(got, p.Asked)
		}
		if step.shown != nil && !slices.Equal(got, step.shown) {
			t.Errorf("%s: the rules saw %+v, want %+v", step.when, got, step.shown)
		}
	}
}

// states are the columns of a document that is in some state; only one that
// succeeded is published again.
var states = []string{
	3: "matching_status = 'succeeded', matching_published_at = now() - interval '1 hour', matching_attempts = 4, matching_republished = 2",
	4: "matching_status = 'pending', matching_published_at = now() - interval '1 hour', matching_due_at = now() - interval '1 hour', matching_republished = 1",
	5: "matching_status = 'in-progress', matching_attempts = 1, matching_lease_until = now() + interval '1 minute'",
	6: "matching_status = 'failed', matching_attempts = 3, matching_failed_at = now(), matching_error = 'too long'",
	7: "matching_status = NULL",
	8: "matching_status = 'succeeded', matching_published_at = now() + interval '1 hour'", // the clock went back
	9: "matching_status = 'succeeded', matching_published_at = NULL",
}

// staleFixture has documents in all states, and num(1) claimed, with pairs with
// all of them.
func staleFixture(t *testing.T) (f *fixture, fence job.Attempt, block match.Block, pairs []score.Pair, stale []uuid.UUID) {
	t.Helper()
	f = newFixture(t)
	f.Invoices(9)
	fence = f.Take(num(1))
	f.Exec("UPDATE document SET matching_status = 'succeeded' WHERE id = $1", num(2)) // and not stale
	for n, columns := range states {
		if columns != "" {
			f.Exec("UPDATE document SET "+columns+" WHERE id = $1", num(n))
			stale = append(stale, num(n))
		}
	}
	for n := 2; n <= 9; n++ {
		pairs = append(pairs, scored(1, n, 60))
	}
	return f, fence, f.block(fence, key("k")), pairs, append(stale, num(77)) // one that does not exist
}

func TestWritePublishesStale(t *testing.T) {
	t.Parallel()
	f, fence, block, pairs, stale := staleFixture(t)
	before := f.documents()
	w, err := f.Write(t.Context(), fence, key("k"), document.Types, block, pairs, func(context.Context, rules.Competition) (rules.Result, error) {
		return rules.Result{Stale: stale}, nil
	})
	if err != nil || w.Fresh != nil {
		t.Fatalf("got %+v, %v", w, err)
	}
	slices.SortFunc(w.Published, func(a, b job.Stamped) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	want := []job.Stamped{{ID: num(3), PublishedAt: start}, {ID: num(8), PublishedAt: start.Add(time.Hour + time.Microsecond)}, {ID: num(9), PublishedAt: start}}
	if !slices.EqualFunc(w.Published, want, func(a, b job.Stamped) bool { return a.ID == b.ID && a.PublishedAt.Equal(b.PublishedAt) }) {
		t.Errorf("published %v, want %v", w.Published, want)
	}
	after := f.documents()
	for _, s := range w.Published {
		if got := f.DocumentRow(s.ID); got.Status != job.StatusPending || !got.Due.Equal(start) || f.Count("SELECT matching_republished FROM document WHERE id = $1", s.ID) != 0 {
			t.Errorf("%s is %+v", s.ID, got)
		}
		if stamp := postgrestest.Value[time.Time](t, f.Conn, "SELECT matching_published_at FROM document WHERE id = $1", s.ID); !stamp.Equal(s.PublishedAt) {
			t.Errorf("%s is stamped %s; the message says %s", s.ID, stamp, s.PublishedAt)
		}
		delete(after, s.ID)
	}
	if got := f.DocumentRow(num(1)); got.Status != job.StatusSucceeded {
		t.Errorf("the one at work is %+v", got)
	}
	delete(after, num(1))
	for id, row := range after {
		if row != before[id] {
			t.Errorf("changed from\n%s\nto\n%s", before[id], row)
		}
	}
	// Messages with the new stamps are claimed, older ones are not.
	for _, s := range w.Published {
		if c := f.Deliver(job.Delivery{ID: s.ID, SentAt: start, PublishedAt: s.PublishedAt.Add(-time.Microsecond)}, false); c.Found != job.Superseded {
			t.Errorf("an older message of %s: %v", s.ID, c.Found)
		}
		if c := f.Deliver(job.Delivery{ID: s.ID, SentAt: start, PublishedAt: s.PublishedAt}, false); c.Found != 0 {
			t.Errorf("the message of %s: %v", s.ID, c.Found)
		}
	}
}

func TestWriteNamesTenant(t *testing.T) {
	t.Parallel()
	f, fence, block, pairs, stale := staleFixture(t)
	w, err := f.Write(t.Context(), fence, key("k"), document.Types, block, pairs, func(context.Context, rules.Competition) (rules.Result, error) {
		return rules.Result{Stale: stale}, nil
	})
	if err != nil || len(w.Published) == 0 {
		t.Fatalf("got %+v, %v", w, err)
	}
	for _, s := range w.Published {
		if s.Tenant != tenant {
			t.Errorf("%s is published for %s, want %s", s.ID, s.Tenant, tenant)
		}
	}
}

var errInjected = errors.New("injected")

func TestNoWriteNoPublish(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before string // what happens to num(1)
		rules  error
		want   error
		fresh  bool
	}{
		"the rules have to ask first": {"", errInjected, errInjected, false},
		"the fence is lost":           {"UPDATE document SET matching_attempts = matching_attempts + 1 WHERE id = $1", nil, job.ErrFenceLost, false},
		"settled by another attempt":  {"UPDATE document SET matching_status = 'failed', matching_failed_at = now() WHERE id = $1", nil, job.ErrFenceLost, false},
		"the rules and the fence":     {"UPDATE document SET matching_status = 'failed', matching_failed_at = now() WHERE id = $1", errInjected, job.ErrFenceLost, false},
		"the candidates have changed": {"UPDATE document SET match_keys = '{k}' WHERE id <> $1", nil, nil, true},
		"they have, and the rules":    {"UPDATE document SET match_keys = '{k}' WHERE id <> $1", errInjected, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, fence, block, pairs, stale := staleFixture(t)
			if tc.before != "" {
				f.Exec(tc.before, num(1))
			}
			unchanged := f.Unchanged(postgrestest.Tables...)
			w, err := f.Write(t.Context(), fence, key("k"), document.Types, block, pairs, func(context.Context, rules.Competition) (rules.Result, error) {
				d := matchesOf(num(1), num(2), num(3))
				d.Stale, d.Asked = stale, []rules.Pair{answered(1, 2, 60, rules.Asked{About: "x", Answer: rules.Low})}
				return d, tc.rules
			})
			if !errors.Is(err, tc.want) || len(w.Published) != 0 || (w.Fresh != nil) != tc.fresh {
				t.Errorf("got %+v, %v; want %v", w, err, tc.want)
			}
			unchanged("afterwards")
			f.wantIdle()
		})
	}
}

// wantIdle makes sure that no connection is left in a transaction.
func (f *fixture) wantIdle() {
	f.T.Helper()
	var open, locks int
	err := f.Conn.QueryRow(f.T.Context(), `SELECT
		(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND xact_start IS NOT NULL AND backend_type = 'client backend'), -- and not autovacuum
		(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&open, &locks)
	if err != nil || open != 0 || locks != 0 {
		f.T.Errorf("%d open transactions, %d advisory locks, %v", open, locks, err)
	}
}

// An order and two invoices for the same goods and money: the rules
// cannot choose between the invoices, and cannot exclude either.
const (
	spotOrder    = `{"number":"45001","date":"2026-01-05","total":"1184.40","supplier":{"name":"Lampenhaus Wittmann","vat_id":"DE136695976"},"line_items":[{"sku":"L-20","quantity":"20","unit_price":"59.22"}]}`
	spotInvoice1 = `{"number":"RE-2026-0881","date":"2026-01-15","total":"1184.40","supplier":{"name":"Lampenhaus Wittmann","vat_id":"DE136695976"},"line_items":[{"sku":"L-20","quantity":"20","unit_price":"59.22"}]}`
	spotInvoice2 = `{"number":"RE-2026-0893","date":"2026-01-16","total":"1184.40","supplier":{"name":"Lampenhaus Wittmann","vat_id":"DE136695976"},"line_items":[{"sku":"L-20","quantity":"20","unit_price":"59.22"}]}`
)

const itIsThe2nd = `{"matches":[{"candidate":1,"confidence":"high","reasoning":"It is the later one."}]}`

// clerk is a model that chooses the right invoice: the second.
type clerk struct{ calls int }

func (c *clerk) Name() string { return "clerk" }

func (c *clerk) Answer(_ context.Context, q llm.Question) (llm.Answer, error) {
	c.calls++
	text := `{"matches":[]}`
	if document, _, _ := strings.Cut(q.User, "\nCandidate 1:"); strings.Contains(document, "RE-2026-0893") {
		text = itIsThe2nd
	}
	return llm.Answer{Text: text, Usage: llm.Usage{PromptTokens: 900, CompletionTokens: 20}}, nil
}

// frail is a store of which one Write fails: the nth, before or behind its rules.
type frail struct {
	*matches.Store
	nth    int
	behind bool
}

func (s *frail) Write(ctx context.Context, t match.Turn) (match.Written, error) {
	if s.nth--; s.nth != 0 {
		return s.Store.Write(ctx, t)
	}
	if !s.behind {
		return match.Written{}, errInjected
	}
	return s.WriteRuled(ctx, t, func(ctx context.Context, c rules.Competition) (rules.Result, error) {
		if _, questions, err := rules.Consult(ctx, c, []*rules.Exchange{t.Drafts[0].Exchange}); err != nil || questions != nil {
			return rules.Result{}, fmt.Errorf("it is still to be asked: %v, %w", questions, err)
		}
		return rules.Result{}, errInjected
	})
}

// sent collects what is published.
type sent struct{ messages []job.Stamped }

func (s *sent) Send(_ context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	s.messages = append(s.messages, messages...)
	return nil, nil
}

// A crash between the commit of the answer and the commit of the matches: the
// next delivery finds the answer and does not ask.
func TestAnswerSurvivesCrash(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]bool{"before the write": false, "within the write": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, model, queue := newFixture(t), &clerk{}, &sent{}
			f.Put(num(1), tenant, document.PurchaseOrder, spotOrder)
			f.Put(num(2), tenant, document.Invoice, spotInvoice1)
			f.Put(num(3), tenant, document.Invoice, spotInvoice2)
			attempt := func(store match.Store, fence job.Attempt) error {
				t.Helper()
				m := &match.Matcher{Store: store, Log: slog.New(slog.DiscardHandler), Sender: queue, Model: &llm.Asker{Model: model, Vault: f.DB}}
				return job.Work(m.Match).One(t.Context(), fence)
			}
			for n := 1; n <= 2; n++ {
				must.OK(t, attempt(f.Store, f.Take(num(n))))
			}
			f.wantEdges("rules suffice", "1-2 rules", "", "1 1 0")

			first := f.Take(num(3))
			results := []string{"document_match", "match_pair", "match_suggestion", "notification"}
			unchanged := f.Unchanged(results...)
			if err := attempt(&frail{f.Store, 2, behind}, first); !errors.Is(err, errInjected) || model.calls != 1 {
				t.Fatalf("got %v after %d calls, want the injected error after one", err, model.calls)
			}
			postgrestest.EqualLists(t, "answers", f.ModelAnswers(), []string{itIsThe2nd + ", 0"})
			f.wantEdges("crashed", "1-2 rules", "", "1 1 0")
			unchanged("afterwards")
			f.wantIdle()

			f.Advance(2 * time.Minute) // the lease has ended
			again := f.Deliver(job.Delivery{ID: num(3)}, true)
			if again.Found != 0 || again.Attempt.Number != first.Number+1 {
				t.Fatalf("claimed %+v", again)
			}
			if err := attempt(f.Store, first); !errors.Is(err, job.ErrFenceLost) {
				t.Errorf("the attempt that was thought dead: %v", err)
			}
			must.OK(t, attempt(f.Store, again.Attempt))
			postgrestest.Equal(t, "calls of the model", model.calls, 1)
			postgrestest.EqualLists(t, "answers", f.ModelAnswers(), []string{itIsThe2nd + ", 1"})
			f.wantEdges("delivered again", "1-3 model", "1-2 rules", "1 0 1")

			if len(queue.messages) != 1 || queue.messages[0].ID != num(2) {
				t.Fatalf("published %v, want the first invoice, which competes now", queue.messages)
			}
			c := f.Deliver(job.Delivery{ID: num(2), SentAt: f.Now(), PublishedAt: queue.messages[0].PublishedAt}, false)
			if c.Found != 0 {
				t.Fatalf("claimed %+v", c)
			}
			must.OK(t, attempt(f.Store, c.Attempt))
			f.wantEdges("both asked", "1-3 model", "", "1 0 1")
			if model.calls != 2 || len(queue.messages) != 1 {
				t.Errorf("%d calls, published %v; want 2 calls, and it ends", model.calls, queue.messages)
			}
		})
	}
}

// The question of a document is about one candidate less when that has changed so much that
// the two aren't a pair any more, so it asks again.
func TestDeletedPairAsksAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		asked string
		want  []uuid.UUID
	}{"asked about": {"x", []uuid.UUID{num(2)}}, "never asked about": {"", nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Invoices(2)
			f.decided(num(2))
			f.paired(1, 2)
			f.Exec("UPDATE match_pair SET asked = $1", tc.asked)
			fence := f.Take(num(1))
			w, err := f.Write(t.Context(), fence, key("k"), document.Types, f.block(fence, key("k")), nil, rules.Apply)
			var got []uuid.UUID
			for _, s := range w.Published {
				got = append(got, s.ID)
			}
			if err != nil || w.Fresh != nil || !slices.Equal(got, tc.want) {
				t.Errorf("published %v, %v; want %v", got, err, tc.want)
			}
		})
	}
}
