package postgres

import (
	"context"

	"matchbook/lambda/job/sweep"
)

// waitsSince is the time a row's message or worker was due, whatever program wrote the row.
// For documents, document_matching_waiting_idx has this order.
const waitsSince = `coalesce({lease_until}, {due_at}, {arrived})`

// overdue selects pending rows with a late message: the queue's visibility timeout, doubled
// with each publication by the sweep, has passed.
const overdue = `{status} = 'pending' AND ` + waitsSince + ` < now() - $1::interval
	AND ` + waitsSince + ` + $1::interval * power(2, least({republished}, 10)) < now()`

// lapsed selects rows in progress with a lease that ended so long ago that their message, if
// any, has become visible again.
const lapsed = `{status} = 'in-progress' AND ` + waitsSince + ` < now() - $1::interval`

// unpublished selects inserted rows never published. For documents, it must contain the
// predicate of document_matching_unpublished_idx.
const unpublished = `coalesce({due_at}, {arrived}) < now() - $2::interval
	AND {published_at} IS NULL AND {attempts} = 0 AND ({status} = 'pending'
		OR ` + inserted + `)`

// inserted selects rows of another program that nobody has published yet, apart from published_at and attempts.
const inserted = `{status} IS NULL AND {due_at} IS NOT NULL AND {error} IS NULL
			AND {complete}`

// oldest reads the ids of rows selected by predicate, first of each tenant and then of all,
// the longest waiting first.
func oldest(predicate, limit string) string {
	return `SELECT waiting.id FROM tenant LEFT JOIN front ON front.tenant_id = tenant.id
	CROSS JOIN LATERAL (SELECT id, ` + waitsSince + ` AS since FROM {table}
		WHERE tenant_id = tenant.id AND ` + predicate + ` ORDER BY ` + waitsSince + ` LIMIT ` + limit + `) AS waiting
	ORDER BY since LIMIT ` + limit
}

// lost selects overdue rows not worth publishing again: the queue is idle, no row is being
// worked on, and so many of their messages did not arrive.
func lost(idle, times string) string {
	return idle + ` AND {republished} >= ` + times + ` AND NOT EXISTS (SELECT FROM {table} AS working
		WHERE working.{status} = 'in-progress' AND working.{lease_until} > now())`
}

// noFront is an empty front, for use in statements that don't need one.
const noFront = `WITH front AS (SELECT NULL::uuid AS tenant_id)`

var overdueSQL = noFront + `
SELECT count(*) FROM (` + oldest(overdue, "$2") + `) AS counted`

// Overdue implements sweep.Store.
func (j *Jobs) Overdue(ctx context.Context, w sweep.Waits, most int) (int, error) {
	return Value[int](ctx, j.db, j.sql(overdueSQL), w.Visibility, most)
}

// republishSQL stamps rows waiting in vain. The oldest stamp among a tenant's rows in progress
// shows how far its part of the queue has come, so a message due a visibility timeout earlier
// should have arrived as well. Predicates must be checked again under the lock.
var republishSQL = `
WITH front AS (
	SELECT tenant_id, min({published_at}) AS published_at FROM {table}
	WHERE {status} = 'in-progress' AND {lease_until} > now() GROUP BY tenant_id
), chosen AS (
	(SELECT id, 'inserted' AS kind FROM {table}
	WHERE ` + unpublished + ` ORDER BY coalesce({due_at}, {arrived}) LIMIT $5)
	UNION ALL (SELECT id, 'lapsed' FROM (` + oldest(lapsed+" AND {lapses} + 1 < $4", "$5") + `) AS l)
	UNION ALL (SELECT id, 'overdue' FROM (` + oldest(overdue+" AND ({published_at} IS NOT NULL OR {attempts} > 0) AND "+
	waitsSince+" < CASE WHEN $3 THEN now() ELSE front.published_at END - $1::interval "+
	"AND NOT ("+lost("$6", "$7")+")", "$5") + `) AS o)
), locked AS (
	SELECT id, {status} AS status FROM {table}
	WHERE id = ANY (ARRAY(SELECT id FROM chosen)) AND (` + overdue + ` OR ` + lapsed + ` OR ` + unpublished + `)
	ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS job SET
	{status} = 'pending',
	{published_at} = greatest(now(), {published_at} + interval '1 microsecond'),
	{due_at} = now(),
	{lease_until} = NULL,
	{error} = CASE locked.status
		WHEN 'in-progress' THEN 'attempt ' || {attempts} || ' ended without a result' ELSE {error} END,
	{lapses} = {lapses} + CASE locked.status WHEN 'in-progress' THEN 1 ELSE 0 END,
	{republished} = {republished} + CASE chosen.kind WHEN 'overdue' THEN 1 ELSE 0 END
FROM locked JOIN chosen USING (id)
WHERE job.id = locked.id
RETURNING job.id, {published_at}, tenant_id, chosen.kind`

