package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/thorough"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The candidates of a document in tenants of 10,000 and 100,000 documents, with
// -thorough also of a million: the median and the 99th percentile of
// DB.Candidates, in five classes. A million documents take some minutes to insert.
//
//	go test ./lambda/postgres -run '^$' -bench Candidates -benchtime 200x
func BenchmarkCandidates(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if thorough.Or(0, 1) == 1 {
		sizes = append(sizes, 1_000_000)
	}
	for _, documents := range sizes {
		b.Run(fmt.Sprint(documents), func(b *testing.B) {
			url := postgrestest.URL(b)
			conn, db := postgrestest.Conn(b, url), postgrestest.Open(b, url)
			insertSkewed(b, conn, documents)
			for _, class := range skewed {
				b.Run(class.name, func(b *testing.B) {
					var took []time.Duration
					from, to := class.from, min(class.to, documents/100)
					for b.Loop() {
						raw := skewedDocument((from+len(took)*19%(to-from))*100 + class.place)
						d, err := score.Read(raw)
						if err != nil {
							b.Fatal(err)
						}
						normalized, types := d.Normalized(), score.Matchable(raw.Type)
						begin := time.Now()
						if _, err := db.Candidates(b.Context(), job.Fence{ID: raw.ID, Attempt: 1}, normalized, types); err != nil {
							b.Fatal(err)
						}
						took = append(took, time.Since(begin))
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
					b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				})
			}
		})
	}
}

// skewed are the classes: the documents at a place in the hundreds from and to.
var skewed = []struct {
	name            string
	place, from, to int
}{
	{"even", 99, citing / 40, 1 << 30},
	{"supplier-of-5-percent", 52, 0, 1 << 30},
	{"cited-number", 60, 0, citing / 40},
	{"equal-amounts", 57, 0, 1 << 30},
	{"supplier-of-52-percent", 0, 0, 1 << 30},
}

// citing is the number of documents that cite one number.
const citing = 2856

// skewedDocument is document i of a tenant: of 100 documents 52 are of one
// supplier, 5 of another, 3 of one who bills the same each time, and 40 of suppliers
// with 200 documents each, of which the first ones cite one number.
func skewedDocument(i int) score.Raw {
	types := []document.Type{document.PurchaseOrder, document.Invoice, document.DeliveryNote, document.GoodsReceipt}
	supplier, total, cited := "DE52", fmt.Sprintf("%d.%02d", 100+i*7%9000, i%100), 4_500_000_000+i/4
	switch place := i % 100; {
	case place >= 60:
		supplier = fmt.Sprintf("DE9%d", i/20_000*40+place)
		if i/100*40+place-60 < citing {
			cited = 4_600_000_000
		}
	case place >= 57:
		supplier, total = "DE3", "119.00"
	case place >= 52:
		supplier = "DE5"
	}
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i*31%600)
	return score.Raw{ID: uuid.NewSHA1(tenant, fmt.Append(nil, i)), TenantID: tenant, Type: types[(i+i/100)%len(types)],
		Data: fmt.Sprintf(`{"number":"N-%d","date":"%s","supplier":{"vat_id":"%s"},"references":[{"type":"purchase-order","number":"%d"}],`+
			`"total":"%s","line_items":[{"sku":"A-%d","description":"Pens, blue, a box of fifty","quantity":"%d"}]}`,
			700_000+i, day.Format(time.DateOnly), supplier, cited, total, i%977, i%13+1)}
}

func insertSkewed(b *testing.B, conn *pgx.Conn, documents int) {
	b.Helper()
	exec := func(sql string, args ...any) {
		b.Helper()
		if _, err := conn.Exec(b.Context(), sql, args...); err != nil {
			b.Fatal(err)
		}
	}
	exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	exec("SET session_replication_role = replica") // without triggers
	columns := []string{"id", "tenant_id", "type", "structured_data", "match_keys", "matching_status", "matching_attempts", "matching_lease_until"}
	until := time.Now().Add(time.Hour)
	_, err := conn.CopyFrom(context.Background(), pgx.Identifier{"document"}, columns,
		pgx.CopyFromSlice(documents, func(i int) ([]any, error) {
			raw := skewedDocument(i)
			d, err := score.Read(raw)
			return []any{raw.ID, raw.TenantID, string(raw.Type), raw.Data, d.Normalized().Keys, "in-progress", 1, until}, err
		}))
	if err != nil {
		b.Fatal(err)
	}
	exec("RESET session_replication_role")
	exec("INSERT INTO document_key SELECT key, day, id FROM document, match_key_rows(tenant_id, match_keys) ORDER BY 1, 2, 3")
	exec("VACUUM ANALYZE")
}
