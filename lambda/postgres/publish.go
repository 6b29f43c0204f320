package postgres

import (
	"context"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// publishSQL takes the documents away from whoever has them. The stamp never
// repeats nor goes back, even if the clock does: a message of an earlier
// publish must compare as older.
const publishSQL = `
WITH chosen AS (
	SELECT id FROM document WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
)
UPDATE document SET
	matching_status = 'pending',
	matching_published_at = greatest(now(), matching_published_at + interval '1 microsecond'),
	matching_due_at = now(),
	matching_lease_until = NULL, matching_error = NULL, matching_failed_at = NULL, matching_republished = 0
FROM chosen
WHERE document.id = chosen.id
RETURNING document.id, matching_published_at`

// Publish implements job.PublishStore.
func (db *DB) Publish(ctx context.Context, ids []uuid.UUID) ([]job.Stamped, error) {
	return db.stamped(ctx, publishSQL, ids)
}

func (db *DB) stamped(ctx context.Context, sql string, args ...any) (stamped []job.Stamped, err error) {
	err = repeat(ctx, func() error {
		rows, _ := db.pool.Query(ctx, sql, args...)
		stamped, err = pgx.CollectRows(rows, pgx.RowToStructByPos[job.Stamped])
		return err
	})
	return stamped, err
}

// overdueSQL: a pending document is overdue when the queue's visibility
// timeout, doubled with every time that it was published again, has passed
// since its message was due; a document in progress when that timeout has
// passed since its lease ended, because then its message came back, if it
// still exists.
const overdueSQL = `
SELECT count(*) FROM document
WHERE matching_status = 'pending' AND matching_due_at + $1::interval * power(2, matching_republished) < now()
   OR matching_status = 'in-progress' AND matching_lease_until + $1::interval < now()`

// Overdue implements sweep.Store.
func (db *DB) Overdue(ctx context.Context, visibility time.Duration) (n int, err error) {
	err = db.pool.QueryRow(ctx, overdueSQL, visibility).Scan(&n)
	return n, err
}

const republishSQL = `
WITH chosen AS (
	SELECT id FROM document
	WHERE matching_status = 'pending' AND matching_due_at + $1::interval * power(2, matching_republished) < now()
		AND matching_republished < $2
	ORDER BY id LIMIT $3
	FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE document SET
	matching_published_at = greatest(now(), matching_published_at + interval '1 microsecond'),
	matching_due_at = now(),
	matching_republished = matching_republished + 1
FROM chosen
WHERE document.id = chosen.id
RETURNING document.id, matching_published_at`

// Republish implements sweep.Store. The error of the last try stays visible.
func (db *DB) Republish(ctx context.Context, visibility time.Duration, times, limit int) ([]job.Stamped, error) {
	return db.stamped(ctx, republishSQL, visibility, times, limit)
}

// giveUpSQL fails what no message will come for. A lost document was not
// claimed since it was published, so giving up takes an attempt of its own:
// the notification's key is (document, kind, attempt).
const giveUpSQL = `
WITH chosen AS (
	SELECT id, CASE matching_status WHEN 'pending' THEN 'lost' ELSE 'crashed' END AS kind
	FROM document
	WHERE matching_status = 'pending' AND matching_due_at + $1::interval * power(2, matching_republished) < now()
		AND matching_republished >= $2
	   OR matching_status = 'in-progress' AND matching_lease_until + $1::interval < now()
	ORDER BY id LIMIT $3
	FOR NO KEY UPDATE SKIP LOCKED
), failed AS (
	UPDATE document SET
		matching_status = 'failed', matching_failed_at = now(), matching_lease_until = NULL, matching_due_at = NULL,
		matching_attempts = matching_attempts + CASE kind WHEN 'lost' THEN 1 ELSE 0 END,
		matching_error = left(CASE kind
			WHEN 'lost' THEN 'lost: published ' || matching_republished + 1 || ' times and no message reached a worker'
			ELSE 'crashed: attempt ' || matching_attempts || ' ended without a result and no message is left' END
			|| coalesce('; before that: ' || matching_error, ''), 1000)
	FROM chosen
	WHERE document.id = chosen.id
	RETURNING document.id, tenant_id, kind, matching_attempts, matching_error
), noted AS (
	INSERT INTO notification (tenant_id, document_id, kind, attempt, created_at, payload)
	SELECT tenant_id, failed.id, kind, matching_attempts, now(), jsonb_build_object(
		'document_id', failed.id, 'tenant_id', tenant_id, 'tenant', tenant.name, 'kind', kind,
		'error', matching_error, 'attempts', matching_attempts)
	FROM failed JOIN tenant ON tenant.id = tenant_id
	RETURNING kind
)
SELECT count(*) FILTER (WHERE kind = 'lost'), count(*) FILTER (WHERE kind = 'crashed') FROM noted`

// GiveUp implements sweep.Store.
func (db *DB) GiveUp(ctx context.Context, visibility time.Duration, times, limit int) (lost, crashed int, err error) {
	err = repeat(ctx, func() error {
		return db.pool.QueryRow(ctx, giveUpSQL, visibility, times, limit).Scan(&lost, &crashed)
	})
	return lost, crashed, err
}
