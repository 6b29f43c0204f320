package postgres

import (
	"bytes"
	"context"
	"slices"

	"matchbook/lambda/job"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Statements of AddReview.
const (
	// A known document keeps its rows. AddReview compares its tenant.
	contractSQL = `
INSERT INTO document (id, tenant_id, type, matching_due_at) VALUES ($1, $2, 'contract', NULL) ON CONFLICT (id) DO NOTHING`
	ownerSQL     = `SELECT tenant_id FROM document WHERE id = $1`
	newReviewSQL = `
INSERT INTO review_job (id, tenant_id, document_id, name, chunks, chunks_open, budget_usd, estimate_usd, model, playbook,
	status, ended_at, error)
VALUES ($1, $2, $3, $4, $5, $5, nullif($6::bigint, 0) / 1000000.0, $7::bigint / 1000000.0, $8, $9,
	CASE WHEN $5 = 0 THEN 'failed' ELSE 'queued' END, CASE WHEN $5 = 0 THEN now() END,
	CASE WHEN $5 = 0 THEN 'missing contract text' END)
ON CONFLICT (id) DO NOTHING`
	newTextSQL   = `INSERT INTO review_text (job_id, text, playbook) VALUES ($1, $2, $3)`
	newChunksSQL = `
WITH added AS (
	INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, heading, ready, status, published_at, due_at)
	SELECT c.id, $1, $2, c.position, c.start, c.stop, c.heading, now.ready, CASE WHEN now.ready THEN 'pending' END,
		CASE WHEN now.ready THEN now() END, CASE WHEN now.ready THEN now() END
	FROM unnest($3::uuid[], $4::integer[], $5::integer[], $6::integer[], $7::text[]) AS c (id, position, start, stop, heading)
		CROSS JOIN LATERAL (SELECT c.position = 0 OR NOT $8 AS ready) AS now
	RETURNING id, published_at, tenant_id, ready
)
SELECT id, published_at, tenant_id FROM added WHERE ready`
	newWholeSQL = `
INSERT INTO review_chunk (id, tenant_id, job_id, position, kind, start_offset, end_offset, ready, due_at)
VALUES ($1, $2, $3, $4, 'whole', 0, $5, false, NULL)`
)

// AddReview is Create of package reviews in a transaction of the caller, because ingesting a
// contract starts its review in the same transaction.
func AddReview(ctx context.Context, tx pgx.Tx, n record.New) ([]job.Stamped, error) {
	if err := addContract(ctx, tx, n); err != nil {
		return nil, err
	}
	tag, err := tx.Exec(ctx, newReviewSQL, n.ID, n.TenantID, n.DocumentID, Storable(n.Name), len(n.Chunks),
		int64(n.Budget), int64(n.Estimate), Storable(n.Model), Storable(n.PlaybookVersion))
	if err != nil || tag.RowsAffected() == 0 {
		return nil, err
	}
	if _, err := tx.Exec(ctx, newTextSQL, n.ID, []byte(n.Text), n.Playbook); err != nil || len(n.Chunks) == 0 {
		return nil, err
	}
	return addChunks(ctx, tx, n)
}

func addContract(ctx context.Context, tx pgx.Tx, n record.New) error {
	if _, err := tx.Exec(ctx, AddTenantsSQL, []uuid.UUID{n.TenantID}); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, contractSQL, n.DocumentID, n.TenantID); err != nil {
		return err
	}
	owner, err := Value[uuid.UUID](ctx, tx, ownerSQL, n.DocumentID)
	if err == nil && owner != n.TenantID {
		err = ErrOtherTenant
	}
	return err
}

// addChunks gives the contract as a whole the greatest id, so that locking it after the text's
// chunks is locking in id order.
func addChunks(ctx context.Context, tx pgx.Tx, n record.New) (stamped []job.Stamped, err error) {
	ids := make([]uuid.UUID, len(n.Chunks)+1)
	for i := range ids {
		ids[i] = uuid.New()
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	positions, starts, stops := make([]int, len(n.Chunks)), make([]int, len(n.Chunks)), make([]int, len(n.Chunks))
	headings := make([]string, len(n.Chunks))
	for i, c := range n.Chunks {
		positions[i], starts[i], stops[i], headings[i] = c.Position, c.Start, c.End, Storable(c.Heading)
	}
	last := len(n.Chunks)
	stamped, err = Rows[job.Stamped](ctx, tx, newChunksSQL, n.TenantID, n.ID, ids[:last], positions, starts, stops, headings,
		n.CardFirst)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, newWholeSQL, ids[last], n.TenantID, n.ID, last, len(n.Text))
	return stamped, err
}
