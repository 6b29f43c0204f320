package matches_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Many documents that fit each other equally, and one order with many deliveries,
// matched one after the other: what a document costs, in windows of 50 documents. A
// line for each window is logged, the metrics are those of the last window and their
// ratio to the first one's. The longest trip bounds the longest statement.
//
//	go test ./lambda/postgres/matches -run '^$' -bench InTheLarge -benchtime 1x -thorough
func BenchmarkInTheLarge(b *testing.B) {
	n := testenv.Size(150, 2000)
	for name, docs := range map[string][]postgres.Imported{
		"alike": alike(n), "deliveries-that-cite": deliveries(n, true), "deliveries": deliveries(n, false),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				matchInWindows(b, docs)
			}
		})
	}
}

// windowSize is the number of documents over which a cost is a mean.
const windowSize = 50

// expense is a mean for one document, but for longest, the largest of the window.
type expense struct {
	client, server, longest time.Duration
	bytes, trips            float64
}

func matchInWindows(b *testing.B, docs []postgres.Imported) {
	url := postgrestest.URL(b)
	w := listen(b, url, 0)
	db, conn := storesOf(postgrestest.Open(b, w.url)), postgrestest.Conn(b, url)
	must.Get(db.Add(b.Context(), docs, postgres.AddOptions{Replace: true, Send: true}))(b)
	m := &match.Matcher{Store: db, Log: slog.New(slog.DiscardHandler)}
	begins := map[int]bool{len(docs) - windowSize: true}
	for _, at := range []int{100, 500, 1000, 2000} {
		begins[at] = at+windowSize <= len(docs)
	}
	var first, last expense
	var heap uint64
	for i := 0; i < len(docs); {
		n := 1
		if begins[i] {
			n = windowSize
		}
		before := w.spent(b, conn)
		w.longest.Store(0)
		for _, d := range docs[i : i+n] {
			claims := must.Get(db.Claim(b.Context(), []job.Delivery{{ID: d.ID}}, time.Minute, false))(b)
			must.OK(b, job.Work(m.Match).One(b.Context(), claims[0].Attempt))
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			heap = max(heap, stats.HeapInuse)
		}
		if begins[i] {
			last = w.spent(b, conn).since(before, windowSize)
			if first.bytes == 0 {
				first = last
			}
			b.Logf("from document %d on: client %.1f ms, server %.1f ms, %.0f kB, %.1f trips, longest trip %d ms, %s", i,
				ms(last.client), ms(last.server), last.bytes/1000, last.trips, last.longest.Milliseconds(), stored(b, conn))
		}
		i += n
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(last.client), "client-ms/doc")
	b.ReportMetric(ms(last.server), "server-ms/doc")
	b.ReportMetric(last.bytes/1000, "kB/doc")
	b.ReportMetric(ms(last.longest), "longest-ms")
	b.ReportMetric(float64(heap)/(1<<20), "heap-MB")
	b.ReportMetric(float64(last.client+last.server)/float64(first.client+first.server), "cpu-ratio")
	b.ReportMetric(last.bytes/first.bytes, "bytes-ratio")
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// spent is the expense of the test so far.
func (w *wire) spent(b *testing.B, conn *pgx.Conn) expense {
	return expense{ownCPU(b), serverCPU(b, conn), time.Duration(w.longest.Load()), float64(w.bytes.Load()), float64(w.trips.Load())}
}

func (c expense) since(before expense, n int) expense {
	return expense{(c.client - before.client) / time.Duration(n), (c.server - before.server) / time.Duration(n), c.longest,
		(c.bytes - before.bytes) / float64(n), (c.trips - before.trips) / float64(n)}
}

// stored counts what is stored.
func stored(b *testing.B, conn *pgx.Conn) (line string) {
	const countSQL = `SELECT format('%s pairs, %s matches, %s suggestions', (SELECT count(*) FROM match_pair),
		(SELECT count(*) FROM document_match), (SELECT count(*) FROM match_suggestion))`
	must.OK(b, conn.QueryRow(b.Context(), countSQL).Scan(&line))
	return line
}

// deliveries are an order and n deliveries of it, four on each day, which cite it or
// are of its goods only.
func deliveries(n int, cite bool) (docs []postgres.Imported) {
	const supplier = `"currency":"EUR","supplier":{"name":"Lampenhaus Wittmann GmbH","vat_id":"DE136695976"}`
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	put := func(typ document.Type, number string, day time.Time, quantity int, references string) {
		docs = append(docs, postgres.Imported{ID: uuid.NewSHA1(tenant, []byte(number)), TenantID: tenant, Type: typ, Received: start,
			Data: json.RawMessage(fmt.Sprintf(`{"number":"%s","date":"%s",%s%s,
				"line_items":[{"sku":"L-20","description":"Lamp","quantity":"%d","unit_price":"50.00"}]}`,
				number, day.Format(time.DateOnly), supplier, references, quantity))})
	}
	put(document.PurchaseOrder, "4500010046", day, 2*n, "")
	for i := range n {
		references := ""
		if cite {
			references = `,"references":[{"type":"purchase-order","number":"4500010046"}]`
		}
		put(document.DeliveryNote, fmt.Sprintf("LS-%05d", 3*i), day.AddDate(0, 0, i/4), 2, references)
	}
	return docs
}
