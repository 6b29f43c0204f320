package postgres

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/job/breaker"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
)

// Breakers keeps the breakers of services. It implements breaker.Store.
type Breakers struct{ db *DB }

// Breakers returns the breakers.
func (db *DB) Breakers() *Breakers { return &Breakers{db} }

// stateColumns are the columns of a breaker.State.
const stateColumns = `state, coalesce(state <> 'closed' AND next_at <= now(), false), probes, failures, cardinality(failed_rows),
	coalesce(now() - first_failed, interval '0'), coalesce(failed_rows = ARRAY[alone], false), outage_since, coalesce(error, '')`

func (b *Breakers) state(ctx context.Context, sql string, service string, args ...any) (s breaker.State, err error) {
	columns := []any{&s.Phase, &s.Due, &s.Probes, &s.Failures, &s.Rows, &s.Lasted, &s.Alone,
		(*zeronull.Timestamptz)(&s.Since), &s.Error}
	err = Scan(ctx, b.db.reserved, columns, sql, append([]any{Storable(service)}, args...)...)
	return s, err
}

// changed is state for a statement that changes nothing if another caller was faster.
func (b *Breakers) changed(ctx context.Context, sql string, service string, args ...any) (breaker.State, error) {
	s, err := b.state(ctx, sql, service, args...)
	if errors.Is(err, job.ErrNotFound) {
		return b.Look(ctx, service)
	}
	return s, failure.At("write a breaker", err)
}

const lookBreakerSQL = `SELECT ` + stateColumns + ` FROM service_breaker WHERE service = $1`

// Look implements breaker.Store.
func (b *Breakers) Look(ctx context.Context, service string) (breaker.State, error) {
	s, err := b.state(ctx, lookBreakerSQL, service)
	if errors.Is(err, job.ErrNotFound) {
		return breaker.State{Phase: breaker.Closed}, nil
	}
	return s, failure.At("read a breaker", err)
}

// failedRows adds $2 to the first rows of a succession.
const failedRows = `CASE WHEN $2 = ANY (b.failed_rows) OR cardinality(b.failed_rows) >= 5 THEN b.failed_rows
	ELSE b.failed_rows || $2::uuid END`

// countFailedSQL begins a new succession if the last call failed long ago.
const countFailedSQL = `
INSERT INTO service_breaker AS b (service, changed_at, failures, failed_rows, first_failed, last_failed, error)
VALUES ($1, now(), 1, ARRAY[$2::uuid], now(), now(), $3)
ON CONFLICT (service) DO UPDATE SET
	failures = CASE WHEN b.last_failed > now() - interval '1 hour' THEN b.failures ELSE 0 END + 1,
	failed_rows = CASE WHEN b.failures > 0 AND b.last_failed > now() - interval '1 hour' THEN ` + failedRows + ` ELSE ARRAY[$2::uuid] END,
	first_failed = CASE WHEN b.failures > 0 AND b.last_failed > now() - interval '1 hour' THEN b.first_failed ELSE now() END,
	last_failed = now(), error = $3,
	next_at = CASE b.state WHEN 'open' THEN greatest(b.next_at, now() + $4::interval) ELSE b.next_at END
RETURNING ` + stateColumns

// Count implements breaker.Store.
func (b *Breakers) Count(ctx context.Context, service string, c breaker.FailedCall) (breaker.State, error) {
	return b.changed(ctx, countFailedSQL, service, c.Row, c.Sentence, c.Wait)
}

// noTenant is the tenant of notifications about all of them.
const noTenant = `'00000000-0000-0000-0000-000000000000'::uuid`

// openBreakerSQL opens a closed breaker. The first time, that begins an outage, with its notification.
const openBreakerSQL = `
WITH before AS (
	SELECT * FROM service_breaker WHERE service = $1 AND state = 'closed' AND failures > 0 FOR UPDATE
), opened AS (
	UPDATE service_breaker AS b SET state = 'open', changed_at = now(), next_at = now() + $2::interval, probes = 0,
		outage_id = coalesce(b.outage_id, gen_random_uuid()), outage_since = coalesce(b.outage_since, b.first_failed)
	FROM before WHERE b.service = before.service
	RETURNING b.*, before.outage_id IS NULL AS begins
), noted AS (
	INSERT INTO notification (tenant_id, subject, subject_id, kind, attempt, created_at, payload)
	SELECT ` + noTenant + `, 'service', outage_id, 'outage', 0, now(), jsonb_build_object('service', service, 'error',
		format('%s calls in a row failed since %s UTC, the last one with: %s. Work that needs the service waits, '
			'and goes on by itself once the service is back. Nothing fails and nothing is lost.', failures,
			to_char(first_failed AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), error))
	FROM opened WHERE begins
)
SELECT ` + stateColumns + ` FROM opened`

// Open implements breaker.Store.
func (b *Breakers) Open(ctx context.Context, service string, wait time.Duration) (breaker.State, error) {
	return b.changed(ctx, openBreakerSQL, service, wait)
}

const probeBreakerSQL = `
UPDATE service_breaker SET state = 'half-open', next_at = now() + $2::interval
WHERE service = $1 AND state <> 'closed' AND next_at <= now()`

// Probe implements breaker.Store.
func (b *Breakers) Probe(ctx context.Context, service string, lease time.Duration) (taken bool, err error) {
	tag, err := b.db.reserved.Exec(ctx, probeBreakerSQL, Storable(service), lease)
	return tag.RowsAffected() == 1, failure.At("take the probe of a breaker", err)
}

