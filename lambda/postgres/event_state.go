package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// EventFilter selects events that the receiver has not accepted. Zero values select all.
type EventFilter struct {
	Tenant uuid.UUID
	ID     uuid.UUID
	Since  time.Time     // recorded since then
	Within time.Duration // recorded so long ago, or later
}

func (f EventFilter) args() []any {
	var tenant, id *uuid.UUID
	var since *time.Time
	var within *time.Duration
	if f.Tenant != uuid.Nil {
		tenant = &f.Tenant
	}
	if f.ID != uuid.Nil {
		id = &f.ID
	}
	if !f.Since.IsZero() {
		since = &f.Since
	}
	if f.Within > 0 {
		within = &f.Within
	}
	return []any{tenant, id, since, within}
}

// EventState counts the events of a tenant and a kind that the receiver has not accepted.
type EventState struct {
	Tenant  uuid.UUID
	Kind    string
	Waiting int           // not given up
	Oldest  time.Duration // the age of the oldest of these; 0 without one
	Refused int           // of these, those that the receiver has refused
	Dead    int           // given up
	Error   string        // the latest of the oldest event that was tried; empty: none was
}

// openEvents are the events that were not accepted and that an EventFilter selects ($1
// to $4). late narrows those that wait. Each half has an index of its own.
func openEvents(late string) string {
	const columns = `SELECT id, tenant_id, kind, sequence, created_at, refused_at, dead_at, error FROM event`
	return `SELECT * FROM (
	` + columns + ` WHERE delivered_at IS NULL AND dead_at IS NULL ` + late + `
	UNION ALL
	` + columns + ` WHERE dead_at IS NOT NULL
) AS e
WHERE ($1::uuid IS NULL OR tenant_id = $1) AND ($2::uuid IS NULL OR id = $2)
	AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::interval IS NULL OR created_at >= now() - $4::interval)`
}

// countEvents counts what openEvents selects, by tenant and kind.
func countEvents(from string) string {
	return `
SELECT tenant_id, kind, count(*) FILTER (WHERE dead_at IS NULL),
	coalesce(greatest(now() - min(created_at) FILTER (WHERE dead_at IS NULL), interval '0'), interval '0'),
	count(*) FILTER (WHERE dead_at IS NULL AND refused_at IS NOT NULL), count(*) FILTER (WHERE dead_at IS NOT NULL),
	coalesce((array_agg(error ORDER BY sequence) FILTER (WHERE error IS NOT NULL))[1], '')
FROM (` + from + `) AS chosen GROUP BY tenant_id, kind ORDER BY tenant_id, kind`
}

// late are the events that wait for the time of their next try. No sender has one.
const late = `AND due_at > now()`

var (
	eventStatesSQL = countEvents(openEvents(""))
	lateEventsSQL  = countEvents(openEvents(late))
)

// An event that is locked has a sender: it is left out.
var requeueEventsSQL = `
WITH chosen AS (
	SELECT id, tenant_id, kind, sequence, created_at, refused_at, dead_at, error FROM event
	WHERE id = ANY (ARRAY(SELECT id FROM (` + openEvents(late) + `) AS selected)) AND delivered_at IS NULL
	ORDER BY sequence
	FOR UPDATE SKIP LOCKED
), changed AS (
	UPDATE event SET due_at = NULL, dead_at = NULL, refused_at = NULL WHERE id = ANY (ARRAY(SELECT id FROM chosen))
)` + countEvents(`SELECT * FROM chosen`)

// States counts the events that the receiver has not accepted.
func (e *Events) States(ctx context.Context, f EventFilter) ([]EventState, error) {
	return collect[EventState](ctx, e.db, eventStatesSQL, f.args()...)
}

// Late counts the events that Requeue would have sent.
func (e *Events) Late(ctx context.Context, f EventFilter) ([]EventState, error) {
	return collect[EventState](ctx, e.db, lateEventsSQL, f.args()...)
}

// Requeue has the events sent at once that were given up, or that wait for the time of
// their next try, and returns what they were. Each is the same as before: its id, which
// is the idempotency key, its sequence and its data. One that is refused again is given up
// after refusedFor.
func (e *Events) Requeue(ctx context.Context, f EventFilter) ([]EventState, error) {
	return collect[EventState](ctx, e.db, requeueEventsSQL, f.args()...)
}

const recordedSinceSQL = `SELECT since FROM event_receiver`

// RecordedSince returns the time since which events are recorded; nil: none are.
func (e *Events) RecordedSince(ctx context.Context) (since *time.Time, err error) {
	err = e.db.pool.QueryRow(ctx, recordedSinceSQL).Scan(&since)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return since, err
}
