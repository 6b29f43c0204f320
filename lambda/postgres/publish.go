package postgres

import (
	"context"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// publishSQL takes the rows away from their attempts. The stamp must increase even if the
// clock goes back, so that an earlier publish's message compares as older.
const publishSQL = `
WITH chosen AS (
	SELECT id FROM {table} WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
)
UPDATE {table} SET
	{status} = 'pending',
	{published_at} = greatest(now(), {published_at} + interval '1 microsecond'),
	{due_at} = now(),
	{lease_until} = NULL, {error} = NULL, {failed_at} = NULL, {republished} = 0, {lapses} = 0
FROM chosen
WHERE {table}.id = chosen.id
RETURNING {table}.id, {published_at}, tenant_id`

// Publish implements job.PublishStore.
func (j *Jobs) Publish(ctx context.Context, ids []uuid.UUID) ([]job.Stamped, error) {
	return j.PublishIn(ctx, j.db, ids)
}

// PublishIn is Publish in a transaction of the caller, who must send the messages after its commit.
func (j *Jobs) PublishIn(ctx context.Context, tx Querier, ids []uuid.UUID) ([]job.Stamped, error) {
	return Rows[job.Stamped](ctx, tx, j.sql(publishSQL), ids)
}

// resumeSQL stamps due rows published before $1, the longest waiting first. It doesn't count as
// a repair, since no message was lost while a queue existed.
var resumeSQL = noFront + `, chosen AS (
	` + oldest("{status} = 'pending' AND "+waitsSince+" <= now() AND {published_at} < $1", "$2") + `
), locked AS (
	SELECT id FROM {table}
	WHERE id = ANY (ARRAY(SELECT id FROM chosen)) AND {status} = 'pending' AND {published_at} < $1
	ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS job SET
	{published_at} = greatest(now(), {published_at} + interval '1 microsecond'), {due_at} = now(), {republished} = 0
FROM locked WHERE job.id = locked.id
RETURNING job.id, {published_at}, tenant_id`

// Resume publishes due rows again that were published before the queue existed, at most limit
// of them. Use it with a queue in memory, which starts empty. A message of another queue is
// superseded.
func (j *Jobs) Resume(ctx context.Context, queueSince time.Time, limit int) ([]job.Stamped, error) {
	return Rows[job.Stamped](ctx, j.db, j.sql(resumeSQL), queueSince, limit)
}
