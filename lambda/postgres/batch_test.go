package postgres_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"

	"github.com/google/uuid"
)

// faulty is an embedder and a model with the faults written in a document.
type faulty struct {
	clerk
	faults   map[string]func(ctx context.Context) error
	answered func()
}

func (*faulty) Name() string { return "faulty" }

func (e *faulty) Embed(ctx context.Context, texts []string) ([]llm.Vector, llm.Usage, error) {
	for word, fault := range e.faults {
		if strings.Contains(strings.ToLower(texts[0]), word) {
			if err := fault(ctx); err != nil {
				return nil, llm.Usage{}, err
			}
		}
	}
	return []llm.Vector{{0.5, 0.5}}, llm.Usage{}, nil
}

func (e *faulty) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	e.answered()
	return e.clerk.Answer(ctx, q)
}

// Each document of a batch ends as it does alone. The ones without a question share a
// transaction before the model is asked, and a slow one keeps none of them waiting.
func TestBatchEndsEach(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(num(21), tenant, document.PurchaseOrder, spotOrder)
	f.put(num(22), tenant, document.Invoice, spotInvoice1)
	f.match(num(21))
	f.match(num(22))
	f.exec("UPDATE document SET matching_status = 'succeeded'")
	note := func(word string) string {
		return fmt.Sprintf(`{"number":"N-%s","supplier":{"name":"Acme"},"line_items":[{"description":"%[1]s"}]}`, word)
	}
	var ends atomic.Int32
	documents := []struct {
		name, data string
		typ        document.Type
		want       job.Settlement
		status     string // of the row; empty: none
		reason     string
	}{
		{"an order", `{"number":"4500017","supplier":{"name":"Acme"}}`, document.PurchaseOrder, job.Settlement{Action: job.Ack}, "succeeded", ""},
		{"its invoice", `{"number":"RE-9","supplier":{"name":"Acme"},"references":[{"type":"purchase-order","number":"4500017"}]}`,
			document.Invoice, job.Settlement{Action: job.Ack}, "succeeded", ""},
		{"panics", note("panicking"), document.Invoice, job.Settlement{Write: job.StatusFailed, Action: job.Ack}, "failed", "panic (string)"},
		{"is too slow", note("hanging"), document.Invoice,
			job.Settlement{Write: job.StatusPending, Action: job.Retry, Visibility: 5 * time.Minute}, "pending", "read candidates: stopped before it was done"},
		{"is unreadable", `{"total":"much"}`, document.Invoice, job.Settlement{Write: job.StatusFailed, Action: job.Ack}, "failed", "structured data: "},
		{"is unmatchable", "null", document.Invoice, job.Settlement{Action: job.Ack}, "", "not matchable: missing structured data"},
		{"loses its fence", note("published"), document.Invoice, job.Settlement{Action: job.Retry, Visibility: job.KeepVisibility}, "pending", ""},
		{"needs the model", spotInvoice2, document.Invoice, job.Settlement{Action: job.Ack}, "succeeded", ""},
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	service := &faulty{faults: map[string]func(context.Context) error{
		"panicking": func(context.Context) error { panic("Muster GmbH") },
		"hanging":   func(ctx context.Context) error { <-ctx.Done(); return &failure.Error{Sentence: "away"} },
		"published": func(ctx context.Context) error { _, err := f.Publish(ctx, []uuid.UUID{num(7)}); return err },
	}, answered: func() {
		if n := f.transactions(); n != 2 { // and the one before the batch
			t.Errorf("%d transactions before the model is asked, want one for the documents without a question", n)
		}
	}}
	m := &match.Matcher{Store: f.DB, Log: slog.New(slog.DiscardHandler), Sender: &sent{},
		Model: &llm.Asker{Model: service, Vault: f.DB}, Embeddings: &llm.Embeddings{Embedder: service, Vault: f.DB}}
	runtime := &job.Runtime{Store: f.DB, Work: m.Match, Backoff: job.Backoff{5 * time.Minute, 30 * time.Minute},
		Log: slog.New(slog.DiscardHandler), Observe: func(job.Observation) {
			if ends.Add(1) == int32(len(documents)-1) {
				stop() // its time is over for the last one
			}
		}}
	var batch []job.Delivery
	for i, d := range documents {
		batch = append(batch, job.Delivery{ID: f.put(num(i+1), tenant, d.typ, d.data), Count: 1, SentAt: start})
	}
	got := runtime.Run(ctx, batch, queueless{})
	for i, d := range documents {
		row := f.row(num(i + 1))
		if got[i] != d.want || string(row.Status) != d.status || !strings.HasPrefix(row.Error, d.reason) {
			t.Errorf("what %s: ended as %+v, %s, %q; want %+v, %s, %q", d.name, got[i], row.Status, row.Error, d.want, d.status, d.reason)
		}
	}
	equal(t, "calls of the model", service.calls, 1)
	f.wantEdges("the batch", "1-2 rules, 8-21 model", "21-22 rules", "1 1 0 0 0 0 0 8 8 0")
}
