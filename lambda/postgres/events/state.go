package events

import (
	"context"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Filter selects events not yet accepted by the receiver. A zero field selects all.
type Filter struct {
	Tenant uuid.UUID
	ID     uuid.UUID
	Since  time.Time     // recorded at this time or later
	Within time.Duration // recorded within this time before now
}

func (f Filter) args() []any {
	return []any{postgres.OrNull(f.Tenant), postgres.OrNull(f.ID), postgres.OrNull(f.Since), postgres.OrNull(f.Within)}
}

// State counts a tenant's events of one kind not yet accepted by the receiver.
type State struct {
	Tenant  uuid.UUID `json:"tenant_id"`
	Kind    string    `json:"kind"`
	Waiting int       `json:"waiting"`        // not given up
	Oldest  int       `json:"oldest_seconds"` // age of the oldest waiting one; 0 without one
	Refused int       `json:"refused"`        // waiting ones refused by the receiver
	Dead    int       `json:"dead"`           // given up
	Error   string    `json:"error"`          // of the oldest event with an error; empty without one
}

// openEvents selects the unaccepted events of a Filter ($1 to $4); late narrows the
// waiting ones. It has two halves because each uses a different index.
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

// countEvents counts the events of openEvents by tenant and kind.
func countEvents(from string) string {
	return `
SELECT tenant_id, kind, count(*) FILTER (WHERE dead_at IS NULL),
	coalesce(floor(extract(epoch FROM greatest(now() - min(created_at) FILTER (WHERE dead_at IS NULL), interval '0')))::int, 0),
	count(*) FILTER (WHERE dead_at IS NULL AND refused_at IS NOT NULL), count(*) FILTER (WHERE dead_at IS NOT NULL),
	coalesce((array_agg(error ORDER BY sequence) FILTER (WHERE error IS NOT NULL))[1], '')
FROM (` + from + `) AS chosen GROUP BY tenant_id, kind ORDER BY tenant_id, kind`
}

// late selects events waiting for their next try. No sender holds them.
const late = `AND due_at > now()`

var (
	eventStatesSQL = countEvents(openEvents(""))
	lateEventsSQL  = countEvents(openEvents(late))
)

// requeueEventsSQL skips locked events: a sender has them.
var requeueEventsSQL = `
WITH chosen AS (
	SELECT id, tenant_id, kind, sequence, created_at, refused_at, dead_at, error FROM event
	WHERE id = ANY (ARRAY(SELECT id FROM (` + openEvents(late) + `) AS selected)) AND delivered_at IS NULL
	ORDER BY sequence
	FOR UPDATE SKIP LOCKED
), changed AS (
	UPDATE event SET due_at = NULL, dead_at = NULL, refused_at = NULL WHERE id = ANY (ARRAY(SELECT id FROM chosen))
), enabled AS (
	DELETE FROM receiver_gone WHERE parcels = 'events'
)` + countEvents(`SELECT * FROM chosen`)

// States counts the events not yet accepted by the receiver.
func (e *Store) States(ctx context.Context, f Filter) ([]State, error) {
	return postgres.Rows[State](ctx, e.db, eventStatesSQL, f.args()...)
}

// Late counts the events Requeue would make due.
func (e *Store) Late(ctx context.Context, f Filter) ([]State, error) {
	return postgres.Rows[State](ctx, e.db, lateEventsSQL, f.args()...)
}

// Requeue makes events due at once: given-up ones, and ones waiting for their next try. It
// returns their state before. An event keeps its id (the idempotency key), sequence and data.
// If refused again, it's given up after refusedFor. A disabled receiver gets events again.
func (e *Store) Requeue(ctx context.Context, f Filter) ([]State, error) {
	return postgres.Rows[State](ctx, e.db, requeueEventsSQL, f.args()...)
}

const recordedSinceSQL = `SELECT (SELECT since FROM event_receiver)`

// RecordedSince returns the time recording began, or nil if it never did.
func (e *Store) RecordedSince(ctx context.Context) (*time.Time, error) {
	return postgres.Value[*time.Time](ctx, e.db, recordedSinceSQL)
}
