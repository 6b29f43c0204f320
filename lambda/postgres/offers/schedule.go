package offers

import (
	"context"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Now implements offer.ScheduleStore.
func (o *Store) Now(ctx context.Context) (time.Time, error) {
	now, err := postgres.Value[time.Time](ctx, o.db, "SELECT now()")
	return now.UTC(), err
}

// groupsSQL reads the whole table: through is in no index, so that a step rewrites
// rows without rewriting indexes.
const groupsSQL = `
SELECT tenant_id, timezone, through - date 'epoch',
	coalesce(lower(flown) - date 'epoch', 0), coalesce(upper(flown) - date 'epoch', 0), count(*)
FROM offer_user WHERE active
GROUP BY tenant_id, timezone, through, flown
ORDER BY tenant_id, timezone, through NULLS FIRST, flown NULLS FIRST`

// Waiting implements offer.ScheduleStore.
func (o *Store) Waiting(ctx context.Context) ([]offer.Group, error) {
	return postgres.Rows[offer.Group](ctx, o.db, groupsSQL)
}

const freezeSQL = `
INSERT INTO offer_roster (tenant_id, date, digest, algorithm_version, users, content, frozen_at)
VALUES ($1, $2, $3, $4, $5, $6, now())
ON CONFLICT DO NOTHING`

// Freeze implements offer.ScheduleStore.
func (o *Store) Freeze(ctx context.Context, f roster.Frozen) (roster.Frozen, error) {
	added, err := o.db.Steady().Changes(ctx, freezeSQL, f.Tenant, f.Date.Time(), f.Digest[:], f.Algorithm, f.Users, f.Content)
	if err != nil || added {
		return f, err
	}
	return o.Roster(ctx, f.Tenant, f.Date)
}

// Statements of a step.
const (
	throughSQL = `
UPDATE offer_user SET through = $2, flown = CASE WHEN upper(flown) - 1 > $2 THEN flown END
WHERE id = ANY ($1)`
	addJobsSQL = `
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, input_digest, algorithm_version,
	job_status, published_at, due_at)
SELECT j.id, $3, $4, $5, j.user_id, $6, $7, $8, $9, 'pending', now(), now()
FROM unnest($1::uuid[], $2::uuid[]) AS j (id, user_id)
ON CONFLICT DO NOTHING
RETURNING id, published_at, tenant_id`
	addSkippedSQL = `
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, error,
	job_status, completed_at, due_at)
SELECT j.id, $3, $4, $5, j.user_id, $6, $7, $8, 'cancelled', now(), NULL
FROM unnest($1::uuid[], $2::uuid[]) AS j (id, user_id)
ON CONFLICT DO NOTHING`
)

// Queue implements offer.ScheduleStore.
func (o *Store) Queue(ctx context.Context, s offer.Shard) (stamped []job.Stamped, users int, err error) {
	users, err = o.step(ctx, s, func(b *pgx.Batch, jobs ...any) {
		b.Queue(addJobsSQL, append(jobs, s.Digest[:], s.Algorithm)...).Query(postgres.All(&stamped))
	})
	if err != nil || users == 0 {
		return nil, 0, err // stamped is from a try that didn't commit
	}
	return stamped, users, nil
}

// Skip implements offer.ScheduleStore.
func (o *Store) Skip(ctx context.Context, s offer.Shard, reason string) (int, error) {
	return o.step(ctx, s, func(b *pgx.Batch, jobs ...any) {
		b.Queue(addSkippedSQL, append(jobs, postgres.Storable(reason))...)
	})
}

// step moves the group's next users to the date. add adds their jobs.
func (o *Store) step(ctx context.Context, s offer.Shard, add func(b *pgx.Batch, jobs ...any)) (users int, err error) {
	return postgres.Within(ctx, o.db, func(tx pgx.Tx) (int, error) {
		next, err := nextUsers(ctx, tx, s)
		if err != nil || len(next) == 0 {
			return 0, err
		}
		ids, members := memberJobs(s, next)
		b := &pgx.Batch{}
		add(b, ids, members, s.Tenant, s.Date.Time(), s.Zone, s.OfferedAt, s.ExpiresAt)
		b.Queue(throughSQL, next, s.Date.Time())
		return len(next), tx.SendBatch(ctx, b).Close()
	})
}

// nextUsers locks users of the group. It skips locked users, and waits for them only when all
// are locked, so that two schedulers share a group, and a program locking one user delays no
// other.
func nextUsers(ctx context.Context, tx pgx.Tx, s offer.Shard) (ids []uuid.UUID, err error) {
	sql, through := nextUsersSQL(s), (*time.Time)(nil)
	if s.Through != nil {
		t := s.Through.Time()
		through = &t
	}
	args := []any{s.Tenant, s.Zone, s.Limit, through, s.FlownFrom.Time(), s.FlownTo.Time()}
	if s.Users != nil {
		args = append(args, s.Users)
	}
	for _, wait := range []string{" SKIP LOCKED", ""} {
		ids, err = postgres.IDs(ctx, tx, sql+wait, args...)
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	return nil, nil
}

// nextUsersSQL finds a zone's users by the index, in order.
func nextUsersSQL(s offer.Shard) string {
	through, flown := "through = $4::date", "flown = daterange($5::date, $6::date)"
	if s.Through == nil {
		through = "through IS NULL AND $4::date IS NULL"
	}
	if s.FlownFrom == s.FlownTo {
		flown = "flown IS NULL AND $5::date = $6::date"
	}
	only := ""
	if s.Users != nil {
		only = " AND id = ANY ($7)"
	}
	return `
SELECT id FROM offer_user WHERE active AND tenant_id = $1 AND timezone = $2 AND ` + through + ` AND ` + flown + only + `
ORDER BY id LIMIT $3 FOR NO KEY UPDATE`
}

// memberJobs returns the roster's members among the users, and their job ids.
func memberJobs(s offer.Shard, users []uuid.UUID) (ids, members []uuid.UUID) {
	for _, u := range users {
		if s.Member == nil || s.Member(u) {
			members, ids = append(members, u), append(ids, offer.JobID(s.Tenant, s.Date, s.Zone, u))
		}
	}
	return ids, members
}
