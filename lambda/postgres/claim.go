package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// claimSQL locks the rows in id order, examines each delivery with its row, and claims. Of
// several deliveries of a row, only one is examined; $7 marks the others. {table} and the
// other names in braces are set by table.go. A row that is seen but locked is busy. A row with
// a lapsed claim stays a suspect when the sweep publishes it again. A row given up by the
// sweep is claimed for any message that still arrives. The attempt's row replaces one of a row
// that had this id before, was deleted by another program, and came back.
const claimSQL = `
WITH message AS (
	SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::boolean[], $7::boolean[])
		WITH ORDINALITY AS m (id, sent_at, published_at, last, beside, place)
), found AS (
	SELECT id, tenant_id, {status} AS status, {attempts} AS attempts, {failed_at} AS failed_at,
		{published_at} AS published_at, {lease_until} - now() AS lease_left, {due_at} - now() AS due_in,
		{status} = 'in-progress' OR {status} = 'pending' AND {lapses} > 0 AS suspicious,
		{status} = 'failed' AND EXISTS (SELECT FROM notification AS n
			WHERE n.subject = '{subject}' AND n.{subject_id} = {table}.id
			AND n.attempt = {table}.{attempts} AND n.kind IN ('lost', 'crashed')) AS given_up,
		{unworkable} AS reason
	FROM {table}
	WHERE id = ANY ($1)
	ORDER BY id
	FOR NO KEY UPDATE SKIP LOCKED
), examined AS (
	SELECT place, id, tenant_id, attempts, reason, status,
		CASE WHEN beside THEN $5::interval WHEN status = 'pending' THEN due_in ELSE lease_left END AS wait,
		CASE
			WHEN found.id IS NULL AND EXISTS (SELECT FROM {table} AS seen WHERE seen.id = message.id) THEN 'busy'
			WHEN found.id IS NULL THEN 'missing'
			WHEN message.published_at < found.published_at AND NOT given_up THEN 'superseded'
			WHEN status IN ('succeeded', 'cancelled') THEN 'done'
			WHEN status = 'failed' AND sent_at <= failed_at AND NOT given_up THEN 'done'
			WHEN status = 'in-progress' AND lease_left > interval '0' THEN 'held'
			WHEN beside THEN 'held'
			WHEN reason IS NOT NULL THEN 'unworkable'
			WHEN suspicious AND NOT $6 THEN 'suspect'
			WHEN status = 'pending' AND due_in > interval '1 minute' AND NOT last THEN 'early'
			ELSE 'claimed'
		END AS finding
	FROM message LEFT JOIN found USING (id)
), changed AS (
	UPDATE {table} AS job SET
		{status} = CASE examined.finding WHEN 'claimed' THEN 'in-progress' END,
		{attempts} = job.{attempts} + CASE examined.finding WHEN 'claimed' THEN 1 ELSE 0 END,
		{lapses} = CASE WHEN examined.finding = 'claimed' AND examined.status = 'in-progress' THEN {lapses} + 1
			WHEN examined.finding = 'claimed' AND examined.status = 'pending' THEN {lapses} ELSE 0 END,
		{lease_until} = CASE examined.finding WHEN 'claimed' THEN now() + $5::interval END,
		{error} = CASE examined.finding WHEN 'claimed' THEN {error} ELSE examined.reason END,
		{failed_at} = NULL,
		{due_at} = NULL,
		{republished} = 0
	FROM examined
	WHERE job.id = examined.id AND examined.finding IN ('claimed', 'unworkable')
), noted AS (
	INSERT INTO attempt (tenant_id, row_id, subject, number, claimed_at, lease_until, worker, request)
	SELECT tenant_id, id, '{subject}', attempts + 1, now(), now() + $5::interval, left($8, 200), left($9, 200)
	FROM examined WHERE finding = 'claimed'
	ON CONFLICT (tenant_id, row_id, subject, number) DO UPDATE SET claimed_at = excluded.claimed_at,
		lease_until = excluded.lease_until, worker = excluded.worker, request = excluded.request,
		ended_at = NULL, outcome = NULL, error = NULL, due_at = NULL
)
SELECT finding, coalesce(attempts, 0) + CASE finding WHEN 'claimed' THEN 1 ELSE 0 END,
	greatest(coalesce(wait, interval '0'), interval '0'), coalesce(reason, ''), coalesce(tenant_id, '00000000-0000-0000-0000-000000000000')
FROM examined ORDER BY place`

