package postgres_test

import (
	"testing"

	"matchbook/lambda/document"
)

// TestRivalsOfMovedPair: invoice 4 arrives, and makes invoice 3 a half of
// order 1. That pair is decided again by the rivals on its other side as well, of
// which invoice 4 knows nothing: invoice 3 is all of order 2. All is as if the documents
// had come in another order.
func TestRivalsOfMovedPair(t *testing.T) {
	t.Parallel()
	const acme = `"supplier":{"name":"Lampenhaus Wittmann"}`
	half := `"line_items":[{"sku":"L-20","quantity":"10","unit_price":"9"}]`
	docs := []struct {
		typ  document.Type
		data string
	}{
		{document.PurchaseOrder, `{"number":"4500000107","date":"2026-03-02",` + acme + `,"line_items":[{"sku":"L-20","quantity":"20","unit_price":"9"}]}`},
		{document.PurchaseOrder, `{"number":"4500000555","date":"2026-03-02","buyer":{"name":"Zenith","vat_id":"DE136695976"},` + acme + `,` + half + `}`},
		{document.Invoice, `{"number":"R-3","date":"2026-03-12",` + acme + `,` + half + `}`},
		{document.Invoice, `{"number":"R-4","date":"2026-03-12","buyer":{"name":"Ulm","vat_id":"DE811128135"},` + acme + `,` + half + `}`},
	}
	var want string
	for _, order := range [][]int{{3, 0, 1, 2}, {0, 1, 2, 3}, {1, 2, 3, 0}, {2, 0, 3, 1}} {
		f := newFixture(t)
		for _, i := range order {
			f.put(num(i+1), tenant, docs[i].typ, docs[i].data)
			f.match(num(i + 1))
		}
		got := queryOne[string](t, f.conn, `SELECT string_agg(concat_ws(' ', document_a_id, document_b_id, score, reasoning), E'\n' ORDER BY document_a_id, document_b_id)
			FROM (SELECT document_a_id, document_b_id, score, reasoning FROM document_match UNION ALL SELECT document_a_id, document_b_id, score, reasoning FROM match_suggestion) r`)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("in the order %v: got\n%s\nwant\n%s", order, got, want)
		}
	}
}
