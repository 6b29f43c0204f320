package postgres

import (
	"context"

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
