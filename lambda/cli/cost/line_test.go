package cost

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const (
	rounds = 2               // batches of each invocation, one after the other
	stuck  = 9 * time.Minute // no machine is so slow
)

const tenant = "10000000-0000-4000-8000-000000000001"

const second = 400 * time.Millisecond // is enough of one

var planned = []struct {
	name        string
	concurrency int
	latency     Latency
}{
	{"one invocation", 1, Latency{Min: second, Max: second}},
	{"two invocations", 2, Latency{Min: second, Max: second}},
	{"answers take twice as long", 1, Latency{Min: 2 * second, Max: 2 * second}},
	{"answers take different times", 2, Latency{Min: second / 40, Max: 5 * second / 2}},
}

// What the formula says about full batches is what the line does: the real
// bootstrap, the queue over HTTP, PostgreSQL, and a scripted model. Only the
// model's answers take time, and none of it is real: it passes when all
// questions wait that can be asked by then. So a line that had one answer after
// the other would never get one, and no machine is too slow.
func TestFormulaPredictsASimulatedRun(t *testing.T) {
	t.Parallel()
	for _, tc := range planned {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := newTimedModel(tc.concurrency, tc.latency)
			r := rehearseAsking(t, tc.concurrency, scripted.Options{Mind: model.Answer})
			orders, invoices := r.undecided(0, len(model.documents))
			r.through(orders, tc.concurrency, r.Function.Invoke)
			model.documents = invoices
			r.through(invoices, tc.concurrency, func(ctx context.Context, payload []byte) ([]byte, error) {
				model.begin(payload)
				return r.Function.Invoke(ctx, payload)
			})
			took := model.passed()
			got, want := float64(len(invoices))/took.Hours(), predicted(t, tc.concurrency, tc.latency, 0)
			if math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%.0f documents an hour, want %.0f: %d documents in %v", got, want, len(invoices), took)
			}
		})
	}
}

// The same in real time, as a share of what the formula says of a line that has
// nothing else to do than to wait for answers.
func BenchmarkFormulaAgainstTheLine(b *testing.B) {
	for _, tc := range planned {
		b.Run(tc.name, func(b *testing.B) {
			r := rehearseAsking(b, tc.concurrency, scripted.Options{
				Mind:    func(scripted.Question) string { return `{"matches":[]}` },
				Latency: scripted.Latency{Min: tc.latency.Min, Max: tc.latency.Max, Seed: 1},
			})
			var took time.Duration
			n := tc.concurrency * rounds * manifest.Match.BatchSize
			run := 0
			for ; b.Loop(); run++ {
				b.StopTimer()
				orders, invoices := r.undecided(run, n)
				r.through(orders, tc.concurrency, r.Function.Invoke)
				b.StartTimer()
				took += r.through(invoices, tc.concurrency, r.Function.Invoke)
			}
			rate := float64(run*n) / took.Hours()
			b.ReportMetric(rate, "documents/h")
			b.ReportMetric(rate/predicted(b, tc.concurrency, tc.latency, 0), "of-the-formula")
		})
	}
}

// predicted is what the formula says of batches in which every document asks,
// and everything else takes so long.
func predicted(t testing.TB, concurrency int, l Latency, batch time.Duration) float64 {
	t.Helper()
	var m Measured
	m.CoreSpeed.Value, m.Busy.Value = 1, 1
	m.ExecutionMS.Value = batch.Seconds() * 1000 / float64(manifest.Match.BatchSize)
	c := System{Work: Work{Questions: 1, Latency: l, Tenants: 1, MemoryMB: 1024, Pool: 1, Measured: m},
		Concurrency: concurrency, BatchSize: manifest.Match.BatchSize, Connections: 1000, Cores: 1000}.Capacity()
	if c.Binding != limitConcurrency {
		t.Fatalf("%s binds", c.Binding)
	}
	return c.Documents
}

// rehearseAsking is rehearse with a model, and nothing takes messages yet.
func rehearseAsking(t testing.TB, concurrency int, o scripted.Options) *countedRun {
	t.Helper()
	model, err := scripted.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return rehearse(t, postgrestest.URL(t), concurrency, withoutMapping, manifest.EnvMatchMode+"=model",
		manifest.EnvOpenAIBaseURL+"="+model.URL(), manifest.EnvOpenAIKey+"=scripted")
}

