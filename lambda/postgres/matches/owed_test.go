package matches_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// lampTrade is what n customers ordered: an order with an invoice that cites it,
// and an order with two invoices between which the rules cannot decide.
func lampTrade(n int) (docs []corpus.Document) {
	add := func(typ document.Type, number, date, references string, quantity int) {
		docs = append(docs, corpus.Document{ID: num(len(docs) + 1), TenantID: tenant, Type: typ, Received: start, Data: json.RawMessage(fmt.Sprintf(
			`{"number":%q,"date":%q,"supplier":{"name":"Lampenhaus Wittmann","vat_id":"DE136695976"},"total":"%d.40"%s,"line_items":[{"sku":"L-%d","quantity":"%d","unit_price":"59.22"}]}`,
			number, date, 1000+quantity, references, quantity, quantity))})
	}
	for i := range n {
		cites := fmt.Sprintf(`,"references":[{"type":"purchase-order","number":"45%03d"}]`, i)
		add(document.PurchaseOrder, fmt.Sprintf("45%03d", i), "2026-01-05", "", 100+i)
		add(document.Invoice, fmt.Sprintf("RE-%d", 1000+i), "2026-01-15", cites, 100+i)
		add(document.PurchaseOrder, fmt.Sprintf("47%03d", i), "2026-01-05", "", 200+i)
		add(document.Invoice, fmt.Sprintf("RE-%d-A", 2000+i), "2026-01-15", "", 200+i)
		add(document.Invoice, fmt.Sprintf("RE-%d-B", 2000+i), "2026-01-15", "", 200+i)
	}
	return docs
}

// censor is a model that refuses some questions and chooses nothing otherwise.
type censor struct {
	err   error
	about string // in questions that are refused, with a document that asks
	calls int
}

func (c *censor) Name() string { return "censor" }

func (c *censor) Answer(_ context.Context, q llm.Question) (llm.Answer, error) {
	c.calls++
	if asking, _, _ := strings.Cut(q.User, "\nCandidate 1:"); c.err != nil && strings.Contains(asking, c.about) {
		return llm.Answer{}, c.err
	}
	return llm.Answer{Text: `{"matches":[]}`, Usage: llm.Usage{PromptTokens: 900, CompletionTokens: 5}}, nil
}

var errFiltered = failure.Permanently("model provider's content filter withheld the answer")

// line delivers documents to a worker, one at a time, as the queue does.
type line struct {
	*workshop
	matcher *match.Matcher
	waiting []job.Delivery
}

func newLine(w *workshop, model llm.Model) *line {
	l := &line{workshop: w}
	l.matcher = &match.Matcher{Store: w.Store, Log: slog.New(slog.DiscardHandler), Sender: l,
		Model: &llm.Asker{Model: model, Vault: w.DB, Retry: llm.Retry{Sleep: func(context.Context, time.Duration) error { return nil }}}}
	return l
}

// Send implements job.Sender.
func (l *line) Send(_ context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	for _, m := range messages {
		l.waiting = append(l.waiting, job.Delivery{ID: m.ID, Count: 1, SentAt: m.PublishedAt, PublishedAt: m.PublishedAt})
	}
	return nil, nil
}

// Settle implements job.Messages.
func (l *line) Settle(context.Context, []job.Settled) {}

// Extend implements job.Messages.
func (l *line) Extend(context.Context, []int, time.Duration) {}

// deliver takes one delivery to its end.
func (l *line) deliver(d job.Delivery) job.Settlement {
	r := &job.Runtime{Store: l.DB, Work: l.matcher.Match, Log: slog.New(slog.DiscardHandler),
		Backoff: job.Backoff{5 * time.Minute, 30 * time.Minute}}
	return r.Run(l.T.Context(), []job.Delivery{d}, l)[0]
}

// drain publishes documents and delivers until nothing waits.
func (l *line) drain(from job.PublishStore, ids []uuid.UUID) {
	l.T.Helper()
	stamped, err := from.Publish(l.T.Context(), ids)
	if err != nil || len(stamped) != len(ids) {
		l.T.Fatalf("published %d of %d: %v", len(stamped), len(ids), err)
	}
	_, _ = l.Send(l.T.Context(), stamped)
	for n := 0; len(l.waiting) > 0; n++ {
		d := l.waiting[0]
		l.waiting = l.waiting[1:]
		if end := l.deliver(d); end.Action != job.Ack {
			l.T.Fatalf("%s: %+v", d.ID, end)
		}
		if n > 20*len(l.ids) {
			l.T.Fatal("it never ends")
		}
	}
}

// known is the outcome without the mark of what a model owes, and without the
// answers of a model that chose nothing.
func (w *workshop) known() string {
	w.T.Helper()
	return strings.ReplaceAll(w.dump(false), "A model has still to be asked. ", "")
}

