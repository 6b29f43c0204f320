package matches_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A search for candidates, and a whole document from claim to commit, in tenants of
// 10,000 and 100,000 documents, with -thorough also of a million: the median and the
// 99th percentile in five classes, of the time and of the processor time of client and
// server, which other programs disturb less. A million documents take some minutes to
// insert.
//
//	go test ./lambda/postgres/matches -run '^$' -bench BenchmarkTenant -benchtime 100x -thorough -timeout 1h
func BenchmarkTenant(b *testing.B) {
	for _, size := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			if size > 100_000 {
				testenv.OnlyThorough(b, "inserts a million documents")
			}
			r := newTenantRun(b, size)
			for _, class := range skewed {
				documents := skewedClass(size, class.has)
				// From all over the class, so that pages are read that no search before has read.
				b.Run("candidates/"+class.name, func(b *testing.B) {
					r.measure(b, func(i int) int { return documents[i*7919%len(documents)] }, r.candidates)
				})
				// In the order of days, from the middle, so that the documents before have their pairs.
				b.Run("document/"+class.name, func(b *testing.B) {
					r.measure(b, func(i int) int { return documents[(len(documents)/2+i)%len(documents)] }, r.document)
				})
			}
		})
	}
}

type tenantRun struct {
	db   stores
	conn *pgx.Conn
	done map[string]int // documents by benchmark: a second run goes on with the next ones
}

func newTenantRun(b *testing.B, size int) *tenantRun {
	url := postgrestest.URL(b)
	r := &tenantRun{db: storesOf(postgrestest.Open(b, url)), conn: postgrestest.Conn(b, url), done: map[string]int{}}
	insertSkewed(b, r.conn, size)
	return r
}

// cost is what one search or one document takes.
type cost struct{ took, cpu time.Duration }

// measure reports what something takes with documents that are due.
func (r *tenantRun) measure(b *testing.B, pick func(i int) int, do func(b *testing.B, raw score.Raw) cost) {
	var took, cpu []time.Duration
	for b.Loop() {
		raw := skewedDocument(pick(r.done[b.Name()]))
		r.done[b.Name()]++
		must.Get(r.db.Publish(b.Context(), []uuid.UUID{raw.ID}))(b)
		c := do(b, raw)
		took, cpu = append(took, c.took), append(cpu, c.cpu)
	}
	b.ReportMetric(0, "ns/op") // it has the publishing, too
	for unit, list := range map[string][]time.Duration{"ms": took, "cpu-ms": cpu} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2].Seconds()*1000, "p50-"+unit)
		b.ReportMetric(list[len(list)*99/100].Seconds()*1000, "p99-"+unit)
	}
}

func (r *tenantRun) cost(b *testing.B, do func() error) (c cost) {
	server, client, began := serverCPU(b, r.conn), ownCPU(b), time.Now()
	must.OK(b, do())
	c.took, c.cpu = time.Since(began), ownCPU(b)-client
	c.cpu += serverCPU(b, r.conn) - server
	return c
}

func (r *tenantRun) claim(b *testing.B, id uuid.UUID) job.Attempt {
	claims, err := r.db.Claim(b.Context(), []job.Delivery{{ID: id}}, time.Minute, false)
	if err != nil || claims[0].Found != 0 {
		b.Fatal(claims, err)
	}
	return claims[0].Attempt
}

func (r *tenantRun) candidates(b *testing.B, raw score.Raw) cost {
	d := must.Get(score.Read(raw))(b)
	fence, normalized, types := r.claim(b, raw.ID), d.Normalized(), score.Matchable(raw.Type)
	return r.cost(b, func() error {
		_, err := r.db.CandidatesOf(b.Context(), fence, normalized, types)
		return err
	})
}

func (r *tenantRun) document(b *testing.B, raw score.Raw) cost {
	m := &match.Matcher{Store: r.db, Log: slog.New(slog.DiscardHandler)}
	return r.cost(b, func() error { return job.Work(m.Match).One(b.Context(), r.claim(b, raw.ID)) })
}

// The orders and invoices of a supplier that are all alike, matched one after the
// other: each is a candidate of all of the other type.
//
//	go test ./lambda/postgres/matches -run '^$' -bench Alike -benchtime 1x
func BenchmarkOrdersAlike(b *testing.B) {
	for _, n := range []int{20, 60, 120, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				matchAlike(b, n)
			}
		})
	}
}

