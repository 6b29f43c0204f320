package postgres

import (
	"context"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// FailedFilter selects failed rows. A zero field selects all.
type FailedFilter struct {
	Kind   string        // of the latest notification: transient, permanent, lost, crashed
	Since  time.Time     // failed at this time or later
	Within time.Duration // failed within this time before now
	Tenant uuid.UUID
	IDs    []uuid.UUID // only these; nil: all
}

// Failed is a list of failed rows, read at one moment.
type Failed struct {
	Rows []FailedRow // the earliest failure first
	jobs *Jobs
	at   time.Time
}

// FailedRow is a failed row with its latest notification.
type FailedRow struct {
	ID   uuid.UUID
	Kind string // empty without a notification
}

const failedSQL = `
SELECT d.id, coalesce(n.kind, ''), now()
FROM {table} AS d LEFT JOIN LATERAL (
	SELECT kind FROM notification WHERE subject = '{subject}' AND {subject_id} = d.id
	ORDER BY attempt DESC, created_at DESC LIMIT 1
) AS n ON true
WHERE d.{status} = 'failed' AND ($1 = '' OR n.kind = $1)
	AND ($2::timestamptz IS NULL OR d.{failed_at} >= $2)
	AND ($3::interval = interval '0' OR d.{failed_at} >= now() - $3::interval)
	AND ($4::uuid IS NULL OR d.tenant_id = $4) AND ($5::uuid[] IS NULL OR d.id = ANY ($5))
ORDER BY d.{failed_at}, d.id`

// Failed lists the failed rows of a filter.
func (j *Jobs) Failed(ctx context.Context, filter FailedFilter) (*Failed, error) {
	failed := &Failed{jobs: j}
	var d FailedRow
	read := Each([]any{&d.ID, &d.Kind, &failed.at}, func() { failed.Rows = append(failed.Rows, d) })
	err := Read(ctx, j.db.pool, read, j.sql(failedSQL), filter.Kind, OrNull(filter.Since), filter.Within,
		OrNull(filter.Tenant), filter.IDs)
	return failed, err
}

const stillFailedSQL = `
SELECT id FROM {table}
WHERE id = ANY ($1) AND {status} = 'failed' AND coalesce({failed_at} <= $2, true)
ORDER BY id FOR NO KEY UPDATE`

// Publish implements job.PublishStore. It leaves out rows changed since the list was read:
// failed again, or published by another program.
func (f *Failed) Publish(ctx context.Context, ids []uuid.UUID) ([]job.Stamped, error) {
	return Within(ctx, f.jobs.db, func(tx pgx.Tx) ([]job.Stamped, error) {
		still, err := IDs(ctx, tx, f.jobs.sql(stillFailedSQL), ids, f.at)
		if err != nil {
			return nil, err
		}
		return f.jobs.PublishIn(ctx, tx, still)
	})
}
