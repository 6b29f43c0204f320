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
	Inserted   int           `json:"inserted"` // by another program, and not published yet
	Pending    int           `json:"pending"`
	InProgress int           `json:"in_progress"`
	Parked     int           `json:"parked"`  // of Pending: for a service that is away
	Overdue    int           `json:"overdue"` // of Pending: no message came in time
	Lapsed     int           `json:"lapsed"`  // of InProgress: beyond their lease
	Failed     int           `json:"failed"`
	Oldest     time.Duration `json:"-"` // since the longest waiting row was due; parked rows wait for their service
}

const workloadSQL = `
WITH inserted AS (
	SELECT count(*) AS n, min({waits_since}) AS since FROM {table} WHERE {is_inserted} AND ($2::uuid IS NULL OR tenant_id = $2)
)
SELECT (SELECT n FROM inserted), count(*) FILTER (WHERE {status} = 'pending'), count(*) FILTER (WHERE {status} = 'in-progress'),
	count(*) FILTER (WHERE {is_parked}), count(*) FILTER (WHERE {overdue}),
	count(*) FILTER (WHERE {status} = 'in-progress' AND {waits_since} < now()),
	(SELECT count(*) FROM {table} WHERE {status} = 'failed' AND ($2::uuid IS NULL OR tenant_id = $2)),
	coalesce(greatest(interval '0', now() - least(min({waits_since}) FILTER (WHERE NOT ({is_parked})),
		(SELECT since FROM inserted))), interval '0')
FROM {table} WHERE {status} IN ('pending', 'in-progress') AND ($2::uuid IS NULL OR tenant_id = $2)`

// Workload counts the rows of a function, of one tenant or (uuid.Nil) of all.
func (r Reader) Workload(ctx context.Context, f manifest.Function, tenant uuid.UUID) (Workload, error) {
	return postgres.First[Workload](ctx, r.db, postgres.Tables[f.Name].SQL(workloadSQL), f.Visibility(), postgres.OrNull(tenant))
}

// LastAttempt is the last sign of work on any row.
type LastAttempt struct {
	At  time.Time     `json:"at"`
	Ago time.Duration `json:"-"`
}

const lastAttemptSQL = `
SELECT greatest(claimed_at, ended_at), now() - greatest(claimed_at, ended_at) FROM attempt ORDER BY claimed_at DESC LIMIT 1`

// LastAttempt reads when work on a row last began or ended; nil if it never did.
func (r Reader) LastAttempt(ctx context.Context) (*LastAttempt, error) {
	return postgres.Find[LastAttempt](ctx, r.db, lastAttemptSQL)
}

// spillSQL sorts more than fits in a session's memory, so that the server writes a temporary file.
const spillSQL = `SELECT count(*) FROM (SELECT md5(g::text) FROM generate_series(1, 200000) AS g ORDER BY 1 OFFSET 0) AS sorted`

// Spill returns an error if the server can't write files, such as on a full disk. Then no row can
// keep an error, so this is the only place to see it.
func (r Reader) Spill(ctx context.Context) error {
	_, err := postgres.Value[int](ctx, r.db, spillSQL)
	return err
}

// Errors counts the rows of a function with the same error: failed ones, or ones that are tried again.
type Errors struct {
	Failed  bool
	Error   string
	Rows    int
	Example uuid.UUID
}

// errorsSQL leaves out rows parked for a service, because their outage is told elsewhere.
const errorsSQL = `
SELECT {status} = 'failed', {error}, count(*)::int, min(id::text)::uuid FROM {table}
WHERE {status} IN ('pending', 'in-progress', 'failed') AND {error} <> '' AND NOT ({is_parked}) AND ($1::uuid IS NULL OR tenant_id = $1)
GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT $2`

// Errors reads the most frequent errors of a function, up to limit.
func (r Reader) Errors(ctx context.Context, f manifest.Function, tenant uuid.UUID, limit int) ([]Errors, error) {
	return postgres.Rows[Errors](ctx, r.db, postgres.Tables[f.Name].SQL(errorsSQL), postgres.OrNull(tenant), limit)
}

// Sets counts the sets of match offers that the receiver hasn't accepted yet.
type Sets struct {
	Waiting int           `json:"waiting"`
	Oldest  time.Duration `json:"-"`
	Job     *uuid.UUID    `json:"job,omitempty"`   // of the oldest one
	Error   string        `json:"error,omitempty"` // its last answer
}

