package offers

import (
	"context"
	"errors"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Refused is the reason why a job keeps its roster.
type Refused string

func (r Refused) Error() string { return string(r) }

// The reasons.
const (
	refusedRunning   Refused = "a worker is running it"
	refusedSkipped   Refused = "its date was skipped"
	refusedMoved     Refused = "the job has changed meanwhile"
	refusedDelivered Refused = "the receiver has its set"
	refusedTried     Refused = "its set was sent, and the receiver may have it"
	refusedRead      Refused = "its set isn't for the receiver, and programs that read the tables may have it"
	refusedEqual     Refused = "the profile and the preferences are those of its roster"
	refusedInactive  Refused = "the user isn't active any more"
)

// Refreeze publishes a job with another roster, in which the user's profile and preferences are as
// they are now, and all else is as it was. It stores the person and the reason. The caller
// must send the returned messages. It returns an error of type Refused if the job keeps its roster.
// A form acts as in Requeue; a command has none, and acts in any state.
func (o *Store) Refreeze(ctx context.Context, id uuid.UUID, a postgres.Action) ([]job.Stamped, error) {
	known, err := o.JobByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if sent, err := formSent(ctx, o.db, id, a); err != nil || sent { // else it's refused as equal
		return nil, err
	}
	c, err := o.corrected(ctx, known.Job)
	if err != nil {
		return nil, err
	}
	content, err := roster.EncodeRows(c.Rows)
	if err != nil {
		return nil, err
	}
	return postgres.Within(ctx, o.db, func(tx pgx.Tx) ([]job.Stamped, error) {
		if _, err := tx.Exec(ctx, lockOfferSQL, id); err != nil {
			return nil, err
		}
		if sent, err := formSent(ctx, tx, id, a); err != nil || sent {
			return nil, err
		}
		status, err := lockForRefreeze(ctx, tx, known.Job)
		if err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, addChangeSQL, c.Tenant, c.Date.Time(), c.Digest[:], "", content); err != nil {
			return nil, err
		}
		by, reason := postgres.Storable(a.By), postgres.Storable(a.Reason)
		if _, err := tx.Exec(ctx, refreezeSQL, id, c.Digest[:], c.Algorithm, by, reason, status, a.ID); err != nil {
			return nil, err
		}
		if status == "completed" {
			// A completed job doesn't change, so another one takes its place, and its number of
			// attempts, which fences off the earlier workers. Its offers go with it.
			if _, err := tx.Exec(ctx, replaceJobSQL, id, c.Digest[:], c.Algorithm); err != nil {
				return nil, err
			}
		}
		return o.PublishIn(ctx, tx, []uuid.UUID{id})
	})
}

// corrected returns the change of the date's first roster for the job of a corrected user.
func (o *Store) corrected(ctx context.Context, j offer.Job) (c roster.Change, err error) {
	first, err := o.Roster(ctx, j.Tenant, j.Date)
	if err != nil {
		return c, err
	}
	c.Key = first.Key
	if first.Digest != j.Digest {
		c, err = o.change(ctx, c, `digest = $3`, j.Digest[:])
		if errors.Is(err, job.ErrNotFound) {
			return c, refusedMoved
		}
		if err != nil {
			return c, err
		}
	}
	now, err := o.eligible(ctx, j.Tenant, roster.Settings{}, oneEligibleSQL, true, j.User)
	if err != nil {
		return c, err
	}
	if len(now) == 0 {
		return c, refusedInactive
	}
	c.Zone = ""
	c.Rows, err = first.Corrected(c.Rows, now[0])
	if err != nil {
		return c, err
	}
	with, err := first.With(c.Rows)
	c.Digest = with.Digest
	if err == nil && c.Digest == j.Digest {
		err = refusedEqual
	}
	return c, err
}

const lockJobSQL = `
SELECT status, input_digest FROM matchmaking_job WHERE id = $1 FOR UPDATE`

// lockDeliverySQL also waits for a sender that claims the set.
const lockDeliverySQL = `
SELECT tries, delivered_at IS NOT NULL FROM offer_delivery WHERE job_id = $1 FOR UPDATE`

// lockForRefreeze locks a job and its place in the outbox, and returns the job's status.
func lockForRefreeze(ctx context.Context, tx pgx.Tx, j offer.Job) (status string, err error) {
	var digest []byte
	err = tx.QueryRow(ctx, lockJobSQL, j.ID).Scan(&status, &digest)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // another process replaced it
		return "", refusedMoved
	case err != nil:
		return "", err
	case [32]byte(append(digest, make([]byte, 32)...)) != j.Digest:
		return status, refusedMoved
	case status == "running":
		return status, refusedRunning
	case status == "skipped":
		return status, refusedSkipped
	case status != "completed":
		return status, nil
	}
	var tries int
	var delivered bool
	switch err := tx.QueryRow(ctx, lockDeliverySQL, j.ID).Scan(&tries, &delivered); {
	case errors.Is(err, pgx.ErrNoRows):
		return status, refusedRead
	case err != nil:
		return status, err
	case delivered:
		return status, refusedDelivered
	case tries > 0:
		return status, refusedTried
	}
	return status, nil
}

const refreezeSQL = `
WITH job AS (
	SELECT id, tenant_id, user_id, input_digest FROM matchmaking_job WHERE id = $1
), noted AS (
	INSERT INTO offer_action (form, tenant_id, user_id, job_id, kind, acted_by, reason, status, before, after)
	SELECT nullif($7, '00000000-0000-0000-0000-000000000000'::uuid), tenant_id, user_id, id, 'refreeze', $4, $5, $6, input_digest, $2
	FROM job
)
UPDATE matchmaking_job SET input_digest = $2, algorithm_version = $3 WHERE id = $1`

const replaceJobSQL = `
WITH old AS (
	DELETE FROM matchmaking_job WHERE id = $1 RETURNING *
)
INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, created_at, input_digest,
	algorithm_version, job_status, attempts, failed_at, published_at)
SELECT id, tenant_id, date, timezone, user_id, offered_at, expires_at, created_at, $2, $3, 'failed', attempts, now(), published_at
FROM old`
