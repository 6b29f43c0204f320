// Package offers holds the SQL of match offers: users, rosters, jobs, sets and their outbox.
// Triggers of migration 00018 translate a job's state for other programs, and leave a completed
// or skipped job as it is.
package offers

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
)

// Store is the store of the offer function. This file has the work on a job and the reads of
// sets, schedule.go the queueing of dates, delivery.go the outbox of sets.
type Store struct {
	*postgres.Jobs
	db *postgres.DB
}

// New returns the store of match offers in a database.
func New(db *postgres.DB) *Store { return &Store{db.JobsOf(postgres.Tables[manifest.Offer.Name]), db} }

// Statements that read jobs.
const (
	jobColumnsSQL = `
SELECT id, tenant_id, user_id, date - date 'epoch', timezone, input_digest, coalesce(algorithm_version, 0),
	offered_at, expires_at, status, coalesce(error_message, ''), retry_count, started_at, completed_at, offers
FROM matchmaking_job
`
	claimedJobSQL = jobColumnsSQL + `WHERE id = $1 AND attempts = $2 AND job_status = 'in-progress'`
	jobByIDSQL    = jobColumnsSQL + `WHERE id = $1`
	jobsOfDateSQL = jobColumnsSQL + `WHERE tenant_id = $1 AND date = $2 ORDER BY user_id`
)

func record(row pgx.CollectableRow) (r offer.Record, err error) {
	var digest []byte
	err = row.Scan(&r.ID, &r.Tenant, &r.User, &r.Date, &r.Zone, &digest, &r.Algorithm, &r.OfferedAt, &r.ExpiresAt,
		&r.Status, &r.Error, &r.Retries, (*zeronull.Timestamptz)(&r.StartedAt), (*zeronull.Timestamptz)(&r.CompletedAt), &r.Offers)
	copy(r.Digest[:], digest)
	r.OfferedAt, r.ExpiresAt = r.OfferedAt.UTC(), r.ExpiresAt.UTC()
	return r, err
}

// Job implements offer.Store.
func (o *Store) Job(ctx context.Context, f job.Attempt) (offer.Job, error) {
	r, err := postgres.FirstBy(ctx, o.db.Steady(), record, claimedJobSQL, f.ID, f.Number)
	if errors.Is(err, job.ErrNotFound) {
		err = job.ErrFenceLost
	}
	return r.Job, err
}

// JobByID reads a job and its set. It returns job.ErrNotFound for an unknown id.
func (o *Store) JobByID(ctx context.Context, id uuid.UUID) (offer.Record, error) {
	return postgres.FirstBy(ctx, o.db.Steady(), record, jobByIDSQL, id)
}

// JobsOf reads the jobs of a date with their sets, by user.
func (o *Store) JobsOf(ctx context.Context, tenant uuid.UUID, date day.Date) ([]offer.Record, error) {
	return postgres.RowsBy(ctx, o.db, record, jobsOfDateSQL, tenant, date.Time())
}

const rosterSQL = `
SELECT digest, algorithm_version, users, content FROM offer_roster WHERE tenant_id = $1 AND date = $2`

// Roster implements offer.Store.
func (o *Store) Roster(ctx context.Context, tenant uuid.UUID, date day.Date) (f roster.Frozen, err error) {
	var digest []byte
	f.Tenant, f.Date = tenant, date
	columns := []any{&digest, &f.Algorithm, &f.Users, &f.Content}
	err = postgres.Scan(ctx, o.db.Steady(), columns, rosterSQL, tenant, date.Time())
	copy(f.Digest[:], digest)
	return f, err
}

// completeSQL writes the offers together with the state, because a completed job doesn't
// change any more.
var completeSQL = sync.OnceValue(func() string {
	return postgres.Tables[manifest.Offer.Name].SQL(`{ours}, completed AS (
	UPDATE {table} SET offers = s.offers, {succeeded}
	FROM ours JOIN unnest($1::uuid[], $3::jsonb[]) AS s (id, offers) USING (id)
	WHERE {table}.id = ours.id
	RETURNING {table}.*
), offered AS (
	INSERT INTO offer (id, tenant_id, date, user_id, candidate_id, rank, score, offered_at, expires_at)
	SELECT o.id, tenant_id, date, user_id, o.candidate, o.rank, o.score, offered_at, expires_at
	FROM completed AS c JOIN unnest($5::uuid[], $6::uuid[], $7::uuid[], $8::integer[], $9::integer[])
		AS o (job, id, candidate, rank, score) ON o.job = c.id
), queued AS (
	INSERT INTO offer_delivery (job_id, created_at, due_at) SELECT id, now(), now() FROM completed WHERE $4
)
SELECT id, attempts FROM completed`)
})

// Complete implements offer.Store.
func (o *Store) Complete(ctx context.Context, done []offer.Completed, deliver bool) (held []job.Attempt, err error) {
	var sets [][]byte
	var ids, jobs, offers, candidates []uuid.UUID
	var attempts, ranks, scores []int
	for _, d := range done {
		stored, err := json.Marshal(append([]ranking.Offer{}, d.Offers...)) // never NULL, which marks an open job
		if err != nil {
			return nil, err
		}
		ids, attempts, sets = append(ids, d.Fence.ID), append(attempts, d.Fence.Number), append(sets, stored)
		for _, c := range d.Offers {
			jobs, offers = append(jobs, d.Fence.ID), append(offers, offer.ID(d.Date, d.User, c.Candidate))
			candidates, ranks, scores = append(candidates, c.Candidate), append(ranks, c.Rank), append(scores, c.Score)
		}
	}
	return postgres.Rows[job.Attempt](ctx, o.db.Steady(), completeSQL(), ids, attempts, sets, deliver,
		jobs, offers, candidates, ranks, scores)
}
