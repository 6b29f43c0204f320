package postgres_test

import (
	"slices"
	"strconv"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// The candidates people see are the same as in matching, best first: one common number counts
// more than several common months and amounts.
func TestRankedAsMatched(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const order = `"supplier":{"vat_id":"DE136695976"},"date":"2026-01-05","total":"1184.37"`
	f.put(num(1), tenant, document.PurchaseOrder, `{"number":"4500010046",`+order+`}`)
	f.put(num(2), tenant, document.Invoice, `{`+order+`}`)
	f.put(num(3), tenant, document.Invoice, `{"references":[{"type":"purchase-order","number":"4500010046"}]}`)
	f.put(num(4), tenant, document.Invoice, `{"references":[{"type":"purchase-order","number":"99"}]}`)
	for n := 2; n <= 4; n++ {
		f.match(num(n))
	}
	ranked := must.Get(f.Ranked(t.Context(), []uuid.UUID{num(1)}, 200))(t)
	equalLists(t, "ranked", ranked[num(1)], []uuid.UUID{num(3), num(2)})
	raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
	doc := must.Get(score.Read(raws[0]))(t)
	block := f.block(f.take(num(1)), doc.Normalized())
	var found []uuid.UUID
	for _, c := range block.Candidates {
		found = append(found, c.ID)
	}
	slices.SortFunc(ranked[num(1)], func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	equalLists(t, "what matching reads and people see", found, ranked[num(1)])
}

// A document without a common key is a candidate by its text: of the same
// company, and similar.
func TestRankedSimilarTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	put := func(n int, typ document.Type, supplier string, vector ...float32) {
		t.Helper()
		data := `{"supplier":{"vat_id":"` + supplier + `"},"number":"N-` + strconv.Itoa(n) + `77"}`
		f.put(num(n), tenant, typ, data)
		doc := must.Get(score.Read(score.Raw{ID: num(n), TenantID: tenant, Type: typ, Data: data}))(t)
		f.exec("UPDATE document SET match_keys = $2, embedding = $3 WHERE id = $1", num(n), doc.Normalized().Keys,
			doc.Embed("e", llm.Vector(vector).Bytes()))
	}
	put(1, document.PurchaseOrder, "DE136695976", 1, 0)
	put(2, document.Invoice, "DE136695976", 0.8, 0.6)
	put(3, document.Invoice, "DE136695976", 0, 1)   // another text
	put(4, document.Invoice, "ATU13585627", 1, 0)   // another company
	put(5, document.GoodsReceipt, "DE136695976", 1) // another length: of another model
	for limit, want := range map[int][]uuid.UUID{10: {num(2)}, 0: nil} {
		ranked, err := f.Ranked(t.Context(), []uuid.UUID{num(1)}, limit)
		if err != nil || !slices.Equal(ranked[num(1)], want) {
			t.Errorf("at most %d: ranked %v, %v; want %v", limit, ranked[num(1)], err, want)
		}
	}
}
