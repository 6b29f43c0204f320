package main

import (
	"context"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

var tenant = uuid.MustParse("10000000-0000-4000-8000-000000000001")

// prepareSQL makes the narrowest table that the runtime can use, as CONTRIBUTING.md
// describes it. Documents are filled without the table of their keys, which no
// change of a state touches.
const prepareSQL = `
INSERT INTO tenant VALUES ('10000000-0000-4000-8000-000000000001', 'Measured');
CREATE TABLE nothing (
	id uuid PRIMARY KEY, tenant_id uuid NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
	status text, error text, attempts integer NOT NULL DEFAULT 0, failed_at timestamptz, lease_until timestamptz,
	published_at timestamptz, due_at timestamptz DEFAULT now(),
	republished smallint NOT NULL DEFAULT 0, lapses smallint NOT NULL DEFAULT 0
);
CREATE INDEX nothing_waiting_idx ON nothing (tenant_id, status, coalesce(lease_until, due_at, created_at))
	WHERE status IN ('pending', 'in-progress');
CREATE INDEX nothing_unpublished_idx ON nothing (coalesce(due_at, created_at))
	WHERE published_at IS NULL AND attempts = 0
		AND (status = 'pending' OR status IS NULL AND due_at IS NOT NULL AND error IS NULL);
ALTER TABLE document DISABLE TRIGGER document_key_insert`

// nothings is the table that prepareSQL makes.
var nothings = postgres.Table{Name: "nothing", Arrived: "created_at", Subject: "nothing"}

var tables = []table{
	{
		name:  "narrow table",
		table: nothings,
		fill: `INSERT INTO nothing (id, tenant_id, status, published_at, due_at)
SELECT gen_random_uuid(), $2, 'pending', now(), now() FROM generate_series(1, $1)
RETURNING id, published_at, tenant_id`,
		succeed: status(nothings),
		ended:   `SELECT count(*) FROM nothing WHERE status = 'succeeded' AND attempts = 1`,
	},
	{
		name:  "document",
		table: postgres.Tables[manifest.Match.Name],
		fill: `INSERT INTO document (id, tenant_id, type, file_path, structured_data, searchable_text,
	normalized_counterparty, normalized_references, match_keys, matching_status, matching_published_at, matching_due_at)
SELECT gen_random_uuid(), $2, 'invoice', 'documents/' || i || '.pdf', jsonb_build_object('number', 'RE-2026-' || i,
		'date', '2026-03-02', 'currency', 'EUR', 'total', i % 997 || '.00', 'subtotal', i % 897 || '.00',
		'supplier', jsonb_build_object('name', 'Supplier ' || i % 50, 'vat_id', 'DE' || i % 50,
			'iban', 'DE02120300000000202051'),
		'buyer', jsonb_build_object('name', 'Lampenhaus Wittmann GmbH', 'vat_id', 'DE136695976'),
		'references', jsonb_build_array(jsonb_build_object('type', 'purchase-order', 'number', '45' || i)),
		'line_items', (SELECT jsonb_agg(jsonb_build_object('sku', 'SKU' || i % 11 + l,
			'description', 'Pendant lamp, brass, no. ' || l, 'quantity', '2', 'unit', 'pc',
			'unit_price', i || '.00', 'amount', 2 * i || '.00')) FROM generate_series(1, 4) AS l)),
	repeat('pendant lamp brass ' || i, 8), '{"name": "supplier", "vat_id": "DE136695976"}', '["RE2026", "45"]',
	ARRAY(SELECT '10000000|item|supplier' || i % 50 || '|SKU' || k FROM generate_series(1, 17) AS k),
	'pending', now(), now()
FROM generate_series(1, $1) AS i RETURNING id, matching_published_at, tenant_id`,
		succeed: status(postgres.Tables[manifest.Match.Name]),
		ended:   `SELECT count(*) FROM document WHERE matching_status = 'succeeded' AND matching_attempts = 1`,
	},
	{
		name:  "review_chunk, its success",
		table: postgres.Tables[manifest.Review.Name],
		fill: `WITH contract AS (
	INSERT INTO document (id, tenant_id, type, matching_due_at) SELECT gen_random_uuid(), $2, 'contract', NULL
	FROM generate_series(1, ($1 + 19) / 20) RETURNING id
), review AS (
	INSERT INTO review_job (id, tenant_id, document_id, status, chunks, chunks_open, started_at)
	SELECT gen_random_uuid(), $2, id, 'running', 20, 20, now() FROM contract RETURNING id
), whole AS (
	INSERT INTO review_chunk (id, tenant_id, job_id, position, kind, start_offset, end_offset, ready, due_at)
	SELECT ('ffffffff-ffff-4fff-bfff-' || right(id::text, 12))::uuid, $2, id, 20, 'whole', 0, 20000, false, NULL
	FROM review
)
INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, status, published_at, due_at)
SELECT gen_random_uuid(), $2, review.id, p, 1000 * p, 1000 * p + 1000, 'pending', now(), now()
FROM review, generate_series(0, 19) AS p LIMIT $1 RETURNING id, published_at, tenant_id`,
		succeed: func(db *postgres.DB) func(context.Context, job.Attempt) error {
			reviews := db.Reviews()
			return func(ctx context.Context, f job.Attempt) error {
				_, err := reviews.End(ctx, f, job.StatusSucceeded, "", "")
				return err
			}
		},
		ended: `SELECT count(*) FROM review_chunk WHERE status = 'succeeded' AND attempts = 1`,
	},
	{
		name:  "matchmaking_job, an empty set",
		table: postgres.Tables[manifest.Offer.Name],
		fill: `WITH u AS (
	INSERT INTO offer_user (id, tenant_id, timezone)
	SELECT gen_random_uuid(), $2, 'Europe/Berlin' FROM generate_series(1, $1) RETURNING id
)
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, algorithm_version, input_digest,
	offered_at, expires_at, job_status, published_at, due_at)
SELECT gen_random_uuid(), $2, '2026-03-02', 'Europe/Berlin', id, 1, '\x01',
	now(), now() + interval '1 day', 'pending', now(), now()
FROM u RETURNING id, published_at, tenant_id`,
		succeed: func(db *postgres.DB) func(context.Context, job.Attempt) error {
			offers := db.Offers()
			return func(ctx context.Context, f job.Attempt) error {
				return offers.Complete(ctx, f, offer.Set{}, false)
			}
		},
		ended: `SELECT count(*) FROM matchmaking_job WHERE job_status = 'succeeded' AND attempts = 1`,
	},
}

// status returns the success of work whose only result is the status.
func status(t postgres.Table) func(*postgres.DB) func(context.Context, job.Attempt) error {
	return func(db *postgres.DB) func(context.Context, job.Attempt) error {
		jobs := db.JobsOf(t)
		return func(ctx context.Context, f job.Attempt) error {
			return jobs.Succeed(ctx, f, nil)
		}
	}
}
