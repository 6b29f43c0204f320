package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// An order that 22 invoices of 800 kB cite has more partners than there is
// room for in a function. They are partners all the same: matching it again
// changes nothing, and what it then has in common with none of them is forgotten.
func TestPartnersBeyondRoom(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "reads 18 MB for each of two dozen documents")
	f := newFixture(t)
	const invoices, size, room = 22, 800_000, 8 << 20
	f.put(num(1), tenant, document.PurchaseOrder, `{"number":"4500001234","date":"2026-03-02","supplier":{"vat_id":"DE999010115"}}`)
	f.match(num(1))
	for n := 2; n < 2+invoices; n++ {
		f.put(num(n), tenant, document.Invoice, fmt.Sprintf(`{"number":"RE-%d","supplier":{"vat_id":"DE999010115"},"references":[{"type":"purchase-order","number":"4500001234"}],"notes":%q}`,
			n, strings.Repeat("x", size)))
		f.match(num(n))
	}
	if got := f.count("SELECT count(*) FROM match_pair WHERE document_a_id = $1", num(1)); got != invoices {
		t.Fatalf("%d pairs, want %d", got, invoices)
	}
	unchanged := f.unchanged("document_match", "match_suggestion", "match_pair")
	f.match(num(1))
	unchanged("matched again")

	raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
	lookup := must.Get(score.Lookup(raws[0]))(t)
	block := f.block(f.take(num(1)), score.Normalized{Keys: lookup, Lookup: lookup})
	bytes := 0
	for _, c := range block.Candidates {
		bytes += len(c.Data)
	}
	// What shares a key has the room, and so have the partners.
	if len(block.Partners) != invoices || bytes > 2*room || bytes < room/2 {
		t.Errorf("%d partners, %d candidates of %d bytes, want at most %d", len(block.Partners), len(block.Candidates), bytes, 2*room)
	}

	// Those that are asked for are there, whatever there is room for.
	last := []uuid.UUID{num(1 + invoices), num(invoices)}
	block = f.block(f.take(num(1)), score.Normalized{Similar: last})
	for _, id := range last {
		if !slices.ContainsFunc(block.Candidates, func(c score.Raw) bool { return c.ID == id }) {
			t.Errorf("%s is wanted and not read", id)
		}
	}

	f.exec(`UPDATE document SET structured_data = structured_data || '{"date":"2026-03-05"}' WHERE id = $1`, num(1))
	f.match(num(1))
	equal(t, "pairs with its new date", f.count(`SELECT count(*) FROM match_pair WHERE ends ->> 0 LIKE '%2026-03-05%'`), invoices)

	f.exec(`UPDATE document SET structured_data = '{"number":"X","supplier":{"vat_id":"ATU99902034"}}' WHERE id = $1`, num(1))
	f.match(num(1))
	equal(t, "pairs of what it was", f.count("SELECT count(*) FROM match_pair"), 0)
}
