// Package reviews holds the SQL of reviews: their chunks, findings and playbooks, and what
// people do about findings. Triggers of migration 00015 join the chunks: whatever statement
// ends a chunk, they count it, publish the contract as a whole, and end the review. Every writer
// must lock chunks by id, before the review.
package reviews

import (
	"context"
	"errors"
	"slices"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Create stores a review with its text and chunks, and publishes the chunks, or with CardFirst
// the first. The caller must send their messages. An existing review changes nothing and returns no messages. A review
// without chunks fails, because its contract is empty. Create returns ErrOtherTenant if the
// document belongs to another tenant.
func (r *Store) Create(ctx context.Context, n record.New) ([]job.Stamped, error) {
	return postgres.Within(ctx, r.db, func(tx pgx.Tx) ([]job.Stamped, error) {
		return postgres.AddReview(ctx, tx, n)
	})
}

const (
	reviewSQL = `
SELECT ` + reviewColumns + ` FROM review_job AS j WHERE id = $1`
	chunksSQL = `
SELECT ` + chunkColumns + ` FROM review_chunk AS c WHERE job_id = $1 ORDER BY position`
	textSQL     = `SELECT text FROM review_text WHERE job_id = $1`
	findingsSQL = `
SELECT seq, chunk_id, analyst, category, severity, title, explanation, quote, coalesce(start_offset, 0), coalesce(end_offset, 0),
	fallback, coalesce(duplicate_of, 0), withdrawn, second_quote, coalesce(second_start, 0), coalesce(second_end, 0),
	coalesce(number, 0), coalesce(clause, '')
FROM review_finding WHERE job_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`
	marksSQL = `
SELECT marks FROM review_checkpoint JOIN review_chunk AS c ON c.id = chunk_id
WHERE c.job_id = $1 AND outcome = 'done' AND marks IS NOT NULL ORDER BY c.position`
	cardOfSQL = `
SELECT k.card, t.playbook FROM review_text AS t LEFT JOIN review_checkpoint AS k ON k.job_id = t.job_id AND k.stage = 'card' AND
	k.card IS NOT NULL WHERE t.job_id = $1 LIMIT 1`
	questionsSQL = `
SELECT k.chunk_id, k.stage, coalesce(k.outcome, ''), coalesce(k.reason, ''), k.calls, (k.cost_usd * 1000000)::bigint, k.dropped
FROM review_checkpoint AS k JOIN review_chunk AS c ON c.id = k.chunk_id
WHERE k.job_id = $1 ORDER BY c.position, k.started_at, k.stage`
)

// Job reads a review. It returns job.ErrNotFound for an unknown id.
func (r *Store) Job(ctx context.Context, id uuid.UUID) (record.Job, error) {
	return postgres.First[record.Job](ctx, r.db.Steady(), reviewSQL, id)
}

// Chunks reads a review's chunks by position, the contract as a whole last.
func (r *Store) Chunks(ctx context.Context, id uuid.UUID) ([]record.Chunk, error) {
	return listed(ctx, r, id, pgx.RowToStructByPos[record.Chunk], chunksSQL, id)
}

// Findings reads at most limit findings with a Seq greater than after.
func (r *Store) Findings(ctx context.Context, id uuid.UUID, after, limit int) ([]record.Finding, error) {
	return listed(ctx, r, id, pgx.RowToStructByPos[record.Finding], findingsSQL, id, after, limit)
}

// Marks reads the marks of all chunks in the order of the contract.
func (r *Store) Marks(ctx context.Context, id uuid.UUID) ([]record.Mark, error) {
	lists, err := listed(ctx, r, id, pgx.RowTo[[]record.Mark], marksSQL, id)
	marks := slices.Concat(lists...)
	slices.SortStableFunc(marks, func(a, b record.Mark) int { return a.Start - b.Start })
	return marks, err
}

// Card reads a contract's card, nil if none is recorded, and the playbook.
func (r *Store) Card(ctx context.Context, id uuid.UUID) (*record.Card, []byte, error) {
	row, err := postgres.First[cardRow](ctx, r.db.Steady(), cardOfSQL, id)
	return row.Card, row.Other, err
}

// Questions reads what was asked about a review's chunks, in the order of the contract.
func (r *Store) Questions(ctx context.Context, id uuid.UUID) ([]record.Question, error) {
	return listed(ctx, r, id, pgx.RowToStructByPos[record.Question], questionsSQL, id)
}

// listed reads rows of a review. It returns job.ErrNotFound for an unknown id.
func listed[T any](ctx context.Context, r *Store, id uuid.UUID, row pgx.RowToFunc[T], sql string, args ...any) (list []T, err error) {
	list, err = postgres.RowsBy(ctx, r.db.Steady(), row, sql, args...)
	if err == nil && len(list) == 0 {
		_, err = r.Job(ctx, id)
	}
	return list, err
}

// Text reads the contract.
func (r *Store) Text(ctx context.Context, id uuid.UUID) (string, error) {
	text, err := postgres.Value[[]byte](ctx, r.db.Steady(), textSQL, id)
	return string(text), err
}

const standingSQL = `
SELECT j.status, coalesce((SELECT greatest(until - now(), interval '0') FROM model_pause WHERE model = $2), interval '0'),
	` + leftColumns + `
FROM review_job AS j WHERE id = $1`

// Standing reads what may stop a review that uses this model.
func (r *Store) Standing(ctx context.Context, id uuid.UUID, model string) (record.Standing, error) {
	return postgres.First[record.Standing](ctx, r.db.Steady(), standingSQL, id, model)
}

// longestPause bounds a provider's request for a pause.
const longestPause = time.Hour

const pauseSQL = `
INSERT INTO model_pause (model, until) VALUES ($1, now() + $2::interval)
ON CONFLICT (model) DO UPDATE SET until = greatest(model_pause.until, excluded.until)`

// Pause keeps all workers from calling the model for d from now.
func (r *Store) Pause(ctx context.Context, model string, d time.Duration) error {
	return r.db.Steady().Exec(ctx, pauseSQL, postgres.Storable(model), min(d, longestPause))
}

// Statements of Cancel and Retry. lockChunksSQL locks the chunks, so that none becomes pending
// in between.
const (
	lockChunksSQL    = `SELECT FROM review_chunk WHERE job_id = $1 ORDER BY id FOR NO KEY UPDATE`
	cancelSQL        = `UPDATE review_job SET status = 'cancelling' WHERE id = $1 AND status IN ('queued', 'running')`
	cancelWaitingSQL = `
UPDATE review_chunk SET status = 'cancelled', error = 'the review was cancelled', due_at = NULL, lapses = 0
WHERE job_id = $1 AND (status = 'pending' OR status IS NULL AND kind = 'text')
	AND EXISTS (SELECT FROM review_job WHERE id = $1 AND status = 'cancelling')`
	statusSQL = `SELECT status FROM review_job WHERE id = $1`
)

// Cancel cancels a review: waiting chunks at once, others when their workers notice. It
// returns the status after that. A review already over keeps its status.
func (r *Store) Cancel(ctx context.Context, id uuid.UUID) (record.Status, error) {
	var status []struct{ Status record.Status }
	err := r.db.Steady().Batch(ctx, func(b *pgx.Batch) {
		b.Queue(lockChunksSQL, id)
		b.Queue(cancelSQL, id)
		b.Queue(cancelWaitingSQL, id)
		b.Queue(statusSQL, id).Query(postgres.All(&status))
	})
	switch {
	case err != nil:
		return "", err
	case len(status) == 0:
		return "", job.ErrNotFound
	}
	return status[0].Status, nil
}

// Statements of Retry.
const (
	// Missing are chunks of the text, or only the contract as a whole.
	missingSQL = `
SELECT j.status, count(*) FILTER (WHERE c.kind = 'text' AND c.status IN ('failed', 'cancelled')), count(c.id)
FROM review_job AS j LEFT JOIN review_chunk AS c ON c.job_id = j.id WHERE j.id = $1 GROUP BY j.id`
	runAgainSQL = `
UPDATE review_job SET status = 'running', ended_at = NULL, error = NULL WHERE id = $1 AND ended_at IS NOT NULL`
	// A chunk cancelled while it waited for the card waits again, if the first chunk is retried.
	retryChunksSQL = `
WITH retried AS (
	UPDATE review_chunk AS c SET status = CASE WHEN waits THEN NULL ELSE 'pending' END, ready = NOT waits,
		due_at = CASE WHEN waits THEN NULL ELSE now() END, published_at = greatest(now(), c.published_at + interval '1 microsecond'),
		error = NULL, failed_at = NULL, lease_until = NULL, republished = 0, lapses = 0
	FROM (SELECT o.id, NOT o.ready AND o.kind = 'text' AND first.status IN ('failed', 'cancelled') AS waits
		FROM review_chunk AS o JOIN review_chunk AS first ON first.job_id = o.job_id AND first.position = 0
		WHERE o.job_id = $1 AND o.kind = $2 AND ($2 = 'whole' OR o.status IN ('failed', 'cancelled'))) AS of
	WHERE c.id = of.id
	RETURNING c.id, c.published_at, c.tenant_id, c.ready
)
SELECT id, published_at, tenant_id FROM retried WHERE ready`
)

// Retry publishes a review's failed and cancelled chunks again, so the review runs again. The
// caller must send their messages. If all chunks of the text have succeeded, it publishes the
// contract as a whole. A completed review doesn't change. Retry returns record.ErrStopping
// while the review is still stopping.
func (r *Store) Retry(ctx context.Context, id uuid.UUID) ([]job.Stamped, error) {
	return postgres.Within(ctx, r.db, func(tx pgx.Tx) ([]job.Stamped, error) {
		if _, err := tx.Exec(ctx, lockChunksSQL, id); err != nil {
			return nil, err
		}
		var status record.Status
		var missing, chunks int
		switch err := tx.QueryRow(ctx, missingSQL, id).Scan(&status, &missing, &chunks); {
		case errors.Is(err, pgx.ErrNoRows):
			return nil, job.ErrNotFound
		case err != nil:
			return nil, err
		case status == record.Cancelling:
			return nil, record.ErrStopping
		case chunks == 0, missing == 0 && (!status.Over() || status == record.Completed):
			return nil, nil
		}
		if _, err := tx.Exec(ctx, runAgainSQL, id); err != nil {
			return nil, err
		}
		kind := record.Text
		if missing == 0 {
			kind = record.Whole
		}
		return postgres.Rows[job.Stamped](ctx, tx, retryChunksSQL, id, kind)
	})
}

const playbookSQL = `SELECT (SELECT playbook::text FROM review_playbook WHERE tenant_id = $1)`

// Playbook reads a tenant's playbook, or nil. You must check it with package playbook, because
// any program may have stored it.
func (r *Store) Playbook(ctx context.Context, tenantID uuid.UUID) ([]byte, error) {
	return postgres.Value[[]byte](ctx, r.db.Steady(), playbookSQL, tenantID)
}

const putPlaybookSQL = `
INSERT INTO review_playbook (tenant_id, playbook) VALUES ($1, $2::text::jsonb)
ON CONFLICT (tenant_id) DO UPDATE SET playbook = excluded.playbook, updated_at = now()`

// PutPlaybook stores a tenant's playbook for reviews that begin from now on. Check it with
// package playbook first.
func (r *Store) PutPlaybook(ctx context.Context, tenantID uuid.UUID, playbook []byte) error {
	return r.db.Steady().Exec(ctx, putPlaybookSQL, tenantID, string(playbook))
}
