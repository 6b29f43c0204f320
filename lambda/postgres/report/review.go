package report

import (
	"context"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Chunk is the state of a chunk and of its review.
type Chunk struct {
	ID       uuid.UUID
	Review   uuid.UUID
	Of       string // the review's
	Position int    // from 1
	Whole    bool   // the contract as a whole
	Status   string // empty: not published yet
	Stage    string // where it stopped, without a result
	Error    string
	Attempts int
	Lapses   int        // claims in a row that ended without a result
	Paused   *time.Time // until then the model's provider accepts no calls; nil: it does
	Times
}

const chunksSQL = `
SELECT c.id, c.job_id, j.status, c.position + 1, c.kind = 'whole', coalesce(c.status, ''), c.stage, coalesce(c.error, ''),
	c.attempts, c.lapses, (SELECT max(until) FROM model_pause AS p WHERE j.model <> '' AND starts_with(p.model, j.model) AND until > now()),
	now(), c.published_at, c.due_at, c.lease_until, c.failed_at, coalesce(c.parked_for, '')
FROM review_chunk AS c JOIN review_job AS j ON j.id = c.job_id
WHERE c.id = $1 OR c.job_id = $1 AND c.status IS DISTINCT FROM 'succeeded'
ORDER BY c.position LIMIT $2`

// Chunks reads a chunk by its id, or by a review's id up to most chunks without a result.
func (r Reader) Chunks(ctx context.Context, id uuid.UUID, most int) ([]Chunk, error) {
	return postgres.Rows[Chunk](ctx, r.db, chunksSQL, id, most)
}

// Review is the state of a review.
type Review struct {
	ID, TenantID, DocumentID uuid.UUID
	Name, Status, Error      string
	Calls                    int
	USD                      float64
	Budget                   *float64
}

const reviewSQL = `
SELECT id, tenant_id, document_id, name, status, coalesce(error, ''), calls, cost_usd::float8, budget_usd::float8 FROM review_job
WHERE id = $1 OR id = (SELECT job_id FROM review_chunk WHERE id = $1)`

// Review reads a review by its id or a part's; nil if unknown.
func (r Reader) Review(ctx context.Context, id uuid.UUID) (*Review, error) {
	return postgres.Find[Review](ctx, r.db, reviewSQL, id)
}
