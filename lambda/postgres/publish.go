package postgres

import (
	"context"

	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
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
	return collect[job.Stamped](ctx, j.db, j.sql.publish, ids)
}

// collect runs an all-or-nothing statement and reads its rows by position.
func collect[T any](ctx context.Context, db *DB, sql string, args ...any) ([]T, error) {
	return collectBy(ctx, db, pgx.RowToStructByPos[T], sql, args...)
}

func collectBy[T any](ctx context.Context, db *DB, row pgx.RowToFunc[T], sql string, args ...any) (list []T, err error) {
	err = repeat(ctx, func() error {
		list, err = rowsBy(ctx, db.pool, row, sql, args...)
		return err
	})
	return list, err
}
