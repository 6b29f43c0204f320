package report

import (
	"context"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Attempt is one claim of a row.
type Attempt struct {
	Subject         string // document, ingestion, chunk or job
	Part            int    // of a review, from 1; 0: no part, or the contract as a whole
	Number          int
	Claimed, Until  time.Time // Until is the end of the lease as claimed
	Worker, Request string    // empty: unknown
	Ended           *time.Time
	Outcome, Error  string     // Outcome is the row's status after it; empty: none, or not ended
	Due             *time.Time // pending: when its message is due again
	Next            *int       // the attempt after it
}

// Attempts reads up to limit attempts of a subject, the latest first.
func (r Reader) Attempts(ctx context.Context, of Subject, id uuid.UUID, limit int) ([]Attempt, error) {
	return postgres.Rows[Attempt](ctx, r.db, `
SELECT a.subject, CASE c.kind WHEN 'whole' THEN 0 ELSE coalesce(c.position + 1, 0) END, a.number, a.claimed_at, a.lease_until,
	a.worker, a.request, a.ended_at, coalesce(a.outcome, ''), left(coalesce(a.error, ''), 1000), a.due_at,
	lead(a.number) OVER (PARTITION BY a.subject, a.row_id ORDER BY a.number)
FROM attempt AS a LEFT JOIN review_chunk AS c ON c.id = a.row_id AND a.subject = 'chunk'
WHERE a.tenant_id = (SELECT tenant_id FROM `+of.table+` WHERE id = $1) AND a.row_id IN (`+of.rows+`)
ORDER BY a.claimed_at DESC, a.subject, 2 DESC, a.number DESC LIMIT $2`, id, limit)
}

// VersionAttempts counts the ended attempts of a deployed version. Stalled ones are beyond their
// lease without an end, as after a crash.
type VersionAttempts struct {
	Settled, Failed, Retried, Stalled int
}

// Bad returns the number of attempts without a good end.
func (v VersionAttempts) Bad() int { return v.Failed + v.Retried + v.Stalled }

// versionAttemptsSQL finds a version by its workers, since a function's log stream has it in
// brackets: 2026/11/27/[12]0123abcd. Attempts that wait for a service that is away have no due_at.
const versionAttemptsSQL = `
SELECT count(*) FILTER (WHERE ended_at IS NOT NULL AND outcome IS DISTINCT FROM 'failed' AND outcome IS DISTINCT FROM 'pending'),
	count(*) FILTER (WHERE outcome = 'failed'), count(*) FILTER (WHERE outcome = 'pending' AND due_at IS NOT NULL),
	count(*) FILTER (WHERE ended_at IS NULL AND lease_until < now())
FROM attempt WHERE claimed_at > now() - interval '1 hour' AND subject = $1 AND strpos(worker, '[' || $2 || ']') > 0`

// VersionAttempts counts the attempts of a version of a function in the last hour.
func (r Reader) VersionAttempts(ctx context.Context, f manifest.Function, version string) (VersionAttempts, error) {
	return postgres.First[VersionAttempts](ctx, r.db, versionAttemptsSQL, postgres.Tables[f.Name].Subject, version)
}
