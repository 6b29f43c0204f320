package postgres

import (
	"context"

	"matchbook/lambda/job"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// dataColumn reads structured data as text, or empty if it's too large for memory.
const dataColumn = `CASE WHEN octet_length(structured_data::text) <= 1048576 THEN structured_data::text ELSE '' END`

// vectorColumn reads the embedding as text, or empty.
const vectorColumn = `coalesce(encode(embedding, 'hex'), '')`

const loadSQL = `
SELECT id, tenant_id, type::text, ` + dataColumn + `, received_at, ` + vectorColumn + `, ` + knownColumn + `, attempt
FROM unnest($1::uuid[], $2::integer[]) AS f (fenced, attempt)
CROSS JOIN LATERAL (SELECT * FROM document WHERE id = fenced OFFSET 0) AS d
WHERE matching_attempts = attempt AND matching_status = 'in-progress'`

// Load implements match.Store.
func (db *DB) Load(ctx context.Context, fences []job.Attempt) (found map[job.Attempt]score.Raw, err error) {
	ids, attempts := split(fences)
	err = steadily(ctx, func() error {
		found = map[job.Attempt]score.Raw{}
		batch := &pgx.Batch{}
		batch.Queue(planOnceSQL)
		batch.Queue(loadSQL, ids, attempts).Query(func(rows pgx.Rows) error {
			var raw score.Raw
			var attempt int
			columns := []any{&raw.ID, &raw.TenantID, &raw.Type, &raw.Data, &raw.Received, &raw.Vector, &raw.Known, &attempt}
			_, err := pgx.ForEachRow(rows, columns, func() error {
				found[job.Attempt{ID: raw.ID, Number: attempt}] = raw
				return nil
			})
			return err
		})
		return db.pool.SendBatch(ctx, batch).Close()
	})
	return found, err
}

const rawsSQL = `
SELECT id, tenant_id, coalesce(type::text, ''), coalesce(` + dataColumn + `, ''), received_at, ` + vectorColumn + `,
	` + knownColumn + `
FROM document WHERE id = ANY ($1) ORDER BY id`

// Raws reads documents as matching does, in id order. It leaves out unknown ids.
func (db *DB) Raws(ctx context.Context, ids []uuid.UUID) ([]score.Raw, error) {
	return Rows[score.Raw](ctx, db.pool, rawsSQL, ids)
}
