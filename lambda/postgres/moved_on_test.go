package postgres_test

import (
	"fmt"
	"log/slog"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
)

// A candidate that is deleted, or changed, between the search and the write counts as it is at
// the write: the pairs are the same as of a search after the change.
func TestWriteUsesFreshBlock(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"deleted": "DELETE FROM document WHERE id = $1",
		"changed": `UPDATE document SET structured_data = jsonb_set(structured_data, '{line_items}', '[{"sku":"Q-9","quantity":"1"}]') WHERE id = $1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const pairsSQL = "SELECT document_a_id || ' ' || document_b_id || ' ' || points || ' ' || evidence::text FROM match_pair ORDER BY 1"
			var pairs [2]string
			for i, meeting := range []string{"load", "write"} {
				f := newFixture(t)
				f.put(num(2), tenant, document.Invoice, lampInvoice1)
				f.put(num(3), tenant, document.Invoice, lampInvoice2)
				f.match(num(2))
				f.match(num(3))
				fence := f.take(f.put(num(1), tenant, document.PurchaseOrder, lampOrder))
				meet := func(point string) {
					if point == meeting {
						f.exec(change, num(3))
					}
				}
				meet("load")
				m := &match.Matcher{Store: store{f.DB, meet}, Log: slog.New(slog.DiscardHandler)}
				must.OK(t, job.Work(m.Match).One(t.Context(), fence))
				pairs[i] = f.list(pairsSQL)
			}
			if pairs[0] != pairs[1] || pairs[0] == "" {
				t.Errorf("changed before the search:\n%s\nand before the write:\n%s", pairs[0], pairs[1])
			}
		})
	}
}

// A citation is found however many others cite the same number.
func TestAllCitationsFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const cited, all = "4500000107", 55
	for i := range all {
		f.match(f.put(num(10+i), tenant, document.DeliveryNote, fmt.Sprintf(
			`{"number":"LS-%d","date":"2026-03-%02d","supplier":{"name":"Lampenhaus Wittmann"},"references":[{"type":"purchase-order","number":"%s"}]}`, 9000+i, 1+i%28, cited)))
	}
	f.match(f.put(num(1), tenant, document.PurchaseOrder, `{"number":"`+cited+`","date":"2026-02-20","supplier":{"name":"Lampenhaus Wittmann"}}`))
	if n := f.count("SELECT count(*) FROM match_pair WHERE $1 IN (document_a_id, document_b_id)", num(1)); n != all {
		t.Errorf("got %d pairs of the order with its %d delivery notes", n, all)
	}
}