func matchAlike(b *testing.B, n int) {
	url := postgrestest.URL(b)
	w := listen(b, url, 0)
	db, conn := storesOf(postgrestest.Open(b, w.url)), postgrestest.Conn(b, url)
	docs := alike(n)
	must.Get(db.Add(b.Context(), docs, postgres.AddOptions{Replace: true, Send: true}))(b)
	m := &match.Matcher{Store: db, Log: slog.New(slog.DiscardHandler)}
	client, server, trips, statements, began := ownCPU(b), time.Duration(0), int64(0), int64(0), time.Now()
	for i, d := range docs {
		claims := must.Get(db.Claim(b.Context(), []job.Delivery{{ID: d.ID}}, time.Minute, false))(b)
		if i == 10 { // the connections are made, the statements are prepared
			client, server, trips, statements = ownCPU(b), serverCPU(b, conn), w.trips.Load(), w.statements.Load()
			began = time.Now()
		}
		must.OK(b, job.Work(m.Match).One(b.Context(), claims[0].Attempt))
	}
	counted := float64(len(docs) - 10)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric((ownCPU(b)-client).Seconds()*1000/counted, "client-ms/doc")
	b.ReportMetric((serverCPU(b, conn)-server).Seconds()*1000/counted, "server-ms/doc")
	b.ReportMetric(time.Since(began).Seconds()*1000/counted, "ms/doc")
	b.ReportMetric(float64(w.trips.Load()-trips)/counted, "trips/doc")
	b.ReportMetric(float64(w.statements.Load()-statements)/counted, "statements/doc")
	var rows float64
	const rowsSQL = `SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables
		WHERE relname IN ('match_pair', 'document_match', 'match_suggestion')`
	db.Close() // which flushes the statistics
	must.OK(b, conn.QueryRow(b.Context(), rowsSQL).Scan(&rows))
	b.ReportMetric(rows/counted, "rows/doc")
}

// alike are n orders and n invoices of which each invoice fits each order.
func alike(n int) (docs []postgres.Imported) {
	for i := range 2 * n {
		typ, number := document.PurchaseOrder, fmt.Sprintf("PO-%05d", 7*i)
		if i%2 == 1 {
			typ, number = document.Invoice, fmt.Sprintf("RE-%05d", 3*i)
		}
		docs = append(docs, postgres.Imported{ID: uuid.NewSHA1(tenant, []byte(number)), TenantID: tenant, Type: typ, Received: start,
			Data: json.RawMessage(fmt.Sprintf(`{"number":"%s","date":"2026-03-02","currency":"EUR","total":"119.00",
				"supplier":{"name":"Lampenhaus Wittmann GmbH","vat_id":"DE136695976"},
				"line_items":[{"sku":"L-20","description":"Lamp","quantity":"2","unit_price":"50.00","amount":"100.00"}]}`, number))})
	}
	return docs
}

// ownCPU is the time that this process has worked.
func ownCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	must.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serverCPU is the time that the sessions of the database have worked, and the processes
// of the server that have ended, in steps of 10 ms; 0 where they cannot be seen.
func serverCPU(b *testing.B, conn *pgx.Conn) (worked time.Duration) {
	pids := postgrestest.Values[int](b, conn, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	for i, pid := range pids {
		var nanoseconds int64
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		_, _ = fmt.Sscan(string(raw), &nanoseconds)
		worked += time.Duration(nanoseconds)
		if i == 0 {
			worked += endedCPU(processStat(pid)[1])
		}
	}
	return worked
}

// endedCPU is the time that the ended children of a process have worked.
func endedCPU(pid int) time.Duration {
	stat := processStat(pid)
	return time.Duration(stat[13]+stat[14]) * 10 * time.Millisecond
}

// processStat returns the numbers of /proc/PID/stat by their places after the name: 1 is
// the parent, 13 and 14 are the time of ended children. Zeroes where it cannot be read.
func processStat(pid int) (numbers [15]int) {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(raw), ") ")
	for i, field := range strings.Fields(rest) {
		if i > 0 && i < len(numbers) {
			numbers[i], _ = strconv.Atoi(field)
		}
	}
	return numbers
}
