package report

import (
	"context"
	"time"

	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// OfferJob is the job of a user and a date, with its result.
type OfferJob struct {
	ID        uuid.UUID
	Tenant    uuid.UUID
	User      uuid.UUID
	Name      string // of the user, if the profile has one
	Date      day.Date
	Zone      string
	Status    string // pending, running, completed, failed or skipped
	Error     string
	Attempts  int
	Offers    []byte // JSON; nil: none
	Algorithm int
	Digest    []byte // the roster's
	OfferedAt time.Time
	ExpiresAt time.Time
	Job       string // job_status; empty for NULL
	Times
}

const offerJobColumns = `
SELECT j.id, j.tenant_id, j.user_id, ` + userName + `, j.date - DATE '1970-01-01', j.timezone, j.status, coalesce(j.error, ''), j.attempts,
	j.offers, coalesce(j.algorithm_version, 0), j.input_digest, j.offered_at, j.expires_at, coalesce(j.job_status, ''),
	now(), j.published_at, j.due_at, j.lease_until, j.failed_at, ''
FROM matchmaking_job AS j JOIN offer_user AS u ON u.id = j.user_id `

// Other programs write profiles, so a name may be anything.
const userName = `CASE WHEN jsonb_typeof(u.profile -> 'name') = 'string' THEN u.profile ->> 'name' ELSE '' END`

// OfferJobs reads jobs by id.
func (r Reader) OfferJobs(ctx context.Context, ids []uuid.UUID) ([]OfferJob, error) {
	return postgres.Rows[OfferJob](ctx, r.db, offerJobColumns+`WHERE j.id = ANY ($1) ORDER BY j.tenant_id, j.date, j.user_id`, ids)
}

// OffersOf reads some tenants' jobs of a date, by tenant, time and user.
func (r Reader) OffersOf(ctx context.Context, date day.Date, tenants []uuid.UUID) ([]OfferJob, error) {
	return postgres.Rows[OfferJob](ctx, r.db, offerJobColumns+
		`WHERE j.date = $1 AND j.tenant_id = ANY ($2) ORDER BY j.tenant_id, j.offered_at, j.user_id`, date.Time(), tenants)
}

// A page shows 200 characters of a name, so the rest of a long one stays in the database.
const offerNamesSQL = `SELECT u.id, left(` + userName + `, 300) FROM offer_user AS u WHERE u.id = ANY ($1)`

const offerTenantsSQL = `
SELECT tenant_id FROM offer_roster WHERE date = $1 AND ($2::uuid IS NULL OR tenant_id = $2) ORDER BY 1`

// OfferTenants lists the tenants with a roster of a date; with a tenant only that one.
func (r Reader) OfferTenants(ctx context.Context, date day.Date, tenant *uuid.UUID) ([]uuid.UUID, error) {
	return postgres.IDs(ctx, r.db, offerTenantsSQL, date.Time(), tenant)
}

// OfferNames returns the users' names found in their profiles.
func (r Reader) OfferNames(ctx context.Context, users []uuid.UUID) (map[uuid.UUID]string, error) {
	return postgres.Map[map[uuid.UUID]string](ctx, r.db, offerNamesSQL, users)
}

// OfferCount counts jobs of a date in one time zone with one status.
type OfferCount struct {
	Zone        string `json:"timezone"`
	Status      string `json:"status"`
	Error       string `json:"reason,omitempty"` // of failed and skipped ones
	Jobs        int    `json:"jobs"`
	Late        int    `json:"late"`        // ended more than an hour after nine, or still open then
	Undelivered int    `json:"undelivered"` // sets not yet accepted by the receiver
}

const offerCountsSQL = `
SELECT j.timezone, j.status, CASE WHEN j.status IN ('failed', 'skipped') THEN coalesce(j.error, '') ELSE '' END, count(*),
	count(*) FILTER (WHERE j.status <> 'skipped' AND coalesce(j.completed_at, now()) > j.offered_at + interval '1 hour'),
	count(d.job_id) FILTER (WHERE d.delivered_at IS NULL)
FROM matchmaking_job AS j LEFT JOIN offer_delivery AS d ON d.job_id = j.id
WHERE j.date = $1 AND ($2::uuid IS NULL OR j.tenant_id = $2)
GROUP BY 1, 2, 3 ORDER BY min(j.offered_at), 1, 2, 3`

// OfferCounts counts the jobs of a date by time zone, status and reason, of all tenants if
// tenant is nil.
func (r Reader) OfferCounts(ctx context.Context, date day.Date, tenant *uuid.UUID) ([]OfferCount, error) {
	return postgres.Rows[OfferCount](ctx, r.db, offerCountsSQL, date.Time(), tenant)
}

const offerProgressSQL = `
SELECT status, count(*) FROM matchmaking_job WHERE date = $1 AND tenant_id = ANY ($2) GROUP BY status`

// OfferProgress counts some tenants' jobs of a date by status.
func (r Reader) OfferProgress(ctx context.Context, date day.Date, tenants []uuid.UUID) (Progress, error) {
	return postgres.Map[Progress](ctx, r.db, offerProgressSQL, date.Time(), tenants)
}

// OfferDeliveries counts the sets of a date for the receiver.
type OfferDeliveries struct {
	Delivered int    `json:"delivered"`
	Waiting   int    `json:"waiting"`
	Error     string `json:"error,omitempty"` // of a waiting set
}

const offerDeliveriesSQL = `
SELECT count(d.delivered_at), count(*) FILTER (WHERE d.delivered_at IS NULL),
	coalesce(max(d.error) FILTER (WHERE d.delivered_at IS NULL), '')
FROM offer_delivery AS d JOIN matchmaking_job AS j ON j.id = d.job_id
WHERE j.date = $1 AND j.tenant_id = ANY ($2)`

// OfferDeliveries counts some tenants' sets of a date that have a place in the outbox.
func (r Reader) OfferDeliveries(ctx context.Context, date day.Date, tenants []uuid.UUID) (OfferDeliveries, error) {
	return postgres.First[OfferDeliveries](ctx, r.db, offerDeliveriesSQL, date.Time(), tenants)
}

const failedOffersSQL = `
SELECT id FROM matchmaking_job
WHERE status = 'failed' AND ($1::date IS NULL OR date = $1) AND ($2::uuid IS NULL OR tenant_id = $2) ORDER BY id`

// FailedOffers lists the failed jobs of a date and a tenant; nil means any.
func (r Reader) FailedOffers(ctx context.Context, date *time.Time, tenant *uuid.UUID) ([]uuid.UUID, error) {
	return postgres.IDs(ctx, r.db, failedOffersSQL, date, tenant)
}

// OfferMonth counts the jobs of a month.
type OfferMonth struct {
	Completed int     `json:"completed"`
	Failed    int     `json:"failed"`
	Skipped   int     `json:"skipped"`
	Open      int     `json:"open"`
	P95       float64 `json:"p95_seconds"` // of the completing attempts
}

const offerMonthSQL = `
SELECT count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed'),
	count(*) FILTER (WHERE status = 'skipped'), count(*) FILTER (WHERE status IN ('pending', 'running')),
	coalesce(percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - started_at)::float8)
		FILTER (WHERE status = 'completed'), 0)
FROM matchmaking_job WHERE date >= $1 AND date < $1::date + interval '1 month' AND ($2::uuid IS NULL OR tenant_id = $2)`

// OfferMonth counts the jobs of the month beginning at first, of all tenants if tenant is nil.
func (r Reader) OfferMonth(ctx context.Context, first day.Date, tenant *uuid.UUID) (OfferMonth, error) {
	return postgres.First[OfferMonth](ctx, r.db, offerMonthSQL, first.Time(), tenant)
}

// OfferPage reads a page of a tenant's jobs of a date, by user, after a user; of one user if it is given.
func (r Reader) OfferPage(ctx context.Context, tenant uuid.UUID, date day.Date, user *uuid.UUID, after uuid.UUID, size int) (
	[]OfferJob, error,
) {
	return postgres.Rows[OfferJob](ctx, r.db, offerJobColumns+
		`WHERE j.tenant_id = $1 AND j.date = $2 AND ($3::uuid IS NULL OR j.user_id = $3) AND j.user_id > $4 ORDER BY j.user_id LIMIT $5`,
		tenant, date.Time(), user, after, size)
}

// FailedOfferPage reads a tenant's failed jobs, the latest failure first.
func (r Reader) FailedOfferPage(ctx context.Context, tenant uuid.UUID, size int) ([]OfferJob, error) {
	return postgres.Rows[OfferJob](ctx, r.db, offerJobColumns+
		`WHERE j.tenant_id = $1 AND j.job_status = 'failed' ORDER BY j.failed_at DESC, j.id DESC LIMIT $2`, tenant, size)
}

const failedOfferCountSQL = `
SELECT count(*) FROM (SELECT FROM matchmaking_job WHERE tenant_id = $1 AND job_status = 'failed' LIMIT $2) AS few`

// FailedOfferCount counts up to most failed jobs of a tenant.
func (r Reader) FailedOfferCount(ctx context.Context, tenant uuid.UUID, most int) (int, error) {
	return postgres.Value[int](ctx, r.db, failedOfferCountSQL, tenant, most)
}

const latestOffersSQL = `
SELECT coalesce(max(date) - DATE '1970-01-01', 0) FROM matchmaking_job WHERE tenant_id = $1`

// LatestOffers returns the latest date for which a tenant has jobs; 1970-01-01 without any.
func (r Reader) LatestOffers(ctx context.Context, tenant uuid.UUID) (day.Date, error) {
	return postgres.Value[day.Date](ctx, r.db, latestOffersSQL, tenant)
}
