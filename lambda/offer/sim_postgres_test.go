package offer_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// database is the real store, with a clock that follows the simulation's. It forgets
// nothing: the constraints of the tables hold over all dates.
type database struct {
	*offers.Store
	t    *testing.T
	url  string
	conn *pgx.Conn
}

func newDatabase(t *testing.T, at time.Time) (database, *simclock.Clock) {
	clock, url := postgrestest.WithClock(t, postgrestest.URL(t), at)
	d := database{offers.New(postgrestest.Open(t, url)), t, url, postgrestest.Conn(t, url)}
	d.exec("INSERT INTO tenant (id, name) VALUES ($1, 'simulated')", tenants[0])
	return d, clock
}

func (d database) exec(sql string, args ...any) {
	d.t.Helper()
	must.Get(d.conn.Exec(d.t.Context(), sql, args...))(d.t)
}

// Put names the time, because the column's default is the real one.
func (d database) Put(u offer.User) {
	d.exec(`INSERT INTO offer_user (id, tenant_id, timezone, active, profile, preferences, active_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, now()) ON CONFLICT (id) DO UPDATE SET timezone = excluded.timezone, active = excluded.active,
			profile = excluded.profile, preferences = excluded.preferences, active_at = excluded.active_at`,
		u.ID, u.Tenant, u.Zone, u.Active, u.Profile, u.Preferences, u.ActiveAt)
}

func (d database) Answer(f offer.Feedback) {
	d.exec(`INSERT INTO offer_feedback VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, user_id, candidate_id, answer) DO UPDATE SET at = excluded.at`,
		tenants[0], f.User, f.Candidate, string(f.Answer), f.At)
}

func (database) Forget(day.Date) {}

// The year in memory shows that the rules hold; these days show that the tables keep
// them. Both changes of daylight saving time are in them, of the north and of the south.
func TestDaysThroughPostgreSQL(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"2026-03-28", "2026-10-24"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			if from != "2026-03-28" {
				testenv.OnlyThorough(t, "lets the days of the other change pass too")
			}
			s := newSimulation(t, from, testenv.Size(1, 14), 7)
			d, clock := newDatabase(t, s.start)
			at := s.start // by the clock of the database
			s.moved = func() {
				s.must(clock.Advance(t.Context(), s.now.Sub(at)))
				at = s.now
			}
			s.store = d
			s.run(testenv.Size(20, 200))
		})
	}
}

var inZone = flag.Int("zone", 100_000, "users of the one zone")

// All users of one zone have their sets, by as many instances as there are at most, each
// with its own roster and connections, in this process.
func TestZoneOfManyUsers(t *testing.T) {
	t.Parallel()
	users, random, w := testenv.Size(200, *inZone), rand.New(rand.NewPCG(1, 16)), &world{t: t}
	d, _ := newDatabase(t, time.Date(2026, 3, 29, 7, 0, 0, 0, time.UTC))
	for i := range users {
		u := offer.User{ID: uuid.NewSHA1(tenants[0], fmt.Append(nil, i)), Tenant: tenants[0], Zone: "Europe/Berlin", Active: true}
		for len(u.Profile) < 40 { // it cannot be read
			u.Profile, u.Preferences = profile(random)
		}
		d.Put(u)
	}
	d.exec("ANALYZE offer_user")
	began, scheduler := time.Now(), w.scheduler(d)
	scheduler.Shard = 0 // as deployed
	if r, err := scheduler.Run(t.Context()); err != nil || r.Queued != users {
		t.Fatalf("queued %+v, %v", r, err)
	}
	queued := time.Since(began)
	worked := d.compose(w.sent)
	took := time.Since(began) - queued
	if len(worked) != users {
		t.Fatalf("%d sets, want %d", len(worked), users)
	}
	p95 := worked[users*95/100]
	t.Logf("%d users: queued in %v, composed in %v; a job p50 %v, p95 %v, most %v", users, queued, took, worked[users/2], p95,
		worked[users-1])
	if p95 > time.Second && testenv.Thorough() {
		t.Errorf("p95 of a job is %v", p95)
	}
}

// noQueue is the queue of messages that need no settlement.
type noQueue struct{}

func (noQueue) Settle(context.Context, []job.Settled)        {}
func (noQueue) Extend(context.Context, []int, time.Duration) {}

// compose works on all jobs, and returns the times that they took, in order.
func (d database) compose(jobs []job.Stamped) (worked []time.Duration) {
	batches, done := make(chan []job.Delivery, len(jobs)), make(chan time.Duration, len(jobs))
	for stamped := range slices.Chunk(jobs, manifest.Offer.BatchSize) {
		batch := make([]job.Delivery, len(stamped))
		for i, m := range stamped {
			batch[i] = job.Delivery{ID: m.ID, Count: 1, SentAt: m.PublishedAt, PublishedAt: m.PublishedAt}
		}
		batches <- batch
	}
	close(batches)
	var instances sync.WaitGroup
	for range manifest.Offer.MaxConcurrency {
		store := offers.New(postgrestest.Open(d.t, d.url))
		runtime := job.Runtime{Store: store, Work: offer.Offerer{Store: store, Rankings: &offer.Cache{Rosters: store}}.Offer,
			Backoff: manifest.Offer.Retries, Log: quiet, Observe: func(o job.Observation) {
				if o.Action == job.Ack {
					done <- o.Worked
				}
			}}
		instances.Go(func() {
			for batch := range batches {
				ctx, cancel := context.WithTimeout(d.t.Context(), manifest.Offer.Timeout)
				runtime.Run(ctx, batch, noQueue{})
				cancel()
			}
		})
	}
	instances.Wait()
	for range len(done) {
		worked = append(worked, <-done)
	}
	slices.Sort(worked)
	return worked
}