// trade is a workshop with the documents of lampTrade, and a clock that stands still.
func trade(t *testing.T, n int) (*fixture, *workshop) {
	t.Helper()
	f := newFixture(t)
	w := &workshop{fixture: f}
	for _, d := range lampTrade(n) {
		w.ids = append(w.ids, f.Put(d.ID, d.TenantID, d.Type, string(d.Data)))
	}
	return f, w
}

// A provider that refuses every question, as a content filter may: the documents
// that had to ask fail, and what the rules know stands as if no model had been
// asked. When the cause is mended, they ask again, and nothing else is asked.
func TestRefusalKeepsRules(t *testing.T) {
	t.Parallel()
	const n = 4
	byRules := newWorkshop(t, lampTrade(n))
	byRules.matchAll(rand.New(rand.NewPCG(1, 1)), 1)
	want := byRules.known()
	if got := strings.Count(want, `"decided_by": "rules"`); got != 3*n { // a match and two suggestions each
		t.Fatalf("the rules decided %d pairs, want %d:\n%s", got, 3*n, want)
	}
	w := newWorkshop(t, lampTrade(n))
	model := &censor{err: errFiltered}
	l := newLine(w, model)
	l.drain(w.DB, w.ids)
	if got := strings.ReplaceAll(w.known(), `"owed": true`, `"owed": false`); got != want {
		t.Errorf("the rules alone know something else: %s", firstDifference(want, got))
	}
	const owed = "SELECT count(*) FROM match_pair WHERE owed"
	const failed = "SELECT count(*) FROM document WHERE matching_status = 'failed' AND matching_error LIKE '%content filter%'"
	const told = "SELECT count(*) FROM notification WHERE kind = 'permanent'"
	for sql, want := range map[string]int{owed: 2 * n, failed: 2 * n, told: 2 * n,
		"SELECT count(*) FROM match_suggestion WHERE reasoning LIKE 'Undecided. A model has still to be asked. %'": 2 * n,
		"SELECT count(*) FROM document WHERE matching_status = 'succeeded'":                                        3 * n} {
		postgrestest.Equal(t, sql, w.Count(sql), want)
	}

	// The filter passes half of them now.
	model.err, model.calls = errFiltered, 0
	model.about = "-B"
	again := func() {
		t.Helper()
		list := must.Get(w.Failed(t.Context(), postgres.FailedFilter{Kind: "permanent"}))(t)
		var ids []uuid.UUID
		for _, d := range list.Rows {
			ids = append(ids, d.ID)
		}
		l.drain(list, ids)
	}
	again()
	if model.calls != 2*n || w.Count(owed) != n || w.Count(failed) != n {
		t.Errorf("%d calls, %d pairs are owed, %d documents failed; want %d, %d and %d",
			model.calls, w.Count(owed), w.Count(failed), 2*n, n, n)
	}
	model.err, model.calls = nil, 0
	again()
	if model.calls != n || w.Count(owed) != 0 || w.Count(failed) != 0 {
		t.Errorf("%d calls, %d pairs are owed, %d documents failed; want %d, 0 and 0", model.calls, w.Count(owed), w.Count(failed), n)
	}
	model.calls = 0
	l.drain(w.DB, w.ids)
	postgrestest.Equal(t, "stored answers that were bought again", model.calls, 0)
}

// A provider that is away: the document waits for its retries with the matches of
// the rules, and the last one fails it, with them.
func TestOwedKeepsRuleMatches(t *testing.T) {
	t.Parallel()
	f, w := trade(t, 1)
	model := &censor{err: &failure.Error{Kind: failure.Transient, Sentence: "the provider is away"}, about: "-B"}
	l := newLine(w, model)
	l.drain(w.DB, w.ids[:4])
	asks := w.ids[4]
	stamped := must.Get(f.Publish(t.Context(), []uuid.UUID{asks}))(t)
	var rows string
	for n, want := range []job.Settlement{
		{Write: job.StatusPending, Action: job.Retry, Visibility: 5 * time.Minute},
		{Write: job.StatusPending, Action: job.Retry, Visibility: 30 * time.Minute},
		{Write: job.StatusFailed, Action: job.DeadLetter},
	} {
		got := l.deliver(job.Delivery{ID: asks, Count: n + 1, SentAt: stamped[0].PublishedAt, PublishedAt: stamped[0].PublishedAt})
		if got != want {
			t.Errorf("delivery %d: got %+v, want %+v", n+1, got, want)
		}
		row := f.DocumentRow(asks)
		if row.Status != want.Write || !strings.Contains(row.Error, "the provider is away") || row.Attempt != n+1 {
			t.Errorf("delivery %d: %+v", n+1, row)
		}
		if got := f.edges("document_match"); got != "1-2 rules" {
			t.Errorf("delivery %d: matched %s", n+1, got)
		}
		if got := f.edges("match_suggestion"); got != "3-4 rules, 3-5 rules" {
			t.Errorf("delivery %d: suggested %s", n+1, got)
		}
		now := f.Dump("document_match", "match_suggestion", "match_pair")
		if rows != "" && now != rows {
			t.Errorf("delivery %d wrote equal rows again: %s", n+1, firstDifference(rows, now))
		}
		rows = now
		f.Advance(want.Visibility)
	}
	postgrestest.Equal(t, "notifications", w.Count("SELECT count(*) FROM notification WHERE kind = 'transient'"), 1)
}

