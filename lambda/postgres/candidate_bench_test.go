package postgres_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

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
//	go test ./lambda/postgres -run '^$' -bench BenchmarkTenant -benchtime 100x -thorough -timeout 1h
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
	db   *postgres.DB
	conn *pgx.Conn
	done map[string]int // documents by benchmark: a second run goes on with the next ones
}

func newTenantRun(b *testing.B, size int) *tenantRun {
	url := postgrestest.URL(b)
	r := &tenantRun{db: postgrestest.Open(b, url), conn: postgrestest.Conn(b, url), done: map[string]int{}}
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
