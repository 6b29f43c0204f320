package postgres

import (
	"context"

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
	matching_lease_until = NULL, matching_error = NULL, matching_failed_at = NULL, matching_republished = 0, matching_lapses = 0
FROM chosen
WHERE document.id = chosen.id
RETURNING document.id, matching_published_at, tenant_id`

// Publish implements job.PublishStore.
func (db *DB) Publish(ctx context.Context, ids []uuid.UUID) ([]job.Stamped, error) {
	return collect[job.Stamped](ctx, db, publishSQL, ids)
}

// collect runs a statement that is all or nothing, and reads its rows by position.
func collect[T any](ctx context.Context, db *DB, sql string, args ...any) (list []T, err error) {
	err = repeat(ctx, func() error {
		rows, _ := db.pool.Query(ctx, sql, args...)
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		return err
	})
	return list, err
}