const setsSQL = `
WITH waiting AS (
	SELECT job_id, created_at, error FROM offer_delivery WHERE delivered_at IS NULL
		AND ($1::uuid IS NULL OR EXISTS (SELECT FROM matchmaking_job AS j WHERE j.id = job_id AND j.tenant_id = $1))
)
SELECT (SELECT count(*)::int FROM waiting), coalesce(greatest(now() - max(created_at), interval '0'), interval '0'),
	(array_agg(job_id))[1], coalesce(max(error), '')
FROM (SELECT * FROM waiting ORDER BY created_at, job_id LIMIT 1) AS oldest`

// Sets reads the waiting sets of one tenant or (uuid.Nil) of all.
func (r Reader) Sets(ctx context.Context, tenant uuid.UUID) (Sets, error) {
	return postgres.First[Sets](ctx, r.db, setsSQL, postgres.OrNull(tenant))
}

// Holder is a transaction that keeps locks on tables of workloads. Claims and the sweep pass over a
// locked row, so that nothing can be written about it, and it just waits.
type Holder struct {
	Process       int
	Program, Role string
	Age           time.Duration
	Tables        string
}

// holdersSQL reads the real clock, as pg_stat_activity does. It leaves out readers, and CREATE INDEX
// CONCURRENTLY, which let rows be written, and who waits for a lock, since the cause is another.
const holdersSQL = `
SELECT a.pid, a.application_name, a.usename::text, pg_catalog.clock_timestamp() - a.xact_start, string_agg(DISTINCT c.relname, ', ')
FROM pg_stat_activity AS a JOIN pg_locks AS l ON l.pid = a.pid JOIN pg_class AS c ON c.oid = l.relation
WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
	AND a.xact_start <= pg_catalog.clock_timestamp() - $1::interval AND a.wait_event_type IS DISTINCT FROM 'Lock'
	AND l.granted AND l.locktype = 'relation'
	AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND l.mode NOT IN ('AccessShareLock', 'ShareUpdateExclusiveLock') AND c.relname = ANY ($2)
GROUP BY 1, 2, 3, 4 ORDER BY 4 DESC LIMIT 3`

// Holders reads the transactions that have kept locks for longer than a time, the oldest first. A
// role sees only its own ones, unless it has pg_read_all_stats.
func (r Reader) Holders(ctx context.Context, longer time.Duration) ([]Holder, error) {
	var tables []string
	for _, t := range postgres.Tables {
		tables = append(tables, t.Name)
	}
	return postgres.Rows[Holder](ctx, r.db, holdersSQL, longer, tables)
}

// ClockAhead returns how far the database's clock is ahead of this machine's, for sure; 0 if they
// may agree within a few seconds. See checkup.Skew for a measurement.
func (r Reader) ClockAhead(ctx context.Context) (time.Duration, error) {
	const tolerated = 5 * time.Second
	before := time.Now()
	now, err := postgres.Value[time.Time](ctx, r.db, "SELECT now()")
	if err != nil {
		return 0, err
	}
	half := time.Since(before) / 2
	if ahead := now.Sub(before.Add(half)); ahead.Abs() > tolerated+half {
		return ahead, nil
	}
	return 0, nil
}

// orAll returns the chosen values, or all of them if none is chosen.
func orAll[T any](chosen, all []T) []T {
	if len(chosen) == 0 {
		return all
	}
	return chosen
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
	return postgres.Rows[Trouble](ctx, r.db, sql, f.Visibility(), postgres.OrNull(tenant), limit)
}

const documentsOfSQL = `
SELECT id, id FROM document WHERE id = ANY ($1)
UNION ALL SELECT id, document_id FROM ingestion WHERE id = ANY ($1)
UNION ALL SELECT c.id, j.document_id FROM review_chunk AS c JOIN review_job AS j ON j.id = c.job_id WHERE c.id = ANY ($1)`

// DocumentsOf returns the documents of documents, ingestions and chunks, by the ids of these.
func (r Reader) DocumentsOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	return postgres.Map[map[uuid.UUID]uuid.UUID](ctx, r.db, documentsOfSQL, ids)
}
