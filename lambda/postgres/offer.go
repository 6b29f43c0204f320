package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Offers is the store of match offers: the work on a job and reads of sets are in
// this file, the queueing of dates in offer_schedule.go. Triggers of migration
// 00018 keep the state of jobs in the words of other programs, and leave a job as
// it is once it is completed or skipped.
type Offers struct{ *Jobs }

// Offers returns the store of match offers.
func (db *DB) Offers() *Offers { return &Offers{db.Workload(matchmakings)} }

// Statements that read jobs.
const (
	// jobColumnsSQL lists the columns of storedJob.
	jobColumnsSQL = `
SELECT id, tenant_id, user_id, date - date 'epoch', timezone, input_digest, coalesce(algorithm_version, 0),
	offered_at, expires_at, status, coalesce(error_message, ''), retry_count, started_at, completed_at, offers
FROM matchmaking_job
`
	claimedJobSQL = jobColumnsSQL + `WHERE id = $1 AND attempts = $2 AND job_status = 'in-progress'`
	jobByIDSQL    = jobColumnsSQL + `WHERE id = $1`
	jobsOfDateSQL = jobColumnsSQL + `WHERE tenant_id = $1 AND date = $2 ORDER BY user_id`
)

// storedJob is a row of jobColumnsSQL.
type storedJob struct {
	ID, Tenant, User     uuid.UUID
	Date                 day.Date
	Zone                 string
	Digest               []byte
	Algorithm            int
	OfferedAt, ExpiresAt time.Time
	Status, Error        string
	Retries              int
	Started, Completed   *time.Time
	Offers               []byte
}

func (s storedJob) job() (j offer.Job) {
	j = offer.Job{ID: s.ID, Tenant: s.Tenant, User: s.User, Date: s.Date, Zone: s.Zone,
		Algorithm: s.Algorithm, OfferedAt: s.OfferedAt.UTC(), ExpiresAt: s.ExpiresAt.UTC()}
	copy(j.Digest[:], s.Digest)
	return j
}

func (s storedJob) record() (offer.Record, error) {
	r := offer.Record{Set: offer.Set{Job: s.job()}, Status: s.Status, Error: s.Error, Retries: s.Retries}
	if s.Started != nil {
		r.StartedAt = s.Started.UTC()
	}
	if s.Completed != nil {
		r.CompletedAt = s.Completed.UTC()
	}
	if s.Offers == nil {
		return r, nil
	}
	return r, json.Unmarshal(s.Offers, &r.Offers)
}

// Job implements offer.Store.
func (o *Offers) Job(ctx context.Context, f job.Fence) (offer.Job, error) {
	row, err := first[storedJob](ctx, o.db, claimedJobSQL, f.ID, f.Attempt)
	if errors.Is(err, job.ErrNotFound) {
		err = job.ErrFenceLost
	}
	return row.job(), err
}

// JobByID reads a job and its set; job.ErrNotFound for an unknown id.
func (o *Offers) JobByID(ctx context.Context, id uuid.UUID) (offer.Record, error) {
	row, err := first[storedJob](ctx, o.db, jobByIDSQL, id)
	if err != nil {
		return offer.Record{}, err
	}
	return row.record()
}

// JobsOf reads the jobs of a date and their sets, by user.
func (o *Offers) JobsOf(ctx context.Context, tenant uuid.UUID, date day.Date) (list []offer.Record, err error) {
	rows, err := collect[storedJob](ctx, o.db, jobsOfDateSQL, tenant, date.Time())
	for _, row := range rows {
		r, err := row.record()
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, err
}

const rosterSQL = `
SELECT digest, algorithm_version, users, content FROM offer_roster WHERE tenant_id = $1 AND date = $2`

type storedRoster struct {
	Digest           []byte
	Algorithm, Users int
	Content          []byte
}

// Roster implements offer.Store.
func (o *Offers) Roster(ctx context.Context, tenant uuid.UUID, date day.Date) (f roster.Frozen, err error) {
	row, err := first[storedRoster](ctx, o.db, rosterSQL, tenant, date.Time())
	if err != nil {
		return f, err
	}
	f = roster.Frozen{Users: row.Users, Content: row.Content}
	f.Key = roster.Key{Tenant: tenant, Date: date, Algorithm: row.Algorithm}
	copy(f.Digest[:], row.Digest)
	return f, nil
}

// completeSQL writes a set in one statement: what is completed does not change any
// more, so its offers come with the state.
const completeSQL = `
WITH completed AS (
	UPDATE matchmaking_job SET job_status = 'succeeded', offers = $3,
		error = NULL, failed_at = NULL, lease_until = NULL, due_at = NULL, lapses = 0
	WHERE id = $1 AND attempts = $2 AND job_status = 'in-progress'
	RETURNING *
), offered AS (
	INSERT INTO offer (id, tenant_id, date, user_id, candidate_id, rank, score, offered_at, expires_at)
	SELECT o.id, tenant_id, date, user_id, o.candidate, o.rank, o.score, offered_at, expires_at
	FROM completed, unnest($4::uuid[], $5::uuid[], $6::integer[], $7::integer[]) AS o (id, candidate, rank, score)
), queued AS (
	INSERT INTO offer_delivery (job_id, created_at, due_at) SELECT id, now(), now() FROM completed WHERE $8
)
SELECT id FROM completed`

// Complete implements offer.Store.
func (o *Offers) Complete(ctx context.Context, f job.Fence, s offer.Set, deliver bool) error {
	set, err := encodeOffers(s.Offers)
	if err != nil {
		return err
	}
	ids, candidates := make([]uuid.UUID, len(s.Offers)), make([]uuid.UUID, len(s.Offers))
	ranks, scores := make([]int, len(s.Offers)), make([]int, len(s.Offers))
	for i, c := range s.Offers {
		ids[i] = offer.ID(s.Date, s.User, c.Candidate)
		candidates[i], ranks[i], scores[i] = c.Candidate, c.Rank, c.Score
	}
	return steadily(ctx, func() error {
		rows, _ := o.db.pool.Query(ctx, completeSQL, f.ID, f.Attempt, set, ids, candidates, ranks, scores, deliver)
		_, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[uuid.UUID])
		if errors.Is(err, pgx.ErrNoRows) {
			err = job.ErrFenceLost
		}
		return err
	})
}

// encodeOffers writes a set without offers as an empty list: NULL has a job that is
// not completed.
func encodeOffers(offers []ranking.Offer) ([]byte, error) {
	if offers == nil {
		offers = []ranking.Offer{}
	}
	return json.Marshal(offers)
}
