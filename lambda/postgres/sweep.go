package postgres

import (
	"context"

	"matchbook/lambda/job"
)

// waitsSince is when a document's message or its worker was due, whatever
// program wrote the row. document_matching_waiting_idx is ordered by it.
const waitsSince = `coalesce(matching_lease_until, matching_due_at, received_at)`

// overdue is true of a pending document whose message should have come: the
// queue's visibility timeout, doubled with each time that the sweep published
// it, has passed.
const overdue = `matching_status = 'pending' AND ` + waitsSince + ` < now() - $1::interval
	AND ` + waitsSince + ` + $1::interval * power(2, least(matching_republished, 10)) < now()`

// lapsed is true of a document whose worker's lease ended so long ago that its
// message, if there is one, has come back.
const lapsed = `matching_status = 'in-progress' AND ` + waitsSince + ` < now() - $1::interval`

// unpublished is true of a document that was inserted and never published,
// with the predicate of document_matching_unpublished_idx.
const unpublished = `coalesce(matching_due_at, received_at) < now() - $2::interval
	AND matching_published_at IS NULL AND matching_attempts = 0 AND (matching_status = 'pending'
		OR matching_status IS NULL AND matching_due_at IS NOT NULL AND matching_error IS NULL
			AND type IS NOT NULL AND structured_data IS NOT NULL)`

// oldest reads the ids of a tenant's documents for which the predicate holds,
// and then of all tenants', those that wait longest first.
func oldest(predicate, limit string) string {
	return `SELECT waiting.id FROM tenant LEFT JOIN front ON front.tenant_id = tenant.id
	CROSS JOIN LATERAL (SELECT id, ` + waitsSince + ` AS since FROM document
		WHERE tenant_id = tenant.id AND ` + predicate + ` ORDER BY ` + waitsSince + ` LIMIT ` + limit + `) AS waiting
	ORDER BY since LIMIT ` + limit
}

// lost is true of an overdue document that publishing has proved to be of no
// use for: the queue is idle, nothing is at work, and so many messages of it
// did not come.
func lost(idle, times string) string {
	return idle + ` AND matching_republished >= ` + times + ` AND NOT EXISTS (SELECT FROM document AS working
		WHERE working.matching_status = 'in-progress' AND working.matching_lease_until > now())`
}

// noFront stands where the statement has no use for it.
const noFront = `WITH front AS (SELECT NULL::uuid AS tenant_id)`

var overdueSQL = noFront + `
SELECT count(*) FROM (` + oldest(overdue, "$2") + `) AS counted`

// Overdue implements sweep.Store.
func (db *DB) Overdue(ctx context.Context, w job.Waits, most int) (n int, err error) {
	err = db.pool.QueryRow(ctx, overdueSQL, w.Visibility, most).Scan(&n)
	return n, err
}

// republishSQL stamps what waits in vain. How far a tenant's part of the queue
// has come is told by the oldest stamp among its documents at work: what was
// due a visibility timeout before that should have come as well. Predicates
// are checked again under the lock.
var republishSQL = `
WITH front AS (
	SELECT tenant_id, min(matching_published_at) AS published_at FROM document
	WHERE matching_status = 'in-progress' AND matching_lease_until > now() GROUP BY tenant_id
), chosen AS (
	(SELECT id, 'inserted' AS kind FROM document WHERE ` + unpublished + ` ORDER BY coalesce(matching_due_at, received_at) LIMIT $5)
	UNION ALL (SELECT id, 'lapsed' FROM (` + oldest(lapsed+" AND matching_lapses + 1 < $4", "$5") + `) AS l)
	UNION ALL (SELECT id, 'overdue' FROM (` + oldest(overdue+" AND (matching_published_at IS NOT NULL OR matching_attempts > 0) AND "+
	waitsSince+" < CASE WHEN $3 THEN now() ELSE front.published_at END - $1::interval AND NOT ("+lost("$6", "$7")+")", "$5") + `) AS o)
), locked AS (
	SELECT id, matching_status AS status FROM document
	WHERE id = ANY (ARRAY(SELECT id FROM chosen)) AND (` + overdue + ` OR ` + lapsed + ` OR ` + unpublished + `)
	ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE document SET
	matching_status = 'pending',
	matching_published_at = greatest(now(), matching_published_at + interval '1 microsecond'),
	matching_due_at = now(),
	matching_lease_until = NULL,
	matching_error = CASE status WHEN 'in-progress' THEN 'attempt ' || matching_attempts || ' ended without a result' ELSE matching_error END,
	matching_lapses = matching_lapses + CASE status WHEN 'in-progress' THEN 1 ELSE 0 END,
	matching_republished = matching_republished + CASE kind WHEN 'overdue' THEN 1 ELSE 0 END
FROM locked JOIN chosen USING (id)
WHERE document.id = locked.id
RETURNING document.id, matching_published_at, tenant_id, kind`

// Republish implements sweep.Store.
func (db *DB) Republish(ctx context.Context, w job.Waits, limit int) (again []job.Republished, err error) {
	return collect[job.Republished](ctx, db, republishSQL, w.Visibility, w.Grace, w.Drained, w.Lapses, limit, w.Idle, w.Times)
}

// giveUpSQL fails what the sweep has tried often enough. A lost document was
// not claimed since it was published, so giving up takes an attempt of its
// own: the notification's key is (document, kind, attempt).
var giveUpSQL = noFront + `, chosen AS (
	(SELECT id, 'lost' AS kind FROM (` + oldest(overdue+" AND "+lost("$3", "$4"), "$5") + `) AS l)
	UNION ALL (SELECT id, 'crashed' FROM (` + oldest(lapsed+" AND matching_lapses + 1 >= $2", "$5") + `) AS c)
), locked AS (
	SELECT id FROM document
	WHERE id = ANY (ARRAY(SELECT id FROM chosen)) AND (` + overdue + ` OR ` + lapsed + `)
	ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), failed AS (
	UPDATE document SET
		matching_status = 'failed', matching_failed_at = now(), matching_lease_until = NULL, matching_due_at = NULL,
		matching_lapses = 0,
		matching_attempts = matching_attempts + CASE kind WHEN 'lost' THEN 1 ELSE 0 END,
		matching_error = left(CASE kind
			WHEN 'lost' THEN 'lost: published ' || matching_republished + 1 || ' times, the queue is empty, and no attempt began'
			ELSE 'crashed: ' || matching_lapses + 1 || ' attempts in a row, the last one number ' || matching_attempts || ', ended without a result' END
			|| coalesce('; before that: ' || matching_error, ''), 1000)
	FROM locked JOIN chosen USING (id)
	WHERE document.id = locked.id
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
func (db *DB) GiveUp(ctx context.Context, w job.Waits, limit int) (lost, crashed int, err error) {
	err = repeat(ctx, func() error {
		return db.pool.QueryRow(ctx, giveUpSQL, w.Visibility, w.Lapses, w.Idle, w.Times, limit).Scan(&lost, &crashed)
	})
	return lost, crashed, err
}
