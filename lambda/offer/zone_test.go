package offer_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

var inZone = flag.Int("zone", 100_000, "users of the one zone")

// collector is the queue: the messages of a scheduler.
type collector struct{ deliveries []job.Delivery }

func (c *collector) Send(_ context.Context, stamped []job.Stamped) ([]uuid.UUID, error) {
	for _, m := range stamped {
		c.deliveries = append(c.deliveries, job.Delivery{ID: m.ID, Count: 1, SentAt: m.PublishedAt, PublishedAt: m.PublishedAt})
	}
	return nil, nil
}

func (c *collector) Settle(context.Context, []job.Settled)        {}
func (c *collector) Extend(context.Context, []int, time.Duration) {}

// All users of one zone have their sets, by as many instances as there are at most, each
// with its own roster, runtime and connections, in this process.
func TestZoneOfManyUsers(t *testing.T) {
	t.Parallel()
	users := testenv.Size(200, *inZone)
	nine := time.Date(2026, 3, 29, 7, 0, 0, 0, time.UTC)
	_, url := postgrestest.WithClock(t, postgrestest.URL(t), nine)
	insertMany(t, url, users)
	c, began := &collector{}, time.Now()
	scheduler := &offer.Scheduler{Store: postgrestest.Open(t, url).Offers(), Sender: c, Log: quiet}
	if r, err := scheduler.Run(t.Context()); err != nil || r.Queued != users {
		t.Fatalf("queued %+v, %v", r, err)
	}
	queued := time.Since(began)
	worked, ends := compose(t, url, c.deliveries)
	took := time.Since(began) - queued
	if ends[job.Ack] != users {
		t.Errorf("settled %v, want %d acknowledged", ends, users)
	}
	slices.Sort(worked)
	t.Logf("%d users: queued in %v, composed in %v; a job p50 %v, p95 %v, most %v", users, queued,
		took, worked[len(worked)/2], worked[len(worked)*95/100], worked[len(worked)-1])
	if p95 := worked[len(worked)*95/100]; p95 > time.Second && testenv.Thorough() {
		t.Errorf("p95 of a job is %v", p95)
	}
}

// compose works on all deliveries, and returns the time of each job.
func compose(t *testing.T, url string, ds []job.Delivery) (worked []time.Duration, ends map[job.Action]int) {
	batches := make(chan []job.Delivery, len(ds)/manifest.Offer.BatchSize+1)
	for batch := range slices.Chunk(ds, manifest.Offer.BatchSize) {
		batches <- batch
	}
	close(batches)
	var mu sync.Mutex
	var instances sync.WaitGroup
	ends = map[job.Action]int{}
	for range manifest.Offer.MaxConcurrency {
		store := postgrestest.Open(t, url).Offers()
		offerer := offer.Offerer{Store: store, Rankings: &offer.Cache{Rosters: store}}
		r := &job.Runtime{Store: store, Work: offerer.Offer, Backoff: manifest.Offer.Retries, Log: quiet,
			Observe: func(o job.Observation) {
				mu.Lock()
				defer mu.Unlock()
				worked = append(worked, o.Worked)
				ends[o.Action]++
			}}
		instances.Go(func() {
			for batch := range batches {
				ctx, cancel := context.WithTimeout(t.Context(), manifest.Offer.Timeout)
				r.Run(ctx, batch, &collector{})
				cancel()
			}
		})
	}
	instances.Wait()
	return worked, ends
}

func insertMany(t *testing.T, url string, n int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 16))
	conn := postgrestest.Conn(t, url)
	if _, err := conn.Exec(t.Context(), "INSERT INTO tenant (id, name) VALUES ($1, 'many')", tenants[0]); err != nil {
		t.Fatal(err)
	}
	_, err := conn.CopyFrom(t.Context(), pgx.Identifier{"offer_user"},
		[]string{"id", "tenant_id", "timezone", "profile", "preferences"},
		pgx.CopyFromSlice(n, func(i int) ([]any, error) {
			written, preferences := profile(random)
			for len(written) < 40 { // it cannot be read
				written, preferences = profile(random)
			}
			return []any{uuid.NewSHA1(tenants[0], []byte{byte(i), byte(i >> 8), byte(i >> 16)}), tenants[0], "Europe/Berlin", written,
				preferences}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "ANALYZE offer_user"); err != nil {
		t.Fatal(err)
	}
}