// Results and release are one transaction, which carries the fence.
func TestReleaseIsAtomic(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		during func(*fixture, context.CancelFunc) // the decision of the rules
		want   error
	}{
		"its process is stopped": {func(_ *fixture, stop context.CancelFunc) { stop() }, context.Canceled},
		"its connection is cut":  {func(f *fixture, stop context.CancelFunc) { f.cut(); stop() }, context.Canceled},
		"its fence is lost": {func(f *fixture, _ context.CancelFunc) {
			f.Exec("UPDATE document SET matching_attempts = 9 WHERE id = $1", num(5))
		}, job.ErrFenceLost},
		"a person has cancelled": {func(f *fixture, _ context.CancelFunc) {
			f.Exec("UPDATE document SET matching_status = NULL WHERE id = $1", num(5))
		}, job.ErrFenceLost},
		"nothing of this, and all": {nil, nil},
	} {
		for status, r := range map[job.Status]job.Release{
			job.StatusPending: {Status: job.StatusPending, Reason: "away", Due: time.Minute},
			job.StatusFailed:  {Status: job.StatusFailed, Reason: "refused", Kind: "permanent", Delivery: 1},
		} {
			t.Run(name+", "+string(status), func(t *testing.T) {
				t.Parallel()
				f, w := trade(t, 1)
				newLine(w, &censor{}).drain(w.DB, w.ids[:4])
				fence := f.Take(num(5))
				raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(5)}))(t)
				doc := must.Get(score.Read(raws[0]))(t)
				n, types := doc.Normalized(), score.Matchable(document.Invoice)
				f.block(fence, n) // stores it
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				results := []string{"document_match", "match_pair", "match_suggestion", "notification"}
				before := f.Dump(results...)
				scored := func(candidates []score.Raw) []score.Pair {
					if tc.during != nil {
						tc.during(f, stop)
					}
					return doc.Pairs(candidates)
				}
				_, err := f.WriteBy(ctx, &match.Draft{Fence: fence, Normalized: n, Types: types, Release: &r}, scored, func(ctx context.Context, c rules.Competition) (rules.Result, error) {
					return rules.Apply(context.WithoutCancel(ctx), c)
				})
				if !errors.Is(err, tc.want) {
					t.Fatalf("got %v, want %v", err, tc.want)
				}
				after, row := f.Dump(results...), f.DocumentRow(num(5))
				if written := tc.want == nil; (after != before) != written || (row.Status == status) != written {
					t.Errorf("the row is %+v, the results changed: %v", row, after != before)
				}
			})
		}
	}
}

// refusedVector is an embedder of vectors with the wrong length, as long as err is set.
type refusedVector struct {
	oneVector
	err error
}

func (r *refusedVector) Embed(ctx context.Context, texts []string) ([]llm.Vector, llm.Usage, error) {
	if r.err != nil {
		return nil, llm.Usage{}, r.err
	}
	return r.oneVector.Embed(ctx, texts)
}

// Documents that the embedder refuses go on without a vector, and keep the reason
// until they have one.
func TestWrongVectorLength(t *testing.T) {
	t.Parallel()
	byRules := newWorkshop(t, lampTrade(2))
	byRules.matchAll(rand.New(rand.NewPCG(1, 1)), 1)
	w := newWorkshop(t, lampTrade(2))
	l := newLine(w, nil)
	l.matcher.Model = nil
	embedder := &refusedVector{err: failure.Permanently("the provider's vectors have the wrong length")}
	l.matcher.Embeddings = &llm.Embeddings{Embedder: embedder, Vault: w.DB}
	l.drain(w.DB, w.ids)
	if want, got := byRules.known(), w.known(); got != want {
		t.Errorf("without vectors there is something else: %s", firstDifference(want, got))
	}
	summaries := func() (reasons []string) {
		t.Helper()
		list := must.Get(report.From(w.DB).Summaries(t.Context(), w.ids))(t)
		for _, s := range list {
			if s.Status != "succeeded" {
				t.Errorf("%s is %s: %s", s.ID, s.Status, s.Error)
			}
			if s.NoVector != "" {
				reasons = append(reasons, s.NoVector)
			}
		}
		return reasons
	}
	postgrestest.EqualLists(t, "kept reasons", summaries(), slices.Repeat([]string{"embed: the provider's vectors have the wrong length"}, 10))
	embedder.err = nil
	l.drain(w.DB, w.ids)
	if got := summaries(); len(got) != 0 || w.Count("SELECT count(*) FROM document WHERE embedding IS NOT NULL") != 10 {
		t.Errorf("with vectors the reasons %q are kept", got)
	}
}