// undecided imports n invoices that rules cannot tell which of two orders they
// are for, and those orders. Each has a supplier of its own.
func (r *countedRun) undecided(run, n int) (orders, invoices []uuid.UUID) {
	r.t.Helper()
	var docs []postgres.Imported
	add := func(ids []uuid.UUID, kind document.Type, said string) []uuid.UUID {
		id := uuid.New()
		docs = append(docs, postgres.Imported{ID: id, TenantID: uuid.MustParse(tenant), Type: kind, Data: json.RawMessage(said)})
		return append(ids, id)
	}
	for i := range n {
		// A word of its own in letters, of which no two are alike.
		word := make([]byte, 12)
		for at := range word {
			word[at] = byte('a' + (run*7919+i*104729+at*at*(i+13)*(run+3))%26)
		}
		said := fmt.Sprintf(`{"supplier":{"name":"%s%c%c"},"currency":"EUR","total":"%d.37","line_items":[{"sku":"L%d-%d","quantity":"20","unit_price":"%d.19"}],"date":"2026-01-`,
			word, 'a'+i/26, 'a'+i%26, 2000+i, run, i, 100+i)
		orders = add(orders, document.PurchaseOrder, said+fmt.Sprintf(`05","number":"B%d-%d-1"}`, run, i))
		orders = add(orders, document.PurchaseOrder, said+fmt.Sprintf(`05","number":"B%d-%d-2"}`, run, i))
		invoices = add(invoices, document.Invoice, said+fmt.Sprintf(`15","number":"RE%d-%d"}`, run, i))
	}
	r.store(docs)
	return orders, invoices
}

// through sends all messages first, so that every batch is full, and returns
// how long the line takes from then on. What fails because the machine is too
// busy comes again at once: the clock jumps.
func (r *countedRun) through(ids []uuid.UUID, concurrency int, invoke func(context.Context, []byte) ([]byte, error)) time.Duration {
	r.t.Helper()
	if err := r.Publish().Publish(r.t.Context(), ids); err != nil {
		r.t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(r.t.Context(), stuck)
	defer stop()
	batches := make(chan eventsource.Invocation, 10*len(ids))
	mapping := eventsource.New(eventsource.Config{QueueURL: r.Queue.URL, QueueARN: r.Queue.ARN, BatchSize: manifest.Match.BatchSize,
		MaxConcurrency: concurrency, Client: r.Queue.Client, Invoke: invoke, Now: r.Clock.Now,
		OnInvocation: func(i eventsource.Invocation) { r.batch(i); batches <- i }})
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- mapping.Run(ctx) }()
	stalled := time.NewTicker(100 * time.Millisecond)
	defer stalled.Stop()
	for done := 0; done < len(ids); {
		select {
		case <-stalled.C: // a receive that broke off took messages along
			if r.Idle() {
				if _, err := r.Jump(ctx); err != nil {
					r.t.Fatal(err)
				}
			}
		case i := <-batches:
			done += len(i.MessageIDs) - len(i.Failed) - len(i.Undeleted)
			if len(i.Failed)+len(i.Undeleted) > 0 {
				if _, err := r.Jump(ctx); err != nil {
					r.t.Fatal(err)
				}
			}
		case <-ctx.Done():
			r.t.Fatalf("%d of %d documents are done after %s", done, len(ids), stuck)
		}
	}
	took := time.Since(began)
	stop()
	if err := <-ended; err != nil {
		r.t.Fatal(err)
	}
	r.waitUntilNobodyPolls()
	return took
}

// waitUntilNobodyPolls: the queue gives messages to a receive that was broken
// off as long as it has not noticed, and then no function has them.
func (r *countedRun) waitUntilNobodyPolls() {
	r.t.Helper()
	deadline := time.After(stuck)
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for {
		if queue, _ := r.Stats(); queue.Polls == 0 {
			return
		}
		select {
		case <-deadline:
			r.t.Fatal("a receive goes on after its mapping has ended")
		case <-again.C:
		}
	}
}
