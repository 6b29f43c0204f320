package reviews

import (
	"context"

	"matchbook/lambda/postgres"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const actionsSQL = `
SELECT id, seq, action, text, acted_by, origin, acted_at, form IS NULL FROM finding_action
WHERE job_id = $1 AND ($2 = 0 OR seq = $2) ORDER BY id`

// Actions reads what people did about a review's findings, oldest first.
func (r *Store) Actions(ctx context.Context, id uuid.UUID) ([]record.Action, error) {
	return listed(ctx, r, id, pgx.RowToStructByPos[record.Action], actionsSQL, id, 0)
}

const latestReviewSQL = `
SELECT ` + reviewColumns + ` FROM review_job AS j JOIN document AS d ON d.id = j.document_id AND d.tenant_id = j.tenant_id
WHERE d.id = $1 ORDER BY j.created_at DESC, j.id LIMIT 1`

// Latest reads the latest review of a document, or returns job.ErrNotFound.
func (r *Store) Latest(ctx context.Context, document uuid.UUID) (record.Job, error) {
	return postgres.First[record.Job](ctx, r.db.Steady(), latestReviewSQL, document)
}

// Statements of Act.
const (
	// The review is locked before its findings, as by every other writer.
	lockReviewSQL = `SELECT tenant_id FROM review_job WHERE id = $1 FOR NO KEY UPDATE`
	findingSQL    = `
SELECT seq, withdrawn OR duplicate_of IS NOT NULL FROM review_finding
WHERE job_id = $1 AND CASE WHEN $2 > 0 THEN number = $2 ELSE seq = $3 END`
	// A form may only be sent again as it was.
	formSQL = `
SELECT count(*) > 0, coalesce(bool_and(job_id = $2 AND seq = $3 AND action = $4 AND text = $5), true) FROM finding_action WHERE form = $1`
	newActionSQL = `
INSERT INTO finding_action (form, tenant_id, job_id, seq, action, text, acted_by, origin, clause)
SELECT $3, $4, job_id, seq, $5, $6, $7, $8, clause FROM review_finding WHERE job_id = $1 AND seq = $2
RETURNING id, seq, action, text, acted_by, origin, acted_at, false`
	countWaitingSQL = `
UPDATE review_job SET waiting = review_waiting(id) WHERE id = $1 AND ended_at IS NOT NULL`
)

// Act stores a person's action, and returns what has become of the finding. An action that would
// change nothing, or a form sent again, stores nothing. Act returns job.ErrNotFound for an unknown
// finding, record.ErrObsolete if it has nothing to decide, and record.ErrChanged if another person
// acted since it was shown. Check the request first.
func (r *Store) Act(ctx context.Context, review uuid.UUID, finding record.Ref, a record.Request) (record.Disposition, error) {
	return postgres.Within(ctx, r.db, func(tx pgx.Tx) (d record.Disposition, err error) {
		tenant, err := postgres.Value[uuid.UUID](ctx, tx, lockReviewSQL, review)
		if err != nil {
			return d, err
		}
		var seq int
		var obsolete, sent, same bool
		if err := postgres.Scan(ctx, tx, []any{&seq, &obsolete}, findingSQL, review, finding.Number, finding.Seq); err != nil {
			return d, err
		}
		if err := tx.QueryRow(ctx, formSQL, a.Form, review, seq, a.Kind, postgres.Storable(a.Text)).Scan(&sent, &same); err != nil {
			return d, err
		}
		actions, err := postgres.Rows[record.Action](ctx, tx, actionsSQL, review, seq)
		d = record.DispositionOf(actions)
		switch {
		case err != nil || sent && same || d.Holds(a.Action):
			return d, err
		case obsolete:
			return d, record.ErrObsolete
		case sent, a.Seen != nil && *a.Seen != d.Version && a.Kind != record.Comment:
			return d, record.ErrChanged
		}
		stored, err := postgres.Rows[record.Action](ctx, tx, newActionSQL, review, seq, a.Form, tenant, a.Kind, postgres.Storable(a.Text),
			postgres.Storable(a.By), a.Origin)
		if err == nil {
			_, err = tx.Exec(ctx, countWaitingSQL, review)
		}
		return record.DispositionOf(append(actions, stored...)), err
	})
}
