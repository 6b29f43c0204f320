package matches_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// citing is the number of documents that cite one number.
const citing = 2856

// skewed are the classes of documents in a tenant that is not evenly spread: of 100
// documents 52 are of one supplier, 5 of another, 3 of one that bills the same each
// time, and 40 of suppliers with 200 documents each, of which the first ones cite one
// number.
var skewed = []struct {
	name string
	has  func(i int) bool
}{
	{"even", func(i int) bool { return i%100 >= 60 && !citesCommonNumber(i) }},
	{"supplier-of-5-percent", func(i int) bool { return 52 <= i%100 && i%100 < 57 }},
	{"cited-number", citesCommonNumber},
	{"equal-amounts", func(i int) bool { return 57 <= i%100 && i%100 < 60 }},
	{"supplier-of-52-percent", func(i int) bool { return i%100 < 52 }},
}

func citesCommonNumber(i int) bool { return i%100 >= 60 && i/100*40+i%100-60 < citing }

// skewedSupplier is the VAT id of document i.
func skewedSupplier(i int) string {
	switch place := i % 100; {
	case place >= 60:
		return fmt.Sprintf("DE9%d", i/20_000*40+place)
	case place >= 57:
		return "DE3"
	case place >= 52:
		return "DE5"
	}
	return "DE52"
}

// skewedDay is the day of document i, of 600.
func skewedDay(i int) int { return i * 31 % 600 }

// skewedDocument is document i of such a tenant.
func skewedDocument(i int) score.Raw {
	types := []document.Type{document.PurchaseOrder, document.Invoice, document.DeliveryNote, document.GoodsReceipt}
	supplier, total, cited := skewedSupplier(i), fmt.Sprintf("%d.%02d", 100+i*7%9000, i%100), 4_500_000_000+i/4
	if supplier == "DE3" {
		total = "119.00"
	}
	if citesCommonNumber(i) {
		cited = 4_600_000_000
	}
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, skewedDay(i))
	return score.Raw{ID: uuid.NewSHA1(tenant, fmt.Append(nil, i)), TenantID: tenant, Type: types[(i+i/100)%len(types)],
		Data: fmt.Sprintf(`{"number":"N-%d","date":"%s","supplier":{"vat_id":"%s"},"references":[{"type":"purchase-order","number":"%d"}],`+
			`"total":"%s","line_items":[{"sku":"A-%d","description":"Pens, blue, a box of fifty","quantity":"%d"}]}`,
			700_000+i, day.Format(time.DateOnly), supplier, cited, total, i%977, i%13+1)}
}

// skewedClass lists the documents of a class in a tenant of n documents, by supplier
// and day.
func skewedClass(n int, has func(i int) bool) (documents []int) {
	for i := range n {
		if has(i) {
			documents = append(documents, i)
		}
	}
	slices.SortStableFunc(documents, func(i, j int) int {
		return cmp.Or(cmp.Compare(skewedSupplier(i), skewedSupplier(j)), cmp.Compare(skewedDay(i), skewedDay(j)))
	})
	return documents
}

// insertSkewed fills the database with n documents as they are once all are matched,
// but for pairs. Triggers are left out, which would take an hour for a million.
func insertSkewed(t testing.TB, conn *pgx.Conn, n int) {
	t.Helper()
	exec := func(sql string, args ...any) {
		t.Helper()
		must.Get(conn.Exec(t.Context(), sql, args...))(t)
	}
	exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	exec("SET session_replication_role = replica")
	columns := []string{"id", "tenant_id", "type", "structured_data", "match_keys", "matching_status", "matching_attempts"}
	must.Get(conn.CopyFrom(context.Background(), pgx.Identifier{"document"}, columns,
		pgx.CopyFromSlice(n, func(i int) ([]any, error) {
			raw := skewedDocument(i)
			d, err := score.Read(raw)
			return []any{raw.ID, raw.TenantID, string(raw.Type), raw.Data, d.Normalized().Keys, "succeeded", 1}, err
		})))(t)
	exec("SET maintenance_work_mem = '256MB'")
	exec("SET work_mem = '256MB'")
	exec("INSERT INTO document_key SELECT key, day, id FROM document, match_key_rows(tenant_id, match_keys) ORDER BY 1, 2, 3")
	exec(`INSERT INTO party_name (document_id, tenant_id, name, vat_id, confirmed, matched_as)
		SELECT id, tenant_id, '', '', '{}', '' FROM document`)
	exec("RESET ALL")
	exec("VACUUM ANALYZE")
}

