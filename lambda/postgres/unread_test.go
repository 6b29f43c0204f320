package postgres_test

import (
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// An order among invoices with two of its keys: what is out of reach is counted, by
// kinds of keys, without the order's own type, its partners and other tenants.
func TestUnreadCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	insert := func(from, n int, of uuid.UUID, typ document.Type) {
		t.Helper()
		f.exec("INSERT INTO tenant VALUES ($1, 'Others') ON CONFLICT DO NOTHING", of)
		f.exec(`INSERT INTO document (id, tenant_id, type, structured_data, match_keys)
			SELECT ('00000000-0000-4000-8000-' || lpad(to_hex($1 + i), 12, '0'))::uuid, $3, $4::text::document_type, '{}',
				ARRAY['00000000|amount|DE1|119.00', '00000000|who|DE1', '00000000|day|' || date '2026-01-01' + i / 2]
			FROM generate_series(0, $2::int - 1) AS i`, from, n, of, typ)
	}
	f.put(num(1), tenant, document.PurchaseOrder, `{"date":"2026-03-01","supplier":{"vat_id":"DE1"},"total":"119.00"}`)
	f.exec("UPDATE document SET match_keys = '{}'")
	insert(1000, 250, tenant, document.Invoice) // 118 before the order, 132 after it
	insert(3000, 20, otherTenant, document.Invoice)
	insert(4000, 1, tenant, document.PurchaseOrder)
	for _, want := range [][]postgres.Unread{
		{{"amount", 150, false}, {"who", 150, false}},
		{{"amount", 149, false}, {"who", 149, false}}, // one is cited
	} {
		raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
		if got, err := f.Unread(t.Context(), raws[0]); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
		f.exec(`INSERT INTO match_pair (tenant_id, document_a_id, document_b_id, type_a, type_b, points, units_a, units_b, units_common, evidence, veto)
			VALUES ($1, $2, $3, 'purchase-order', 'invoice', 60, 0, 0, 0, '[{"name":"cites","cited":"45"}]', '') ON CONFLICT DO NOTHING`, tenant, num(1), num(1000))
	}
	f.exec("DELETE FROM match_pair")
	insert(10_000, 10_000, tenant, document.Invoice)
	raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
	if got, err := f.Unread(t.Context(), raws[0]); err != nil || len(got) != 2 || !got[0].More || got[1].More {
		t.Errorf("got %v, %v; want more of the amount than are counted, and not of the company", got, err)
	}
}

func TestUnreadWords(t *testing.T) {
	t.Parallel()
	got := postgres.UnreadWords([]postgres.Unread{{"", 1, false}, {"ref", 9_900, true}, {"who", 1200, false}})
	const want = "Documents not compared, because others are nearer in time: 1 with another common key, " +
		"more than 9900 with a common number, 1200 of the same company from about the same time."
	equal(t, "words", got, want)
	equal(t, "without any", postgres.UnreadWords(nil), "")
}