const reopenBreakerSQL = `
UPDATE service_breaker AS b SET state = 'open', next_at = now() + $4::interval, probes = b.probes + 1,
	failures = CASE $3 WHEN '' THEN b.failures ELSE b.failures + 1 END,
	failed_rows = CASE $3 WHEN '' THEN b.failed_rows ELSE ` + failedRows + ` END,
	last_failed = CASE $3 WHEN '' THEN b.last_failed ELSE now() END,
	error = coalesce(nullif($3, ''), b.error)
WHERE service = $1 AND state = 'half-open'
RETURNING ` + stateColumns

// Reopen implements breaker.Store.
func (b *Breakers) Reopen(ctx context.Context, service string, c breaker.FailedCall) (breaker.State, error) {
	return b.changed(ctx, reopenBreakerSQL, service, c.Row, c.Sentence, c.Wait)
}

// closeBreakerSQL notes the waiting rows, and a row that alone failed although the service is there.
var closeBreakerSQL = sync.OnceValue(func() string {
	return `
UPDATE service_breaker AS b SET state = 'closed', next_at = NULL, probes = 0, failures = 0, failed_rows = '{}', first_failed = NULL,
	changed_at = CASE state WHEN 'closed' THEN changed_at ELSE now() END,
	waited = CASE state WHEN 'closed' THEN waited ELSE greatest(waited, (` + countParked("$1") + `)) END,
	alone = CASE WHEN state = 'closed' THEN alone WHEN cardinality(failed_rows) = 1 THEN nullif(failed_rows[1], $2::uuid) END
WHERE service = $1 AND (state <> 'closed' OR failures > 0)
RETURNING ` + stateColumns
})

// Close implements breaker.Store.
func (b *Breakers) Close(ctx context.Context, service string, row uuid.UUID) (breaker.State, error) {
	return b.changed(ctx, closeBreakerSQL(), service, row)
}

// parked holds for the rows that wait for a service without a message. Publishing a row makes it
// due, so no publisher must know about services.
const parked = `{status} = 'pending' AND {parked_for} IS NOT NULL AND {due_at} > now()`

// countParked counts the rows of all tables that wait for a service. OCRs are used by functions
// that ask a model, too.
func countParked(service string) string {
	var sums []string
	for _, f := range manifest.Workloads() {
		if f.AsksModel {
			sums = append(sums, Tables[f.Name].sql(`(SELECT count(*) FROM {table} WHERE `+parked+` AND {parked_for} = `+service+`)`))
		}
	}
	return "SELECT " + strings.Join(sums, " + ")
}

// endOutagesSQL ends the outages of services that have been back for $1, or for $2 with failed
// calls, or that are no longer used.
const endOutagesSQL = `
WITH calm AS (
	SELECT * FROM service_breaker WHERE outage_id IS NOT NULL AND (
		state = 'closed' AND changed_at < now() - $1::interval AND (last_failed < now() - $1::interval OR changed_at < now() - $2::interval)
		OR state <> 'closed' AND next_at < now() - $2::interval)
	FOR UPDATE SKIP LOCKED
), ended AS (
	UPDATE service_breaker AS b SET outage_id = NULL, outage_since = NULL, waited = 0, state = 'closed', next_at = NULL, failures = 0,
		failed_rows = '{}', first_failed = NULL
	FROM calm WHERE b.service = calm.service
)
INSERT INTO notification (tenant_id, subject, subject_id, kind, attempt, created_at, payload)
SELECT ` + noTenant + `, 'service', outage_id, 'outage over', 0, now(), jsonb_build_object('service', service, 'error',
	format('%s from %s to %s UTC. %s rows waited when it came back; the sweep publishes them little by little.',
		CASE state WHEN 'closed' THEN 'It was away' ELSE 'It is not called any more. It was away' END,
		to_char(outage_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
		to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), waited))
FROM calm`

// EndOutages ends the outages of services that have been back for long enough, each with its
// notification. The sweep calls it.
func (b *Breakers) EndOutages(ctx context.Context) error {
	return failure.At("end outages", b.db.Steady().Exec(ctx, endOutagesSQL, breaker.Calm, breaker.LongCalm))
}

// unparkSQL stamps rows for each service that is back, or no longer called for $2, and one row for
// a service due for a probe. If its call was asked to wait, a row is due more than $3 from now until
// the wait is over. First of each tenant, so that one tenant's backlog doesn't keep the others
// waiting.
const unparkSQL = `
WITH allowed AS (
	SELECT service, CASE WHEN state = 'closed' OR next_at < now() - $2::interval THEN $1::integer
		WHEN next_at <= now() THEN 1 ELSE 0 END AS room
	FROM service_breaker WHERE EXISTS (SELECT FROM {table} WHERE ` + parked + ` AND {parked_for} = service)
), chosen AS (
	SELECT waiting.id FROM allowed CROSS JOIN LATERAL (
		SELECT first.id FROM tenant CROSS JOIN LATERAL (
			SELECT id, {due_at} AS due, row_number() OVER (ORDER BY {due_at}) AS place FROM {table}
			WHERE tenant_id = tenant.id AND ` + parked + ` AND {due_at} <= now() + $3::interval AND {parked_for} = service
			ORDER BY {due_at} LIMIT room) AS first
		ORDER BY place, due LIMIT room) AS waiting
	WHERE room > 0 LIMIT $1
), locked AS (
	SELECT id FROM {table} WHERE id = ANY (ARRAY(SELECT id FROM chosen)) AND ` + parked + `
	ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS job SET
	{published_at} = greatest(now(), {published_at} + interval '1 microsecond'), {due_at} = now(), {republished} = 0
FROM locked WHERE job.id = locked.id
RETURNING job.id, {published_at}, tenant_id`

// Unpark implements sweep.Store.
func (j *Jobs) Unpark(ctx context.Context, most int) ([]job.Stamped, error) {
	return Rows[job.Stamped](ctx, j.db, j.sql(unparkSQL), most, breaker.Unused, job.ParkedFor)
}
