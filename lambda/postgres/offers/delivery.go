package offers

import (
	"context"
	"slices"
	"time"

	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// claimSetsSQL takes due sets not held by a sender, with the users to leave out: a block counts
// at once, also for a set composed before it. It returns completed sets only, whatever else is
// in the outbox.
const claimSetsSQL = `
WITH due AS (
	SELECT job_id FROM offer_delivery
	WHERE delivered_at IS NULL AND due_at <= now() AND coalesce(claimed_until <= now(), true)
	ORDER BY tries > 0, due_at, job_id LIMIT $1
	FOR UPDATE SKIP LOCKED
), claimed AS (
	UPDATE offer_delivery SET tries = tries + 1, claimed_until = now() + $2::interval
	WHERE job_id = ANY (ARRAY(SELECT job_id FROM due))
	RETURNING job_id, tries, due_at
)
SELECT j.id, j.tenant_id, j.user_id, j.date - date 'epoch', j.timezone, j.input_digest, coalesce(j.algorithm_version, 0),
	j.offered_at, j.expires_at, c.tries, j.offers, ARRAY(
		SELECT candidate_id FROM offer_feedback AS f
		WHERE f.tenant_id = j.tenant_id AND f.user_id = j.user_id AND answer IN ('blocked', 'reported')
		UNION ALL
		SELECT user_id FROM offer_feedback AS f
		WHERE f.tenant_id = j.tenant_id AND f.candidate_id = j.user_id AND answer IN ('blocked', 'reported'))
FROM claimed AS c JOIN matchmaking_job AS j ON j.id = c.job_id
WHERE j.job_status = 'succeeded'
ORDER BY c.tries > 1, c.due_at, j.id`

// Outbox returns the sets not yet accepted by the receiver. It implements outbox.Outbox for
// package notify/outbox, which sends sets to the webhook; notifications of failures have
// another outbox (outbox.go). Untried sets come first, the oldest first.
func (o *Store) Outbox() outbox.Outbox { return setOutbox{o.db} }

type setOutbox struct{ db *postgres.DB }

// Claim implements outbox.Outbox.
func (o setOutbox) Claim(ctx context.Context, limit int, hold time.Duration) ([]outbox.Parcel, error) {
	return postgres.RowsBy(ctx, o.db, parcel, claimSetsSQL, limit, hold)
}

func parcel(row pgx.CollectableRow) (p outbox.Parcel, err error) {
	var s offer.Set
	var digest []byte
	var blocked []uuid.UUID
	err = row.Scan(&s.ID, &s.Tenant, &s.User, &s.Date, &s.Zone, &digest, &s.Algorithm, &s.OfferedAt, &s.ExpiresAt,
		&p.Tries, &s.Offers, &blocked)
	s.Offers = slices.DeleteFunc(s.Offers, func(o ranking.Offer) bool { return slices.Contains(blocked, o.Candidate) })
	p.ID, p.Body = s.ID, s.Message()
	return p, err
}

const setsDeliveredSQL = `
UPDATE offer_delivery SET delivered_at = now(), claimed_until = NULL, error = NULL
WHERE job_id = ANY ($1) AND delivered_at IS NULL`

// Delivered implements outbox.Outbox. It counts even after the claim was lost, because the
// receiver has the set.
func (o setOutbox) Delivered(ctx context.Context, jobs []uuid.UUID) error {
	return o.db.Steady().Exec(ctx, setsDeliveredSQL, jobs)
}

const releaseSetsSQL = `
UPDATE offer_delivery AS d SET due_at = now() + r.wait, claimed_until = NULL, error = r.error
FROM unnest($1::uuid[], $2::integer[], $3::interval[], $4::text[]) AS r (job_id, tries, wait, error)
WHERE d.job_id = r.job_id AND d.tries = r.tries AND d.delivered_at IS NULL`

// Release implements outbox.Outbox.
func (o setOutbox) Release(ctx context.Context, returned []outbox.Return) error {
	jobs, tries, waits, errors := postgres.ReturnColumns(returned)
	return o.db.Steady().Exec(ctx, releaseSetsSQL, jobs, tries, waits, errors)
}

const undeliveredSQL = `
SELECT count(*), coalesce(greatest(now() - min(created_at), interval '0'), interval '0')
FROM offer_delivery WHERE delivered_at IS NULL`

// Undelivered counts the sets not yet accepted by the receiver, and returns the age of the
// oldest, or 0.
func (o *Store) Undelivered(ctx context.Context) (n int, oldest time.Duration, err error) {
	err = postgres.Scan(ctx, o.db, []any{&n, &oldest}, undeliveredSQL)
	return n, oldest, err
}
