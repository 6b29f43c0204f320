package report

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Workload counts a workload's rows without a result.
type Workload struct {
	Pending    int           `json:"pending"`
	InProgress int           `json:"in_progress"`
	Parked     int           `json:"parked"`  // of Pending: for a service that is away
	Overdue    int           `json:"overdue"` // of Pending: no message came in time
	Lapsed     int           `json:"lapsed"`  // of InProgress: beyond their lease
	Failed     int           `json:"failed"`
	Oldest     time.Duration `json:"-"` // since the longest waiting row was due; parked rows wait for their service
}

const workloadSQL = `
SELECT count(*) FILTER (WHERE {status} = 'pending'), count(*) FILTER (WHERE {status} = 'in-progress'),
	count(*) FILTER (WHERE {is_parked}), count(*) FILTER (WHERE {overdue}),
	count(*) FILTER (WHERE {status} = 'in-progress' AND {waits_since} < now()),
	(SELECT count(*) FROM {table} WHERE {status} = 'failed' AND ($2::uuid IS NULL OR tenant_id = $2)),
	coalesce(greatest(interval '0', now() - min({waits_since}) FILTER (WHERE NOT ({is_parked}))), interval '0')
FROM {table} WHERE {status} IN ('pending', 'in-progress') AND ($2::uuid IS NULL OR tenant_id = $2)`

// Workload counts the rows of a function, of one tenant or (uuid.Nil) of all.
func (r Reader) Workload(ctx context.Context, f manifest.Function, tenant uuid.UUID) (w Workload, err error) {
	found, err := postgres.Rows[Workload](ctx, r.db, postgres.Tables[f.Name].SQL(workloadSQL), f.Visibility(), orNull(tenant))
	if err != nil {
		return w, err
	}
	return found[0], nil
}

func orNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// Trouble is a row that failed or waits too long.
type Trouble struct {
	ID, TenantID uuid.UUID
	Status       string
	Kind         string // of its latest failure; empty: none
	Error        string
	Attempts     int
	Times
}

// The troubles of rows: failed ones, and ones beyond the times at which they should go on.
const (
	FailedRows = `d.{status} = 'failed' AND $1::interval IS NOT NULL`
	StuckRows  = `d.{status} IN ('pending', 'in-progress') AND ({overdue} OR {waits_since} < now() - interval '1 hour' AND NOT ({is_parked})
		OR {status} = 'in-progress' AND {waits_since} < now())`
)

const troubleSQL = `
SELECT d.id, d.tenant_id, d.{status}, coalesce((SELECT kind FROM notification
		WHERE subject = '{subject}' AND {subject_id} = d.id ORDER BY attempt DESC, created_at DESC LIMIT 1), ''),
	coalesce(d.{error}, ''), d.{attempts}, now(), d.{published_at}, d.{due_at}, d.{lease_until}, d.{failed_at}, coalesce(d.{parked_for}, '')
FROM {table} AS d WHERE %s AND ($2::uuid IS NULL OR d.tenant_id = $2)
ORDER BY coalesce(d.{failed_at}, {waits_since}) DESC, d.id LIMIT $3`

// Troubles reads up to limit rows of a function, the latest first. which is FailedRows or StuckRows.
func (r Reader) Troubles(ctx context.Context, f manifest.Function, which string, tenant uuid.UUID, limit int) ([]Trouble, error) {
	sql := postgres.Tables[f.Name].SQL(fmt.Sprintf(troubleSQL, which))
	return postgres.Rows[Trouble](ctx, r.db, sql, f.Visibility(), orNull(tenant), limit)
}
