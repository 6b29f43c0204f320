package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// ordered is an order of a supplier by our article number, or its invoice by the supplier's.
func ordered(number, date, sku, text, quantity string) string {
	return fmt.Sprintf(`{"number":%q,"date":%q,"currency":"EUR","supplier":{"name":"Lampenhaus Wittmann GmbH"},
		"line_items":[{"sku":%q,"description":%q,"quantity":%q,"unit_price":"11.40"}]}`, number, date, sku, text, quantity)
}

// pairsOf lists a tenant's pairs with their points and evidence.
func (f *fixture) pairsOf(tenant uuid.UUID) string {
	f.t.Helper()
	return f.list(`SELECT p.points || ' ' || p.evidence::text || ' ' || p.units_common FROM match_pair AS p WHERE tenant_id = $1
		ORDER BY document_a_id, document_b_id`, tenant)
}

// rematch matches the published documents until none is left.
func (f *fixture) rematch() {
	f.t.Helper()
	for range 10 {
		ids := query[uuid.UUID](f.t, f.conn, "SELECT id FROM document WHERE matching_status = 'pending' ORDER BY id")
		for _, id := range ids {
			f.match(id)
		}
		if len(ids) == 0 {
			return
		}
	}
	f.t.Error("documents are published again and again")
}

// A confirmed match teaches the supplier's article number for the tenant's documents, and no
// other tenant's. Withdrawn, it leaves no trace.
func TestConfirmedArticles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, of := range []uuid.UUID{tenant, otherTenant} {
		for j, d := range []struct {
			kind document.Type
			data string
		}{
			{document.PurchaseOrder, ordered("4500000201", "2026-03-02", "L-20", "Lamp, 20 W", "17")},
			{document.Invoice, ordered("RE-881", "2026-03-09", "900411", "Leuchte warmweiss", "17")},
			{document.PurchaseOrder, ordered("4500000257", "2026-06-02", "L-20", "Lamp, 20 W", "40")},
			{document.Invoice, ordered("RE-934", "2026-06-08", "900411", "Leuchte warmweiss", "23")},
		} {
			f.put(num(10*i+j+1), of, d.kind, d.data)
			f.match(num(10*i + j + 1))
		}
	}
	before, theirs := f.pairsOf(tenant), f.pairsOf(otherTenant)
	decide := func(v rules.Verdict) {
		t.Helper()
		must.Get(f.Decide(t.Context(), num(1), num(2), postgres.Decision{Verdict: v, By: "anna", Origin: postgres.OriginCommand}))(t)
		f.rematch()
	}
	decide(rules.Confirmed)
	taught := f.pairsOf(tenant)
	const source = `by the confirmed match of \"4500000201\" and \"RE-881\"`
	if strings.Contains(before, source) || !strings.Contains(taught, source) {
		t.Errorf("before: %s\nafter the confirmation: %s", before, taught)
	}
	equal(t, "the other tenant's pairs", f.pairsOf(otherTenant), theirs)
	decide(rules.Withdrawn)
	equal(t, "after the withdrawal", f.pairsOf(tenant), before)
	decide(rules.Confirmed)
	equal(t, "confirmed again", f.pairsOf(tenant), taught)
}
