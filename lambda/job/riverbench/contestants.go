package main

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type nothing struct{}

// Kind implements river.JobArgs.
func (nothing) Kind() string { return "nothing" }

// riverContestant is River with the settings of its benchmark, the fastest found by its
// authors.
func riverContestant(ctx context.Context, url string) *contestant {
	driver := riverpgxv5.New(must(pgxpool.New(ctx, url+"&pool_max_conns=16")))
	must(must(rivermigrate.New(driver, nil)).Migrate(ctx, rivermigrate.DirectionUp, nil))
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(context.Context, *river.Job[nothing]) error { return nil }))
	config := river.Config{FetchCooldown: 2 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond, Workers: workers,
		Logger: slog.New(slog.DiscardHandler), Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2_000}}}
	var client *river.Client[pgx.Tx] // of one round, because it can't start twice
	fill := func() {
		client = must(river.NewClient(driver, &config))
		must(client.InsertMany(ctx, slices.Repeat([]river.InsertManyParams{{Args: nothing{}}}, *jobs)))
	}
	work := func() time.Duration {
		events, cancel := client.SubscribeConfig(&river.SubscribeConfig{ChanSize: *jobs,
			Kinds: []river.EventKind{river.EventKindJobCompleted, river.EventKindJobFailed}})
		defer cancel()
		must(0, client.Start(ctx))
		began := time.Now()
		for range *jobs {
			if e := <-events; e.Kind != river.EventKindJobCompleted {
				panic("a job ended with " + e.Kind)
			}
		}
		took := time.Since(began)
		must(0, client.Stop(ctx))
		return took
	}
	return &contestant{name: "River", table: "river_job", fill: fill, work: work}
}

// ours is the runtime on a table, in concurrent instances with one connection each.
type ours struct {
	name              string
	table             postgres.Table
	filled            string       // the tables that fillSQL fills, if there are more
	fillSQL, endedSQL string       // endedSQL counts the finished jobs
	stale             atomic.Int64 // attempts with a job published meanwhile
}

func ourContestants(ctx context.Context, url string, admin *pgxpool.Pool) (list []*contestant) {
	must(schema.Migrate(ctx, url))
	must(admin.Exec(ctx, prepareSQL))
	var dbs []*postgres.DB
	for range *instances {
		dbs = append(dbs, must(postgres.Open(ctx, url, 1)))
	}
	for _, o := range []*ours{
		{name: "narrow table", table: postgres.Table{Name: "nothing", Arrived: "created_at", Subject: "nothing",
			Unworkable: "NULL::text", Complete: "true"}, fillSQL: fillNothing,
			endedSQL: `SELECT count(*) FROM nothing WHERE status = 'succeeded' AND attempts = 1`},
		{name: "document", table: postgres.Tables[manifest.Match.Name], fillSQL: fillDocument,
			endedSQL: `SELECT count(*) FROM document WHERE matching_status = 'succeeded' AND matching_attempts = 1`},
		{name: "review_chunk", table: postgres.Tables[manifest.Review.Name], filled: "review_job, review_chunk", fillSQL: fillChunks,
			endedSQL: `SELECT count(*) FROM review_chunk WHERE status = 'succeeded' AND attempts = 1`},
		{name: "matchmaking_job", table: postgres.Tables[manifest.Offer.Name], filled: "offer_user, matchmaking_job", fillSQL: fillJobs,
			endedSQL: `SELECT count(*) FROM matchmaking_job WHERE status = 'completed' AND attempts = 1`},
	} {
		var messages []job.Stamped
		list = append(list, &contestant{name: o.name, table: cmp.Or(o.filled, o.table.Name),
			fill: func() {
				messages = must(pgx.CollectRows(must(admin.Query(ctx, o.fillSQL, *jobs)), pgx.RowToStructByPos[job.Stamped]))
			},
			work: func() time.Duration { return o.work(ctx, dbs, messages) },
			check: func() (ended, stale int) {
				must(0, admin.QueryRow(ctx, o.endedSQL).Scan(&ended))
				return ended, int(o.stale.Load())
			}})
	}
	return list
}

func (o *ours) work(ctx context.Context, dbs []*postgres.DB, messages []job.Stamped) time.Duration {
	o.stale.Store(0)
	batches := make(chan []job.Stamped, len(messages))
	for batch := range slices.Chunk(messages, *batchSize) {
		batches <- batch
	}
	close(batches)
	began := time.Now()
	var working sync.WaitGroup
	for _, db := range dbs {
		working.Go(func() { o.instance(ctx, db.JobsOf(o.table), batches) })
	}
	working.Wait()
	return time.Since(began)
}

// instance works off one batch after the other, like an instance of a function. It publishes
// one job in 1,024 during its attempt, so that its success is stale.
func (o *ours) instance(ctx context.Context, jobs *postgres.Jobs, batches <-chan []job.Stamped) {
	runtime := &job.Runtime{Store: jobs, Backoff: manifest.Match.Retries, Log: slog.New(slog.DiscardHandler)}
	runtime.Work = func(ctx context.Context, batch []*job.Task) {
		for _, t := range batch {
			if t.ID[15] == 0 && t.ID[14]&3 == 0 {
				o.stale.Add(1)
				must(jobs.Publish(ctx, []uuid.UUID{t.ID}))
			}
		}
		job.Commit(ctx, batch, func(ctx context.Context, some []*job.Task) ([]job.Attempt, error) {
			return jobs.SucceedAll(ctx, job.Fences(some))
		})
	}
	for batch := range batches {
		deliveries := make([]job.Delivery, len(batch))
		for i, m := range batch {
			deliveries[i] = job.Delivery{ID: m.ID, Count: 1, SentAt: m.PublishedAt, PublishedAt: m.PublishedAt}
		}
		invocation, cancel := context.WithTimeout(ctx, time.Minute)
		runtime.Run(invocation, deliveries, noQueue{})
		cancel()
	}
}

