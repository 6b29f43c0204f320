package matches_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/postgrestest"

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
				must.OK(t, job.Work(matcher.Match).One(t.Context(), f.Take(id)))
			}
			if tc.first != "" {
				match(f.Put(num(1), tenant, document.Invoice, tc.first))
			} else {
				match(f.Put(num(1), tenant, document.PurchaseOrder, `{"number":"`+cmp.Or(tc.order, "4500000107")+`",`+same+`}`))
			}
			match(f.Put(num(200), tenant, tc.typ, tc.data))
			if tc.word != "" {
				must.OK(t, f.says(num(1), num(200), tc.word))
			}
			f.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, match_keys)
				SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(9 + i), 12, '0'))::uuid, tenant_id, 'order-confirmation', '{}', match_keys
				FROM document, generate_series(1, 49) AS i WHERE id = $1`, num(1))
			const storedSQL = `SELECT (SELECT count(*) FROM match_pair WHERE document_a_id = $1 AND document_b_id = $2)
				+ (SELECT count(*) FROM match_suggestion WHERE document_a_id = $1 AND document_b_id = $2)
				+ (SELECT count(*) FROM document_match WHERE document_a_id = $1 AND document_b_id = $2)`
			if match(num(200)); f.Count(storedSQL, num(1), num(200)) != 2 {
				t.Error("it is lost within reach")
			}
			match(f.Put(num(100), tenant, document.OrderConfirmation, `{"number":"AB-1",`+same+`,`+cites+`}`))
			want := 0
			if tc.stays {
				want = 2
			}
			for range 2 {
				postgrestest.Equal(t, "rows of the pair", f.Count(storedSQL, num(1), num(200)), want)
				match(num(1))
				match(num(200))
			}
		})
	}
}

// An order that 22 invoices of 800 kB cite has more partners than there is
// room for in a function. They are partners all the same: matching it again
// changes nothing, and what it then has in common with none of them is forgotten.
func TestPartnersBeyondRoom(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "reads 18 MB for each of two dozen documents")
	f := newFixture(t)
	const invoices, size, room = 22, 800_000, 8 << 20
	f.Put(num(1), tenant, document.PurchaseOrder, `{"number":"4500001234","date":"2026-03-02","supplier":{"vat_id":"DE999010115"}}`)
	f.match(num(1))
	for n := 2; n < 2+invoices; n++ {
		f.Put(num(n), tenant, document.Invoice, fmt.Sprintf(`{"number":"RE-%d","supplier":{"vat_id":"DE999010115"},"references":[{"type":"purchase-order","number":"4500001234"}],"notes":%q}`,
			n, strings.Repeat("x", size)))
		f.match(num(n))
	}
	if got := f.Count("SELECT count(*) FROM match_pair WHERE document_a_id = $1", num(1)); got != invoices {
		t.Fatalf("%d pairs, want %d", got, invoices)
	}
	unchanged := f.Unchanged("document_match", "match_suggestion", "match_pair")
	f.match(num(1))
	unchanged("matched again")

	raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
	lookup := must.Get(score.Read(raws[0]))(t).Normalized().Lookup
	block := f.block(f.Take(num(1)), score.Normalized{Keys: lookup, Lookup: lookup})
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
	block = f.block(f.Take(num(1)), score.Normalized{Similar: last})
	for _, id := range last {
		if !slices.ContainsFunc(block.Candidates, func(c score.Raw) bool { return c.ID == id }) {
			t.Errorf("%s is wanted and not read", id)
		}
	}

	f.Exec(`UPDATE document SET structured_data = structured_data || '{"date":"2026-03-05"}' WHERE id = $1`, num(1))
	f.match(num(1))
	postgrestest.Equal(t, "pairs with its new date", f.Count(`SELECT count(*) FROM match_pair WHERE ends ->> 0 LIKE '%2026-03-05%'`), invoices)

	f.Exec(`UPDATE document SET structured_data = '{"number":"X","supplier":{"vat_id":"ATU99902034"}}' WHERE id = $1`, num(1))
	f.match(num(1))
	postgrestest.Equal(t, "pairs of what it was", f.Count("SELECT count(*) FROM match_pair"), 0)
}

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
				f.Put(num(2), tenant, document.Invoice, lampInvoice1)
				f.Put(num(3), tenant, document.Invoice, lampInvoice2)
				f.match(num(2))
				f.match(num(3))
				fence := f.Take(f.Put(num(1), tenant, document.PurchaseOrder, lampOrder))
				meet := func(point string) {
					if point == meeting {
						f.Exec(change, num(3))
					}
				}
				meet("load")
				m := &match.Matcher{Store: store{f.Store, meet}, Log: slog.New(slog.DiscardHandler)}
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
		f.match(f.Put(num(10+i), tenant, document.DeliveryNote, fmt.Sprintf(
			`{"number":"LS-%d","date":"2026-03-%02d","supplier":{"name":"Lampenhaus Wittmann"},"references":[{"type":"purchase-order","number":"%s"}]}`, 9000+i, 1+i%28, cited)))
	}
	f.match(f.Put(num(1), tenant, document.PurchaseOrder, `{"number":"`+cited+`","date":"2026-02-20","supplier":{"name":"Lampenhaus Wittmann"}}`))
	if n := f.Count("SELECT count(*) FROM match_pair WHERE $1 IN (document_a_id, document_b_id)", num(1)); n != all {
		t.Errorf("got %d pairs of the order with its %d delivery notes", n, all)
	}
}

// The candidates people see are the same as in matching, best first: one common number counts
// more than several common months and amounts.
func TestRankedAsMatched(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const order = `"supplier":{"vat_id":"DE136695976"},"date":"2026-01-05","total":"1184.37"`
	f.Put(num(1), tenant, document.PurchaseOrder, `{"number":"4500010046",`+order+`}`)
	f.Put(num(2), tenant, document.Invoice, `{`+order+`}`)
	f.Put(num(3), tenant, document.Invoice, `{"references":[{"type":"purchase-order","number":"4500010046"}]}`)
	f.Put(num(4), tenant, document.Invoice, `{"references":[{"type":"purchase-order","number":"99"}]}`)
	for n := 2; n <= 4; n++ {
		f.match(num(n))
	}
	ranked := must.Get(f.Ranked(t.Context(), []uuid.UUID{num(1)}, 200))(t)
	postgrestest.EqualLists(t, "ranked", ranked[num(1)], []uuid.UUID{num(3), num(2)})
	raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
	doc := must.Get(score.Read(raws[0]))(t)
	block := f.block(f.Take(num(1)), doc.Normalized())
	var found []uuid.UUID
	for _, c := range block.Candidates {
		found = append(found, c.ID)
	}
	slices.SortFunc(ranked[num(1)], func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	postgrestest.EqualLists(t, "what matching reads and people see", found, ranked[num(1)])
}

// A document without a common key is a candidate by its text: of the same
// company, and similar.
func TestRankedSimilarTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	put := func(n int, typ document.Type, supplier string, vector ...float32) {
		t.Helper()
		data := `{"supplier":{"vat_id":"` + supplier + `"},"number":"N-` + strconv.Itoa(n) + `77"}`
		f.Put(num(n), tenant, typ, data)
		doc := must.Get(score.Read(score.Raw{ID: num(n), TenantID: tenant, Type: typ, Data: data}))(t)
		f.Exec("UPDATE document SET match_keys = $2, embedding = $3 WHERE id = $1", num(n), doc.Normalized().Keys,
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
