package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/plan"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const (
	rounds = 2 // batches of each invocation, one after the other

	// A run is repeated: always once, to see how far the times spread, and, where
	// the machine was busy with something else, until one of them was undisturbed.
	fewestRuns, mostRuns = 2, 8
)

// The band in which a measured rate is, as a share of what the formula says. A
// busy machine makes it slower, nothing makes it faster than the answers of the
// model: the upper end is measured against the formula without any other work.
// A formula that had one answer after the other, or forgot that invocations run
// beside each other, is out of it; one that took the average answer for the
// longest as well, unless the machine is very busy.
const (
	bandFrom = 0.65
	bandTo   = 1.25
)

// What the formula says about full batches is what the line does: the real
// bootstrap, the queue over HTTP, PostgreSQL, and a scripted model whose answers
// take their time, which is most of the time. The cases run one after the other,
// so that they do not disturb each other.
func TestFormulaPredictsASimulatedRun(t *testing.T) {
	t.Parallel()
	const second = 400 * time.Millisecond // is enough of one
	fixed := func(d time.Duration) plan.Latency { return plan.Latency{Min: d, Max: d} }
	batch := simulate(t, 1, fixed(0), func([]time.Duration) bool { return true }) / rounds // with nothing to wait for
	for _, tc := range []struct {
		name        string
		concurrency int
		latency     plan.Latency
	}{
		{"one invocation", 1, fixed(second)},
		{"two invocations", 2, fixed(second)},
		{"answers take twice as long", 1, fixed(2 * second)},
		{"answers take different times", 2, plan.Latency{Min: second / 40, Max: 5 * second / 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			documents := float64(tc.concurrency * rounds * manifest.Match.BatchSize)
			slowest, fastest := predicted(t, tc.concurrency, tc.latency, batch), predicted(t, tc.concurrency, tc.latency, 0)
			best := simulate(t, tc.concurrency, tc.latency, func(all []time.Duration) bool {
				share := documents / slices.Min(all).Hours() / slowest
				t.Logf("%.0f documents in %v: the best is %.2f of the formula's rate", documents, all, share)
				return share >= bandFrom
			})
			rate := documents / best.Hours()
			if rate < bandFrom*slowest || rate > bandTo*fastest {
				t.Errorf("%.0f documents an hour, want %.2f of %.0f to %.2f of %.0f: a batch takes %v without the answers", rate, bandFrom, slowest, bandTo, fastest, batch)
			}
		})
	}
}

// predicted is what the formula says of batches in which every document asks,
// and everything else takes so long.
func predicted(t *testing.T, concurrency int, l plan.Latency, batch time.Duration) float64 {
	t.Helper()
	var m plan.Measured
	m.CoreSpeed.Value, m.Busy.Value = 1, 1
	m.ExecutionMS.Value = batch.Seconds() * 1000 / float64(manifest.Match.BatchSize)
	c := plan.System{Work: plan.Work{Questions: 1, Latency: l, Tenants: 1, MemoryMB: 1024, Pool: 1, Measured: m},
		Concurrency: concurrency, BatchSize: manifest.Match.BatchSize, Connections: 1000, Cores: 1000}.Capacity()
	if c.Binding != plan.LimitConcurrency {
		t.Fatalf("%s binds", c.Binding)
	}
	return c.Documents
}

// simulate has full batches worked on, again until it is enough, and returns the
// shortest time that it took.
func simulate(t *testing.T, concurrency int, l plan.Latency, enough func(all []time.Duration) bool) time.Duration {
	t.Helper()
	model, err := scripted.Start(t.Context(), scripted.Options{
		Mind:    scripted.MindFunc(func(scripted.Question) string { return `{"matches":[]}` }),
		Latency: scripted.Latency{Min: l.Min, Max: l.Max, Seed: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	r := rehearse(t, postgrestest.URL(t), concurrency, withoutMapping, manifest.EnvMatchMode+"=model",
		manifest.EnvOpenAIBaseURL+"="+model.URL(), manifest.EnvOpenAIKey+"=scripted")
	var all []time.Duration
	for run := 0; run < fewestRuns || run < mostRuns && !enough(all); run++ {
		n := concurrency * rounds * manifest.Match.BatchSize
		orders, invoices := r.undecided(run, n)
		r.through(orders, concurrency)
		before := len(model.Calls())
		all = append(all, r.through(invoices, concurrency).Round(time.Millisecond))
		if asked := len(model.Calls()) - before; asked < n {
			t.Fatalf("%d questions, want one of each of %d invoices", asked, n)
		}
	}
	r.close()
	return slices.Min(all)
}

// undecided imports n invoices that rules cannot tell which of two orders they
// are for, and those orders. Each has a supplier of its own.
func (r *rehearsal) undecided(run, n int) (orders, invoices []uuid.UUID) {
	r.t.Helper()
	var docs []postgres.Imported
	add := func(ids []uuid.UUID, kind document.Type, said string) []uuid.UUID {
		id := uuid.New()
		docs = append(docs, postgres.Imported{ID: id, TenantID: uuid.MustParse(tenantA), Type: kind, Data: json.RawMessage(said)})
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
func (r *rehearsal) through(ids []uuid.UUID, concurrency int) time.Duration {
	r.t.Helper()
	if err := r.Publish().Publish(r.t.Context(), ids); err != nil {
		r.t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer stop()
	told := make(chan local.Invocation, 10*len(ids))
	mapping := local.NewMapping(local.MappingConfig{QueueURL: r.Queue.URL, QueueARN: r.Queue.ARN, BatchSize: manifest.Match.BatchSize,
		MaxConcurrency: concurrency, Client: r.Queue.Client, Invoke: r.Function.Invoke, Clock: r.Clock,
		OnInvocation: func(i local.Invocation) { r.batch(i); told <- i }})
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
		case i := <-told:
			done += len(i.MessageIDs) - len(i.Failed) - len(i.Undeleted)
			if len(i.Failed)+len(i.Undeleted) > 0 {
				if _, err := r.Jump(ctx); err != nil {
					r.t.Fatal(err)
				}
			}
		case <-ctx.Done():
			r.t.Fatalf("%d of %d documents are done after two minutes", done, len(ids))
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
// off as long as it has not noticed, and nobody has them then.
func (r *rehearsal) waitUntilNobodyPolls() {
	r.t.Helper()
	deadline := time.After(time.Minute)
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
