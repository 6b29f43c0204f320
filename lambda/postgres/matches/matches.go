// Package matches holds the SQL of matching, and of what people do about its results: decisions,
// notes, tolerances, and settled warnings and invoices. See Store.Write for all statements of a
// match, and candidate.go for the search before it.
package matches

import (
	"context"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Store is the store of the match function. It implements match.Store. Share one in a process:
// a tenant's writers queue in it, while writers of two stores get the tenant's lock by chance.
type Store struct {
	db    *postgres.DB
	turns turns
}

// New returns the store of matches in a database.
func New(db *postgres.DB) *Store {
	return &Store{db, turns{lines: map[uuid.UUID][]chan struct{}{}, refused: map[uuid.UUID]time.Time{}}}
}

// dataColumn reads structured data as text, or empty without any, or if it's too large for memory.
const dataColumn = `CASE WHEN octet_length(structured_data::text) <= 1048576 THEN structured_data::text ELSE '' END`

// vectorColumn reads the embedding as text, or empty.
const vectorColumn = `coalesce(encode(embedding, 'hex'), '')`

const loadSQL = `
SELECT id, tenant_id, type::text, ` + dataColumn + `, received_at, ` + vectorColumn + `, ` + knownColumn + `, attempt
FROM unnest($1::uuid[], $2::integer[]) AS f (fenced, attempt)
CROSS JOIN LATERAL (SELECT * FROM document WHERE id = fenced OFFSET 0) AS d
WHERE matching_attempts = attempt AND matching_status = 'in-progress'`

// Load implements match.Store.
func (m *Store) Load(ctx context.Context, fences []job.Attempt) (found map[job.Attempt]score.Raw, err error) {
	var ids []uuid.UUID
	var attempts []int
	for _, f := range fences {
		ids, attempts = append(ids, f.ID), append(attempts, f.Number)
	}
	err = m.db.Steady().Batch(ctx, func(batch *pgx.Batch) {
		found = map[job.Attempt]score.Raw{}
		batch.Queue(planOnceSQL)
		var raw score.Raw
		var attempt int
		columns := []any{&raw.ID, &raw.TenantID, &raw.Type, &raw.Data, &raw.Received, &raw.Vector, &raw.Known, &attempt}
		batch.Queue(loadSQL, ids, attempts).Query(postgres.Each(columns, func() { found[job.Attempt{ID: raw.ID, Number: attempt}] = raw }))
	})
	return found, err
}

// eachRaw reads documents one at a time, because all of them may not fit into memory.
func eachRaw(take func(score.Raw)) func(pgx.Rows) error {
	var d score.Raw
	return postgres.Each([]any{&d.ID, &d.TenantID, &d.Type, &d.Data, &d.Received, &d.Vector, &d.Known}, func() { take(d) })
}

const rawsSQL = `
SELECT id, tenant_id, coalesce(type::text, ''), ` + dataColumn + `, received_at, ` + vectorColumn + `, ` + knownColumn + `
FROM document WHERE id = ANY ($1) ORDER BY id`

// Raws reads documents as matching does, in id order. It leaves out unknown ids.
func (m *Store) Raws(ctx context.Context, ids []uuid.UUID) ([]score.Raw, error) {
	return postgres.Rows[score.Raw](ctx, m.db, rawsSQL, ids)
}
