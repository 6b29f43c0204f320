package matches_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/postgrestest"

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
	f.Put(num(21), tenant, document.PurchaseOrder, spotOrder)
	f.Put(num(22), tenant, document.Invoice, spotInvoice1)
	f.match(num(21))
	f.match(num(22))
	f.Exec("UPDATE document SET matching_status = 'succeeded'")
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
	m := &match.Matcher{Store: f.Store, Log: slog.New(slog.DiscardHandler), Sender: &sent{},
		Model: &llm.Asker{Model: service, Vault: f.DB}, Embeddings: &llm.Embeddings{Embedder: service, Vault: f.DB}}
	runtime := &job.Runtime{Store: f.DB, Work: m.Match, Backoff: job.Backoff{5 * time.Minute, 30 * time.Minute},
		Log: slog.New(slog.DiscardHandler), Observe: func(job.Observation) {
			if ends.Add(1) == int32(len(documents)-1) {
				stop() // its time is over for the last one
			}
		}}
	var batch []job.Delivery
	for i, d := range documents {
		batch = append(batch, job.Delivery{ID: f.Put(num(i+1), tenant, d.typ, d.data), Count: 1, SentAt: start})
	}
	got := runtime.Run(ctx, batch, queueless{})
	for i, d := range documents {
		row := f.DocumentRow(num(i + 1))
		if got[i] != d.want || string(row.Status) != d.status || !strings.HasPrefix(row.Error, d.reason) {
			t.Errorf("what %s: ended as %+v, %s, %q; want %+v, %s, %q", d.name, got[i], row.Status, row.Error, d.want, d.status, d.reason)
		}
	}
	postgrestest.Equal(t, "calls of the model", service.calls, 1)
	f.wantEdges("the batch", "1-2 rules, 8-21 model", "21-22 rules", "1 1 0 0 0 0 0 8 8 0")
}

// batch claims n invoices of a supplier, half of them a second tenant's, on a connection
// that counts round trips.
func batch(t *testing.T, n int) (f *fixture, w *wire, fences []job.Attempt, contents []score.Normalized) {
	t.Helper()
	url := postgrestest.URL(t)
	w = listen(t, url, 0)
	f = with(&postgrestest.Fixture{DB: postgrestest.Open(t, w.url), Conn: postgrestest.Conn(t, url), T: t})
	f.Exec("INSERT INTO tenant VALUES ($1, 'Testers'), ($2, 'Others')", tenant, num(99))
	deliveries := make([]job.Delivery, n)
	for i := range deliveries {
		of := []uuid.UUID{tenant, num(99)}[i%2]
		deliveries[i].ID = f.Put(num(i+1), of, document.Invoice, fmt.Sprintf(`{"number":"RE-%d","total":"119.00"}`, i+1))
		contents = append(contents, score.Normalized{Tenant: of, Text: fmt.Sprint("text ", i), Keys: key("k").Keys, Lookup: key("k").Lookup})
	}
	claims := must.Get(f.Claim(t.Context(), deliveries, time.Minute, false))(t)
	for _, c := range claims {
		fences = append(fences, c.Attempt)
	}
	return f, w, fences, contents
}

// read loads all documents, and then searches for all, each in one call.
func (f *fixture) read(fences []job.Attempt, contents []score.Normalized) (map[job.Attempt]score.Raw, map[job.Attempt]match.Block) {
	f.T.Helper()
	var drafts []*match.Draft
	for i, fence := range fences {
		drafts = append(drafts, &match.Draft{Fence: fence, Normalized: contents[i], Types: document.Types})
	}
	return must.Get(f.Store.Load(f.T.Context(), fences))(f.T), must.Get(f.Store.Candidates(f.T.Context(), drafts))(f.T)
}

