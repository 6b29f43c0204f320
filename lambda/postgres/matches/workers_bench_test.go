package matches_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// The documents of one tenant, by 1 to 8 workers. Each has a separate pool, like instances of
// the function, and takes batches of ten. The database is next to them, or 10 ms away.
//
//	go test ./lambda/postgres/matches -run '^$' -bench Workers -benchtime 1x -count 3
func BenchmarkWorkersOfATenant(b *testing.B) {
	for _, far := range []time.Duration{0, 10 * time.Millisecond} {
		for _, workers := range []int{1, 2, 4, 8} {
			b.Run(fmt.Sprintf("far=%s/workers=%d", far, workers), func(b *testing.B) {
				for b.Loop() {
					matchByWorkers(b, workers, far)
				}
			})
		}
	}
}

func matchByWorkers(b *testing.B, workers int, far time.Duration) {
	url := postgrestest.URL(b)
	w := listen(b, url, far)
	conn := postgrestest.Conn(b, url)
	workplaces := make([]stores, workers)
	var refused atomic.Int64
	for i := range workplaces {
		db := storesOf(must.Get(postgres.Open(b.Context(), w.url, manifest.Match.PoolSize))(b))
		b.Cleanup(db.Close)
		db.OnTurn(func(event string) {
			if event == "refused" {
				refused.Add(1)
			}
		})
		workplaces[i] = db
	}
	// The first documents make connections and prepare statements, on each of them; they are
	// as many for one worker as for eight, because a document costs more next to others.
	first, docs := chains(0, 480), chains(1, 400)
	for _, some := range [][]postgres.Imported{first, docs} {
		must.Get(workplaces[0].Add(b.Context(), some, postgres.AddOptions{Replace: true, Send: true}))(b)
	}
	byBatches(b, workplaces, first)
	client, server, trips, refusals, began := ownCPU(b), serverCPU(b, conn), w.trips.Load(), refused.Load(), time.Now()
	byBatches(b, workplaces, docs)
	took, n := time.Since(began), float64(len(docs))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(n/took.Seconds(), "docs/s")
	b.ReportMetric((ownCPU(b)-client).Seconds()*1000/n, "client-ms/doc")
	b.ReportMetric((serverCPU(b, conn)-server).Seconds()*1000/n, "server-ms/doc")
	b.ReportMetric(float64(w.trips.Load()-trips)/n, "trips/doc")
	b.ReportMetric(float64(refused.Load()-refusals)/n, "refused/doc")
}

// byBatches has the workers take batches of ten until all documents succeeded.
func byBatches(b *testing.B, workplaces []stores, docs []postgres.Imported) {
	b.Helper()
	batches := make(chan []job.Delivery, len(docs))
	for at := 0; at < len(docs); at += manifest.Match.BatchSize {
		var batch []job.Delivery
		for _, d := range docs[at:min(at+manifest.Match.BatchSize, len(docs))] {
			batch = append(batch, job.Delivery{ID: d.ID, Count: 1})
		}
		batches <- batch
	}
	close(batches)
	var all sync.WaitGroup
	for _, db := range workplaces {
		log := slog.New(slog.DiscardHandler)
		m := &match.Matcher{Store: db, Log: log}
		r := &job.Runtime{Store: db, Work: m.Match, Backoff: job.Backoff(manifest.Match.Retries), Log: log}
		all.Go(func() {
			for batch := range batches {
				for _, s := range r.Run(b.Context(), batch, queueless{}) {
					if s.Action != job.Ack {
						b.Errorf("a document ended with %+v", s)
					}
				}
			}
		})
	}
	all.Wait()
}

// queueless carries nothing out.
type queueless struct{}

func (queueless) Settle(context.Context, []job.Settled)        {}
func (queueless) Extend(context.Context, []int, time.Duration) {}

// chains are n documents of one tenant: orders, each with its delivery note, its
// goods receipt and its invoice; a supplier has eight orders.
func chains(run, n int) (docs []postgres.Imported) {
	types := []document.Type{document.PurchaseOrder, document.DeliveryNote, document.GoodsReceipt, document.Invoice}
	for i := range n {
		chain, typ := i/len(types), types[i%len(types)]
		number, cites := fmt.Sprintf("45%d%05d", run, 13*chain), ""
		if typ != document.PurchaseOrder {
			cites = `"references":[{"type":"purchase-order","number":"` + number + `"}],`
			number = fmt.Sprintf("%c%d-%06d", "-LWR"[i%len(types)], run, 7919*chain%1_000_000)
		}
		var supplier [8]byte // a unique word
		for at := range supplier {
			supplier[at] = 'a' + byte(rand.New(rand.NewPCG(uint64(chain/8), uint64(at))).IntN(26))
		}
		day := start.AddDate(0, 0, chain%60+5*(i%len(types))).Format(time.DateOnly)
		data := fmt.Sprintf(`{"number":"%s","date":"%s","currency":"EUR",%s"total":"%d.19","supplier":{"name":"%s GmbH"},
			"line_items":[{"sku":"A-%[6]d","description":"Spanner, chrome, a set of six","quantity":"%[7]d","unit_price":"21.50"},
				{"sku":"B-%[6]d","description":"Hammer with a handle of ash","quantity":"3","unit_price":"9.80"}]}`,
			number, day, cites, 100+chain*37%5000, supplier, chain, chain%17+1)
		docs = append(docs, postgres.Imported{ID: uuid.NewSHA1(tenant, fmt.Append(nil, "chain ", run, i)), TenantID: tenant,
			Type: typ, Received: start.AddDate(0, 0, chain%60), Data: json.RawMessage(data)})
	}
	return docs
}
