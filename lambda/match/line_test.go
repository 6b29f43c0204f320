package match

import (
	"fmt"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// BenchmarkLine measures the line in memory: documents are normalised with their
// keys, scored with their candidates, and their pairs decided.
func BenchmarkLine(b *testing.B) {
	b.Run("p2p", func(b *testing.B) { benchmarkLine(b, rawCorpus(b, "p2p", "visible")) })
	b.Run("equal", func(b *testing.B) { benchmarkLine(b, equalOrders(200, false)) })
	b.Run("equal cited", func(b *testing.B) { benchmarkLine(b, equalOrders(200, true)) })
}

func benchmarkLine(b *testing.B, raws []score.Raw) {
	var c corpus
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			c.docs = c.docs[:0]
			for _, raw := range raws {
				d := must.Get(score.Read(raw))(b)
				d.Normalized()
				c.docs = append(c.docs, d)
			}
		}
	})
	var pairs []rules.Pair
	blocks := c.blocks()
	b.Run("score", func(b *testing.B) {
		for b.Loop() {
			pairs = c.scored(blocks)
		}
	})
	all := rules.Competition{Pairs: pairs}
	for _, d := range c.docs {
		all.Documents = append(all.Documents, d.ID)
	}
	b.Run("decide", func(b *testing.B) {
		for b.Loop() {
			must.Get(rules.Decide(b.Context(), all))(b)
		}
	})
}

// equalOrders are n orders of one supplier for the same goods, a day apart, and an
// invoice for each, which cites it or not.
func equalOrders(n int, cited bool) (raws []score.Raw) {
	const rest = `"supplier":{"name":"Hofmann Werkzeugbau GmbH","vat_id":"DE136695976"},"currency":"EUR","total":"1184.37",
		"line_items":[{"sku":"A-1001","description":"Bohrer 8 mm HSS","quantity":"5","unit_price":"20.50","amount":"102.50"},
		{"sku":"A-1002","description":"Kabel 3x1,5 schwarz","quantity":"10","unit_price":"89.28","amount":"892.80"}]`
	add := func(t document.Type, k int, data string) {
		id := uuid.NewSHA1(uuid.Nil, fmt.Append(nil, t, k))
		raws = append(raws, score.Raw{ID: id, Type: t, Data: fmt.Sprintf(`{"date":"2026-%02d-%02d",%s,%s}`, 1+k/28, 1+k%28, data, rest)})
	}
	for k := range n {
		add(document.PurchaseOrder, k, fmt.Sprintf(`"number":"45000%05d"`, 10046+17*k))
		refs := ""
		if cited {
			refs = fmt.Sprintf(`,"references":[{"type":"purchase-order","number":"45000%05d"}]`, 10046+17*k)
		}
		add(document.Invoice, k, fmt.Sprintf(`"number":"RE-2026-%04d"%s`, 1000+k, refs))
	}
	return raws
}
