package acceptance_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// The worst for chains are documents that all fit each other equally well: each that comes lets
// others be matched again, which lets others be matched again. Their chains stay far below the
// limit, however the documents come.
func TestHopsOfRivals(t *testing.T) {
	t.Parallel()
	for name, portion := range map[string]int{"one by one": 1, "all at once": 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			collected, url := startCollector(t)
			l := newModelLine(t, 1, scripted.Options{Mind: func(scripted.Question) string { return choosing("high") }},
				func(c *local.FunctionConfig) { c.Env = append(c.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+url) })
			ids := l.rivals(2, 8)
			for len(ids) > 0 {
				n := min(portion, len(ids))
				l.publish(ids[:n]...)
				l.finish()
				ids = ids[n:]
			}
			l.end()
			longest, sent := collected.longestChain()
			t.Logf("%d messages, chains of up to %d functions", sent, longest)
			if longest > manifest.MaxHops/2 || portion == 1 && longest < 2 {
				t.Errorf("a chain of %d functions", longest)
			}
		})
	}
}

// rivals imports orders and invoices of one supplier that fit each other equally well, in any order.
func (l *line) rivals(orders, invoices int) (ids []uuid.UUID) {
	l.t.Helper()
	var docs []postgres.Imported
	for i := range orders + invoices {
		kind, day := document.PurchaseOrder, 5
		if i >= orders {
			kind, day = document.Invoice, 15
		}
		data := parseData(l.t, fmt.Sprintf(`{"supplier":{"name":"Rivalbau"},"currency":"EUR","total":"2000.37","number":"N%04d",`+
			`"line_items":[{"sku":"L0001","quantity":"20","unit_price":"100.19"}],"date":"2026-01-%02d"}`, i, day))
		docs = append(docs, postgres.Imported{ID: uuid.New(), TenantID: testTenant, Type: kind, Data: must.Get(json.Marshal(data))(l.t)})
		ids = append(ids, docs[i].ID)
	}
	l.stored(docs)
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

// longestChain returns the most functions that a message passed, and the number of messages that
// came from functions.
func (c *collector) longestChain() (longest, sent int) {
	parents := map[string]otlpSpan{}
	for _, s := range c.spans {
		parents[s.SpanID] = s
	}
	for _, s := range c.spans {
		n := 0
		for at, ok := s, true; ok && s.Name == "process"; at, ok = parents[at.ParentSpanID] {
			if at.Name == "process" {
				n++
			}
		}
		longest = max(longest, n)
		if n > 1 {
			sent++
		}
	}
	return longest, sent
}