// Documents of a batch are loaded in one round trip, and their candidates read in one.
// What is read is the same as for each by itself.
func TestBatchReadsTogether(t *testing.T) {
	t.Parallel()
	const n = 6
	f, w, fences, contents := batch(t, n)
	var loaded map[job.Attempt]score.Raw
	var blocks map[job.Attempt]match.Block
	for range 2 { // of the first time, the last finds all
		loaded, blocks = map[job.Attempt]score.Raw{}, map[job.Attempt]match.Block{}
		for i := range fences {
			l, b := f.read(fences[i:i+1], contents[i:i+1])
			maps.Copy(loaded, l)
			maps.Copy(blocks, b)
		}
	}
	before := w.trips.Load()
	together, theirs := f.read(fences, contents)
	if trips := w.trips.Load() - before; trips != 2 {
		t.Errorf("%d round trips for %d documents, want one to load them and one for their candidates", trips, n)
	}
	if !reflect.DeepEqual(together, loaded) || !reflect.DeepEqual(theirs, blocks) || len(together) != n {
		t.Errorf("together:\n%v\nalone:\n%v", theirs, blocks)
	}
	for i, fence := range fences {
		b := theirs[fence]
		if len(b.Candidates) != n/2-1 || b.Candidates[0].TenantID != contents[i].Tenant {
			t.Errorf("document %d: candidates %v; want the %d others of its tenant, %s", i+1, b.Candidates, n/2-1, contents[i].Tenant)
		}
	}
}

// spoiler stores a broken text for a document.
type spoiler struct {
	match.Store
	id uuid.UUID
}

func (s spoiler) Candidates(ctx context.Context, drafts []*match.Draft) (map[job.Attempt]match.Block, error) {
	for _, d := range drafts {
		if d.Fence.ID == s.id {
			d.Normalized.Text = "a NUL, which no text of a database holds: \x00"
		}
	}
	return s.Store.Candidates(ctx, drafts)
}

// Of a batch, an attempt with a lost fence and a document that cannot be stored fail by
// themselves.
func TestBadReadFailsAlone(t *testing.T) {
	t.Parallel()
	const n, lost, broken = 6, 1, 2
	f, _, fences, contents := batch(t, n)
	fences[lost].Number++
	for i, err := range f.matchTogether(spoiler{f.Store, num(broken + 1)}, fences) {
		switch i {
		case lost:
			if !errors.Is(err, job.ErrFenceLost) {
				t.Errorf("with a lost fence: %v", err)
			}
		case broken:
			if err == nil || errors.Is(err, job.ErrFenceLost) {
				t.Errorf("with a broken text: %v; want an error of the database for its candidates", err)
			}
		default:
			if err != nil || f.State(fences[i].ID).Status != "succeeded" {
				t.Errorf("document %d: %v", i+1, err)
			}
		}
	}
	drafts := []*match.Draft{{Fence: fences[lost], Normalized: contents[lost], Types: document.Types}}
	if blocks := must.Get(f.Store.Candidates(t.Context(), drafts))(t); len(blocks) != 0 {
		t.Errorf("with a lost fence: %v", blocks)
	}
}

// A request for the tenant's lock that is refused reads none of what it asks for.
func TestRefusedTurn(t *testing.T) {
	t.Parallel()
	f, w, fences, contents := batch(t, 3)
	f.read(fences, contents)
	const size = 500_000
	f.Exec(`UPDATE document SET structured_data = jsonb_build_object('note', repeat('x', $2)) WHERE id = $1`, num(3), size)
	begun, refused := w.bytes.Load(), make(chan int64, 1000)
	f.OnTurn(func(e string) {
		if e == "refused" {
			refused <- w.bytes.Load() - begun
		}
	})
	release := f.holdTenant()
	written := make(chan error, 1)
	go func() {
		_, err := f.Write(t.Context(), fences[0], contents[0], document.Types, match.Block{}, nil, nil)
		written <- err
	}()
	if n := <-refused; n > size/2 {
		t.Errorf("%d bytes were exchanged until the lock was refused", n)
	}
	release()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if n := w.bytes.Load() - begun; n < size {
		t.Errorf("%d bytes were exchanged in all: the candidate of %d was not read", n, size)
	}
}
