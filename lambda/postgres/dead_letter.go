package postgres

import (
	"context"

	"github.com/google/uuid"
)

// DeadLetterAction records the act of a person on messages of a dead-letter queue. MessageIDs, RowIDs and
// TenantIDs have an entry for each message; a zero id is stored as unknown.
type DeadLetterAction struct {
	Function string // fed by the queue
	Kind     string // redrive or drop
	By       string
	Reason   string

	MessageIDs        []string
	RowIDs, TenantIDs []uuid.UUID
}

const deadLetterActionSQL = `
INSERT INTO dead_letter_action (function, kind, acted_by, reason, message_id, row_id, tenant_id)
SELECT $1, $2, $3, $4, m, nullif(r, '00000000-0000-0000-0000-000000000000'), nullif(t, '00000000-0000-0000-0000-000000000000')
FROM unnest($5::text[], $6::uuid[], $7::uuid[]) AS letter (m, r, t)`

// RecordDeadLetters stores what a person did, a row for each message.
func (db *DB) RecordDeadLetters(ctx context.Context, a DeadLetterAction) error {
	return db.Steady().Exec(ctx, deadLetterActionSQL, a.Function, a.Kind, a.By, Storable(a.Reason), a.MessageIDs, a.RowIDs, a.TenantIDs)
}

// failedAgainSQL: publishing clears the error, which a retry keeps and success clears again. A
// parked row has one, too, but hasn't failed.
const failedAgainSQL = `
SELECT count(*) FROM {table} WHERE id = ANY ($1) AND ({status} = 'failed' OR {error} IS NOT NULL AND NOT (` + parked + `))`

// FailedAgain counts the rows with a failed attempt since they were published.
func (j *Jobs) FailedAgain(ctx context.Context, ids []uuid.UUID) (int, error) {
	return Value[int](ctx, j.db, j.sql(failedAgainSQL), ids)
}
