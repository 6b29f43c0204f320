package postgres_test

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
	f.exec("DELETE FROM tenant")
	insertSkewed(t, f.conn, 500)
	const keysSQL = "SELECT md5(string_agg(k::text, ',' ORDER BY k)) || count(*) FROM document_key AS k"
	keys := func() string { return queryOne[string](t, f.conn, keysSQL) }
	inserted := keys()
	f.exec("CREATE TABLE kept AS SELECT id, match_keys FROM document")
	f.exec("UPDATE document SET match_keys = NULL")
	if n := f.count("SELECT count(*) FROM document_key"); n != 0 {
		t.Fatalf("%d keys of documents without keys", n)
	}
	f.exec("UPDATE document AS d SET match_keys = kept.match_keys FROM kept WHERE kept.id = d.id")
	equal(t, "keys by the trigger, and by the insert", keys(), inserted)
}