// Republish implements sweep.Store.
func (j *Jobs) Republish(ctx context.Context, w sweep.Waits, limit int) (again []sweep.Republished, err error) {
	return Rows[sweep.Republished](ctx, j.db, j.sql(republishSQL),
		w.Visibility, w.Grace, w.Drained, w.Lapses, limit, w.Idle, w.Times)
}

// giveUpSQL fails rows the sweep has published often enough. It raises the attempt of a lost
// row, because that row wasn't claimed since it was published, and the notification's key is
// (row, kind, attempt).
var giveUpSQL = noFront + `, chosen AS (
	(SELECT id, 'lost' AS kind FROM (` + oldest(overdue+" AND "+lost("$3", "$4"), "$5") + `) AS l)
	UNION ALL (SELECT id, 'crashed' FROM (` + oldest(lapsed+" AND {lapses} + 1 >= $2", "$5") + `) AS c)
), locked AS (
	SELECT id FROM {table}
	WHERE id = ANY (ARRAY(SELECT id FROM chosen)) AND (` + overdue + ` OR ` + lapsed + `)
	ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), failed AS (
	UPDATE {table} AS job SET
		{status} = 'failed', {failed_at} = now(), {lease_until} = NULL, {due_at} = NULL,
		{lapses} = 0,
		{attempts} = {attempts} + CASE chosen.kind WHEN 'lost' THEN 1 ELSE 0 END,
		{error} = left(CASE chosen.kind
			WHEN 'lost' THEN 'lost: published ' || {republished} + 1
				|| ' times, the queue is empty, and no attempt began'
			ELSE 'crashed: ' || {lapses} + 1 || ' attempts in a row ended without a result' END
			|| coalesce('; before that: ' || CASE WHEN {error} !~ '^attempt \d+ ended without a result$' THEN {error} END, ''), 1000)
	FROM locked JOIN chosen USING (id)
	WHERE job.id = locked.id
	RETURNING job.id, tenant_id, chosen.kind, {attempts} AS attempts, {error} AS error
), noted AS (
	INSERT INTO notification (tenant_id, subject, {subject_id}, kind, attempt, created_at, payload)
	SELECT tenant_id, '{subject}', failed.id, kind, attempts, now(), jsonb_build_object(
		'{subject_id}', failed.id, 'tenant_id', tenant_id, 'tenant', tenant.name, 'kind', kind,
		'error', error, 'attempts', attempts)
	FROM failed JOIN tenant ON tenant.id = tenant_id
	RETURNING kind
)
SELECT count(*) FILTER (WHERE kind = 'lost'), count(*) FILTER (WHERE kind = 'crashed') FROM noted`

// GiveUp implements sweep.Store.
func (j *Jobs) GiveUp(ctx context.Context, w sweep.Waits, limit int) (lost, crashed int, err error) {
	columns := []any{&lost, &crashed}
	err = Scan(ctx, j.db, columns, j.sql(giveUpSQL), w.Visibility, w.Lapses, w.Idle, w.Times, limit)
	return lost, crashed, err
}