// The benchmarks and the test of plans run on rows that the trigger would make.
func TestSkewedKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Exec("DELETE FROM tenant")
	insertSkewed(t, f.Conn, 500)
	const keysSQL = "SELECT md5(string_agg(k::text, ',' ORDER BY k)) || count(*) FROM document_key AS k"
	keys := func() string { return postgrestest.Value[string](t, f.Conn, keysSQL) }
	inserted := keys()
	f.Exec("CREATE TABLE kept AS SELECT id, match_keys FROM document")
	f.Exec("UPDATE document SET match_keys = NULL")
	if n := f.Count("SELECT count(*) FROM document_key"); n != 0 {
		t.Fatalf("%d keys of documents without keys", n)
	}
	f.Exec("UPDATE document AS d SET match_keys = kept.match_keys FROM kept WHERE kept.id = d.id")
	postgrestest.Equal(t, "keys by the trigger, and by the insert", keys(), inserted)
}

// An order among invoices with two of its keys: what is out of reach is counted, by
// kinds of keys, without the order's own type, its partners and other tenants.
func TestUnreadCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	insert := func(from, n int, of uuid.UUID, typ document.Type) {
		t.Helper()
		f.Exec("INSERT INTO tenant VALUES ($1, 'Others') ON CONFLICT DO NOTHING", of)
		f.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, match_keys)
			SELECT ('00000000-0000-4000-8000-' || lpad(to_hex($1 + i), 12, '0'))::uuid, $3, $4::text::document_type, '{}',
				ARRAY['00000000|amount|DE1|119.00', '00000000|who|DE1', '00000000|day|' || date '2026-01-01' + i / 2]
			FROM generate_series(0, $2::int - 1) AS i`, from, n, of, typ)
	}
	f.Put(num(1), tenant, document.PurchaseOrder, `{"date":"2026-03-01","supplier":{"vat_id":"DE1"},"total":"119.00"}`)
	f.Exec("UPDATE document SET match_keys = '{}'")
	insert(1000, 250, tenant, document.Invoice) // 118 before the order, 132 after it
	insert(3000, 20, otherTenant, document.Invoice)
	insert(4000, 1, tenant, document.PurchaseOrder)
	for _, want := range [][]matches.Unread{
		{{"amount", 150, false}, {"who", 150, false}},
		{{"amount", 149, false}, {"who", 149, false}}, // one is cited
	} {
		raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
		if got, err := f.Unread(t.Context(), raws[0]); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
		f.Exec(`INSERT INTO match_pair (tenant_id, document_a_id, document_b_id, type_a, type_b, points, units_a, units_b, units_common, evidence, veto)
			VALUES ($1, $2, $3, 'purchase-order', 'invoice', 60, 0, 0, 0, '[{"name":"cites","cited":"45"}]', '') ON CONFLICT DO NOTHING`, tenant, num(1), num(1000))
	}
	f.Exec("DELETE FROM match_pair")
	insert(10_000, 10_000, tenant, document.Invoice)
	raws := must.Get(f.Raws(t.Context(), []uuid.UUID{num(1)}))(t)
	if got, err := f.Unread(t.Context(), raws[0]); err != nil || len(got) != 2 || !got[0].More || got[1].More {
		t.Errorf("got %v, %v; want more of the amount than are counted, and not of the company", got, err)
	}
}

func TestUnreadWords(t *testing.T) {
	t.Parallel()
	got := matches.UnreadWords([]matches.Unread{{"", 1, false}, {"ref", 9_900, true}, {"who", 1200, false}})
	const want = "Documents not compared, because others are nearer in time: 1 with another common key, " +
		"more than 9900 with a common number, 1200 of the same company from about the same time."
	postgrestest.Equal(t, "words", got, want)
	postgrestest.Equal(t, "without any", matches.UnreadWords(nil), "")
}