// findings maps claimSQL's findings to results. A suspect maps to job.Claimed, so see
// Claim.Suspect as well.
var findings = map[string]job.Result{
	"missing": job.Missing, "superseded": job.Superseded, "done": job.Done, "held": job.Held, "busy": job.Busy,
	"early": job.Early, "unworkable": job.Unworkable, "suspect": job.Claimed,
	"claimed": job.Claimed,
}

// Claim implements job.Store.
func (j *Jobs) Claim(
	ctx context.Context, deliveries []job.Delivery, lease time.Duration, suspects bool,
) ([]job.Claim, error) {
	ids := make([]uuid.UUID, len(deliveries))
	sent := make([]time.Time, len(deliveries))
	published := make([]*time.Time, len(deliveries))
	last, beside := make([]bool, len(deliveries)), besideAnother(deliveries)
	for i, d := range deliveries {
		ids[i], sent[i], last[i] = d.ID, d.SentAt, d.Last
		if !d.PublishedAt.IsZero() {
			published[i] = &d.PublishedAt
		}
	}
	var claims []job.Claim
	worker := job.WorkerOf(ctx)
	err := repeat(ctx, func() (err error) {
		claims, err = RowsBy(ctx, j.db.reserved, func(row pgx.CollectableRow) (c job.Claim, err error) {
			var finding string
			err = row.Scan(&finding, &c.Attempt.Number, &c.Wait, &c.Reason, &c.Tenant)
			c.Found, c.Suspect = findings[finding], finding == "suspect"
			return c, err
		}, j.sql(claimSQL), ids, sent, published, last, lease, suspects, beside, worker.Name, worker.Request)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(claims) != len(deliveries) {
		return nil, fmt.Errorf("expected %d claims, got %d", len(deliveries), len(claims))
	}
	for i := range claims {
		claims[i].Attempt.ID = deliveries[i].ID
	}
	return claims, nil
}

// besideAnother marks the deliveries of a row without the turn. The turn goes to the latest
// published one, or to the first of equals.
func besideAnother(deliveries []job.Delivery) []bool {
	marks, turn := make([]bool, len(deliveries)), make(map[uuid.UUID]int, len(deliveries))
	for i, d := range deliveries {
		first, met := turn[d.ID]
		if met && !d.PublishedAt.After(deliveries[first].PublishedAt) {
			marks[i] = true
			continue
		}
		if turn[d.ID] = i; met {
			marks[first] = true
		}
	}
	return marks
}

// ours locks the rows of $1 that still have their fence ($2), in id order like every statement
// about several rows. coalesce keeps the planner off the status indexes: with statistics from
// a quiet moment, it would read everything in progress instead of the rows by id.
const ours = `
WITH ours AS (
	SELECT id FROM {table} JOIN unnest($1::uuid[], $2::integer[]) AS f (id, attempt) USING (id)
	WHERE {attempts} = attempt AND coalesce({status}, '') = 'in-progress'
	ORDER BY id FOR NO KEY UPDATE OF {table}
)`

const extendSQL = ours + `
UPDATE {table} SET {lease_until} = now() + $3::interval
FROM ours WHERE {table}.id = ours.id
RETURNING {table}.id, {attempts}`

// Extend implements job.Store.
func (j *Jobs) Extend(ctx context.Context, fences []job.Attempt, lease time.Duration) (ours []job.Attempt, err error) {
	ids, attempts := split(fences)
	err = repeat(ctx, func() error {
		ours, err = Rows[job.Attempt](ctx, j.db.reserved, j.sql(extendSQL), ids, attempts, lease)
		return err
	})
	return ours, failure.At("extend leases", err)
}

// retrySQL alone writes {parked_for}. See parked for the rows it counts for.
const retrySQL = `
UPDATE {table} SET {status} = 'pending', {error} = $3, {due_at} = now() + $4::interval,
	{lease_until} = NULL, {lapses} = 0, {parked_for} = nullif($5, '')
WHERE id = $1 AND {attempts} = $2 AND {status} = 'in-progress'`

// failSQL fails a row and writes its notification in one statement. A trigger (migration
// 00011) adds a delivery for each channel.
const failSQL = `
WITH failed AS (
	UPDATE {table} SET {status} = 'failed', {error} = $3, {failed_at} = now(),
		{lease_until} = NULL, {due_at} = NULL, {lapses} = 0
	WHERE id = $1 AND {attempts} = $2 AND {status} = 'in-progress'
	RETURNING id, tenant_id, {attempts} AS attempts, {error} AS error
)
INSERT INTO notification (tenant_id, subject, {subject_id}, kind, attempt, created_at, payload)
SELECT tenant_id, '{subject}', failed.id, $4::text, attempts, now(), jsonb_build_object(
	'{subject_id}', failed.id, 'tenant_id', tenant_id, 'tenant', tenant.name, 'kind', $4::text,
	'error', error, 'attempts', attempts, 'deliveries', $5::int)
FROM failed JOIN tenant ON tenant.id = tenant_id`

// Release implements job.Store.
func (j *Jobs) Release(ctx context.Context, f job.Attempt, v job.Release) (changed bool, err error) {
	sql, args := j.Releasing(f, v)
	n, err := j.db.reserved.changed(ctx, sql, args...)
	return n == 1, failure.At("write "+string(v.Status), err)
}

// Releasing is Release as a statement, for the transaction of a workload.
func (j *Jobs) Releasing(f job.Attempt, v job.Release) (sql string, args []any) {
	if v.Status == job.StatusFailed {
		return j.sql(failSQL), []any{f.ID, f.Number, v.Reason, v.Kind, v.Delivery}
	}
	return j.sql(retrySQL), []any{f.ID, f.Number, v.Reason, v.Due, Storable(v.Service)}
}

const succeeded = `{status} = 'succeeded', {error} = NULL, {failed_at} = NULL,
	{lease_until} = NULL, {due_at} = NULL, {lapses} = 0`

const succeedAllSQL = ours + `
UPDATE {table} SET ` + succeeded + `
FROM ours WHERE {table}.id = ours.id
RETURNING {table}.id, {attempts}`

// Succeed commits an attempt's results together with succeeded, all or nothing. Use it for a
// new workload. It returns job.ErrFenceLost without running write if the fence doesn't hold:
// the fence is the first statement, so a stale attempt writes nothing in vain, and the row
// stays locked until the commit. write must expect to run again after a lost race or
// connection. Write of package matches, offers.Store.Complete and reviews.Store.End have the same
// fence in other statements, because one of them ends many rows.
func (j *Jobs) Succeed(ctx context.Context, f job.Attempt, write func(pgx.Tx) error) error {
	return Steadily(ctx, func() error {
		return j.db.pool.inTx(ctx, &pgx.Batch{}, func(tx pgx.Tx) error {
			held, err := Rows[job.Attempt](ctx, tx, j.sql(succeedAllSQL), []uuid.UUID{f.ID}, []int{f.Number})
			if err == nil && len(held) == 0 {
				err = job.ErrFenceLost
			}
			if err != nil {
				return err
			}
			return write(tx)
		})
	})
}

// SucceedAll sets the rows of attempts succeeded, for work without results to store. It returns
// the fences that held. Use it with job.Commit.
func (j *Jobs) SucceedAll(ctx context.Context, fences []job.Attempt) (held []job.Attempt, err error) {
	ids, attempts := split(fences)
	return Rows[job.Attempt](ctx, j.db.Steady(), j.sql(succeedAllSQL), ids, attempts)
}

// split splits fences into ids and attempts.
func split(fences []job.Attempt) (ids []uuid.UUID, attempts []int) {
	for _, f := range fences {
		ids, attempts = append(ids, f.ID), append(attempts, f.Number)
	}
	return ids, attempts
}

const findSQL = `
SELECT coalesce({status}, ''), {attempts}, coalesce({lease_until} - now(), interval '0')
FROM {table} WHERE id = $1`

// Find implements job.Store.
func (j *Jobs) Find(ctx context.Context, id uuid.UUID) (job.Row, error) {
	row, err := First[job.Row](ctx, j.db.reserved, j.sql(findSQL), id)
	if errors.Is(err, job.ErrNotFound) {
		return row, err
	}
	return row, failure.At("read the row again", err)
}
