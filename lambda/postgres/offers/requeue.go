package offers

import (
	"context"

	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const offerVersion = `md5(ROW(job_status, attempts, failed_at, published_at)::text)`

const offerVersionsSQL = `
SELECT id, ` + offerVersion + ` FROM matchmaking_job WHERE id = ANY ($1) AND job_status = 'failed'`

// FailedVersions returns the versions of the failed jobs among these. Each publish and each
// failure changes it.
func (o *Store) FailedVersions(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return postgres.Map[map[uuid.UUID]string](ctx, o.db, offerVersionsSQL, ids)
}

// Statements of Requeue.
const (
	lockOfferSQL = `
SELECT id FROM matchmaking_job WHERE id = $1 FOR UPDATE`
	// After the lock, because a statement that waits for it sees the actions of before.
	seenOfferSQL = `
SELECT ` + offerVersion + `, EXISTS (SELECT FROM offer_action WHERE form = $2)
FROM matchmaking_job WHERE id = $1`
	offerRequeuedSQL = `
INSERT INTO offer_action (form, tenant_id, user_id, job_id, kind, acted_by, reason, status, before, after)
SELECT $2, tenant_id, user_id, id, 'requeue', $3, $4, status, input_digest, coalesce(input_digest, '') FROM matchmaking_job WHERE id = $1`
)

// Requeue publishes a failed job again for a person, and stores the person and the reason. Seen
// must be of FailedVersions. The caller must send the returned messages. A form submitted again
// does nothing. It returns ErrStale if the job isn't failed any more, or has failed again since the
// person saw it.
func (o *Store) Requeue(ctx context.Context, id uuid.UUID, a postgres.Action) ([]job.Stamped, error) {
	return postgres.Within(ctx, o.db, func(tx pgx.Tx) ([]job.Stamped, error) {
		if _, err := postgres.Value[uuid.UUID](ctx, tx, lockOfferSQL, id); err != nil {
			return nil, err
		}
		if sent, err := formSent(ctx, tx, id, a); err != nil || sent {
			return nil, err
		}
		if _, err := tx.Exec(ctx, offerRequeuedSQL, id, a.ID, postgres.Storable(a.By), postgres.Storable(a.Reason)); err != nil {
			return nil, err
		}
		return o.PublishIn(ctx, tx, []uuid.UUID{id})
	})
}

// formSent reports whether a form has acted already. It returns ErrStale if the job has changed
// since the person saw it.
func formSent(ctx context.Context, from postgres.Querier, id uuid.UUID, a postgres.Action) (sent bool, err error) {
	if a.ID == uuid.Nil { // of a command
		return false, nil
	}
	var version string
	err = postgres.Scan(ctx, from, []any{&version, &sent}, seenOfferSQL, id, a.ID)
	if err == nil && !sent && version != a.Seen {
		err = postgres.ErrStale
	}
	return sent, err
}
