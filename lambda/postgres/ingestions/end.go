package ingestions

import (
	"context"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

const ingestionEndsSQL = `
SELECT id, CASE job_status WHEN 'failed' THEN coalesce(error, 'failed') ELSE '' END FROM ingestion
WHERE id = ANY ($1) AND job_status IN ('succeeded', 'failed') ORDER BY id`

// End is an ended ingestion. Error is empty if it succeeded.
type End struct {
	ID    uuid.UUID
	Error string
}

// Ends returns the ended ones of these ingestions, in the order of their ids.
func (s *Store) Ends(ctx context.Context, ids []uuid.UUID) ([]End, error) {
	return postgres.Rows[End](ctx, s.db, ingestionEndsSQL, ids)
}
