package postgres_test

import (
	"cmp"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match/rules"

	"github.com/google/uuid"
)

// A pair with 49 documents between its two under each of their keys is in reach. When
// there is one more, it is deleted with its suggestion, in that one's write, unless a
// citation that is a key, a revision's number, texts that are alike or a person's word
// keeps it; and matching its documents again changes nothing.
func TestPairsOutOfReach(t *testing.T) {
	t.Parallel()
	const cites = `"references":[{"type":"purchase-order","number":"4500000107"}]`
	const same = `"date":"2026-03-02","supplier":{"vat_id":"DE136695976"},"total":"119.00"`
	type test struct {
		first      string // data of an invoice; otherwise it is an order
		order      string // number
		typ        document.Type
		data       string
		word       rules.Verdict
		embeddings bool
		stays      bool
	}
	for name, tc := range map[string]test{
		"equal amounts": {typ: document.Invoice, data: `{"number":"RE-1",` + same + `}`},
		"a citation":    {typ: document.Invoice, data: `{"number":"RE-1",` + same + `,` + cites + `}`, stays: true},
		"a citation by the first": {first: `{"number":"RE-1",` + same + `,` + cites + `}`, typ: document.PurchaseOrder,
			data: `{"number":"4500000107",` + same + `}`, stays: true},
		"a citation that is no key": {order: "BC-0141", typ: document.Invoice, data: `{"number":"RE-1",` + same +
			`,"references":[{"type":"purchase-order","number":"0141"}]}`},
		"a revision's number":  {typ: document.OrderConfirmation, data: `{"number":"4500000107-REV2",` + same + `}`, stays: true},
		"texts that are alike": {typ: document.Invoice, data: `{"number":"RE-1",` + same + `}`, embeddings: true, stays: true},
		"a person's word":      {typ: document.Invoice, data: `{"number":"RE-1",` + same + `}`, word: rules.Rejected, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			matcher := f.matcher()
			if tc.embeddings {
				matcher.Embeddings = &llm.Embeddings{Embedder: &oneVector{}, Vault: f.DB}
			}
			match := func(id uuid.UUID) {
				t.Helper()
				must.OK(t, job.Work(matcher.Match).One(t.Context(), f.take(id)))
			}
			if tc.first != "" {
				match(f.put(num(1), tenant, document.Invoice, tc.first))
			} else {
				match(f.put(num(1), tenant, document.PurchaseOrder, `{"number":"`+cmp.Or(tc.order, "4500000107")+`",`+same+`}`))
			}
			match(f.put(num(200), tenant, tc.typ, tc.data))
			if tc.word != "" {
				must.OK(t, f.says(num(1), num(200), tc.word))
			}
			f.exec(`INSERT INTO document (id, tenant_id, type, structured_data, match_keys)
				SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(9 + i), 12, '0'))::uuid, tenant_id, 'order-confirmation', '{}', match_keys
				FROM document, generate_series(1, 49) AS i WHERE id = $1`, num(1))
			const storedSQL = `SELECT (SELECT count(*) FROM match_pair WHERE document_a_id = $1 AND document_b_id = $2)
				+ (SELECT count(*) FROM match_suggestion WHERE document_a_id = $1 AND document_b_id = $2)
				+ (SELECT count(*) FROM document_match WHERE document_a_id = $1 AND document_b_id = $2)`
			if match(num(200)); f.count(storedSQL, num(1), num(200)) != 2 {
				t.Error("it is lost within reach")
			}
			match(f.put(num(100), tenant, document.OrderConfirmation, `{"number":"AB-1",`+same+`,`+cites+`}`))
			want := 0
			if tc.stays {
				want = 2
			}
			for range 2 {
				equal(t, "rows of the pair", f.count(storedSQL, num(1), num(200)), want)
				match(num(1))
				match(num(200))
			}
		})
	}
}