type noQueue struct{}

// Settle implements job.Messages.
func (noQueue) Settle(context.Context, []job.Settled) {}

// Extend implements job.Messages.
func (noQueue) Extend(context.Context, []int, time.Duration) {}

const (
	// prepareSQL makes the narrowest table usable by the runtime, as described in
	// CONTRIBUTING.md. Documents come without the table of their keys, since no change of
	// state touches it.
	prepareSQL = `INSERT INTO tenant VALUES ('10000000-0000-4000-8000-000000000001', 'Measured');
CREATE TABLE nothing (id uuid PRIMARY KEY, tenant_id uuid NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
	status text, error text, attempts integer NOT NULL DEFAULT 0, failed_at timestamptz, lease_until timestamptz,
	published_at timestamptz, due_at timestamptz DEFAULT now(),
	republished smallint NOT NULL DEFAULT 0, lapses smallint NOT NULL DEFAULT 0, parked_for text);
CREATE INDEX ON nothing (tenant_id, status, coalesce(lease_until, due_at, created_at)) WHERE status IN ('pending', 'in-progress');
CREATE INDEX ON nothing (coalesce(due_at, created_at)) WHERE published_at IS NULL AND attempts = 0
	AND (status = 'pending' OR status IS NULL AND due_at IS NOT NULL AND error IS NULL);
ALTER TABLE document DISABLE TRIGGER document_key_insert`

	fillNothing = `INSERT INTO nothing (id, tenant_id, status, published_at, due_at)
SELECT gen_random_uuid(), tenant.id, 'pending', now(), now() FROM tenant, generate_series(1, $1)
RETURNING id, published_at, tenant_id`

	// fillDocument makes invoices with four line items and 17 keys.
	fillDocument = `INSERT INTO document (id, tenant_id, type, file_path, structured_data, searchable_text,
	normalized_counterparty, normalized_references, match_keys, matching_status, matching_published_at, matching_due_at)
SELECT gen_random_uuid(), tenant.id, 'invoice', 'documents/' || i || '.pdf', jsonb_build_object('number', 'RE-2026-' || i,
		'date', '2026-03-02', 'currency', 'EUR', 'total', i % 997 || '.00', 'subtotal', i % 897 || '.00',
		'supplier', jsonb_build_object('name', 'Supplier ' || i % 50, 'vat_id', 'DE' || i % 50, 'iban', 'DE02120300000000202051'),
		'buyer', jsonb_build_object('name', 'Lampenhaus Wittmann GmbH', 'vat_id', 'DE136695976'),
		'references', jsonb_build_array(jsonb_build_object('type', 'purchase-order', 'number', '45' || i)),
		'line_items', (SELECT jsonb_agg(jsonb_build_object('sku', 'SKU' || i % 11 + l, 'description', 'Pendant lamp, brass, no. ' || l,
			'quantity', '2', 'unit', 'pc', 'unit_price', i || '.00', 'amount', 2 * i || '.00')) FROM generate_series(1, 4) AS l)),
	repeat('pendant lamp brass ' || i, 8), '{"name": "supplier", "vat_id": "DE136695976"}', '["RE2026", "45"]',
	ARRAY(SELECT '10000000|item|supplier' || i % 50 || '|SKU' || k FROM generate_series(1, 17) AS k), 'pending', now(), now()
FROM tenant, generate_series(1, $1) AS i RETURNING id, matching_published_at, tenant_id`

	// fillChunks makes contracts of twenty chunks, which come in the order of the text. The
	// contract as a whole is published as its chunks end, but isn't worked on.
	fillChunks = `WITH paper AS (
	INSERT INTO document (id, tenant_id, type) SELECT gen_random_uuid(), id, 'contract' FROM tenant RETURNING id, tenant_id
), contract AS (
	INSERT INTO review_job (id, tenant_id, document_id, chunks, chunks_open, status)
	SELECT gen_random_uuid(), tenant_id, id, 20, 20, 'running' FROM paper, generate_series(1, $1 / 20) RETURNING id, tenant_id
), chunk AS (
	INSERT INTO review_chunk (id, tenant_id, job_id, position, kind, start_offset, end_offset, ready, status, published_at, due_at)
	SELECT gen_random_uuid(), tenant_id, contract.id, n, 'text', n * 6000, n * 6000 + 6400, true, 'pending', now(), now()
	FROM contract, generate_series(0, 19) AS n
	UNION ALL SELECT gen_random_uuid(), tenant_id, id, 20, 'whole', 0, 120000, false, NULL, NULL, NULL FROM contract
	RETURNING id, published_at, tenant_id, job_id, position, kind
)
SELECT id, published_at, tenant_id FROM chunk WHERE kind = 'text' ORDER BY job_id, position`

	// fillJobs makes users with a job each.
	fillJobs = `WITH member AS (
	INSERT INTO offer_user (id, tenant_id, timezone, through)
	SELECT gen_random_uuid(), tenant.id, 'Europe/Berlin', '2026-03-02' FROM tenant, generate_series(1, $1) RETURNING id, tenant_id
)
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, input_digest, offered_at, expires_at, job_status, published_at, due_at)
SELECT gen_random_uuid(), tenant_id, '2026-03-02', 'Europe/Berlin', id, '\x00', '2026-03-02 08:00Z', '2026-03-03 08:00Z', 'pending', now(), now()
FROM member RETURNING id, published_at, tenant_id`
)
