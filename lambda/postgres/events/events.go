// Package events holds the SQL of events for other programs. Triggers write each event in the
// transaction of its change (migration 00033). A document's events go out in order: none while
// an earlier one waits.
//
// The writer of an event locks its documents before drawing the sequence number, and until the
// commit. So no earlier event of a document can appear after one you see, and an event free to
// be sent stays free.
package events

import (
	"context"
	"encoding/json"
	"time"

	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Store is the outbox of events: it implements outbox.Outbox for package notify/outbox, which
// sends them to the webhook.
type Store struct{ db *postgres.DB }

// New returns the outbox of events in a database.
func New(db *postgres.DB) *Store { return &Store{db} }

const recordEventsSQL = `INSERT INTO event_receiver DEFAULT VALUES ON CONFLICT DO NOTHING`

// Record starts the recording of events. Calling it again changes nothing.
func (e *Store) Record(ctx context.Context) error {
	return e.db.Steady().Exec(ctx, recordEventsSQL)
}

// waitingEvent is an event neither delivered nor given up.
type waitingEvent struct {
	Sequence int64
	A, B     uuid.UUID // its documents, equal if there is just one
	Held     bool      // not due, or another sender has it
}

const waitingEventsSQL = `
SELECT sequence, document_a_id, coalesce(document_b_id, document_a_id),
	coalesce(due_at > now(), false) OR coalesce(claimed_until > now(), false)
FROM event WHERE delivered_at IS NULL AND dead_at IS NULL
ORDER BY sequence LIMIT $1`

// A claim first reads few waiting events. If most of them wait for others, it reads many;
// events even further behind wait for those.
const fewEvents, manyEvents = 500, 100_000

// Claim implements outbox.Outbox.
func (e *Store) Claim(ctx context.Context, limit int, hold time.Duration) ([]outbox.Parcel, error) {
	free, err := e.free(ctx, limit)
	if err != nil || len(free) == 0 {
		return nil, err
	}
	return postgres.RowsBy(ctx, e.db, event, claimEventsSQL, free, hold)
}

// free returns the sequence numbers of the oldest events free to be sent.
func (e *Store) free(ctx context.Context, limit int) (free []int64, err error) {
	for _, most := range []int{fewEvents, manyEvents} {
		waiting, err := postgres.Rows[waitingEvent](ctx, e.db, waitingEventsSQL, most)
		if err != nil {
			return nil, err
		}
		if free = freeOf(waiting, limit); len(free) == limit || len(waiting) < most {
			break
		}
	}
	return free, nil
}

// freeOf returns the first events without an earlier one of their documents. waiting must hold
// the oldest waiting events, in order.
func freeOf(waiting []waitingEvent, limit int) (free []int64) {
	blocked := map[uuid.UUID]bool{}
	for _, w := range waiting {
		if !w.Held && !blocked[w.A] && !blocked[w.B] {
			if free = append(free, w.Sequence); len(free) == limit {
				break
			}
		}
		blocked[w.A], blocked[w.B] = true, true
	}
	return free
}

const claimEventsSQL = `
WITH due AS (
	SELECT id FROM event
	WHERE sequence = ANY ($1) AND delivered_at IS NULL AND dead_at IS NULL
		AND coalesce(due_at <= now(), true) AND coalesce(claimed_until <= now(), true)
	ORDER BY sequence
	FOR UPDATE SKIP LOCKED
), claimed AS (
	UPDATE event SET tries = tries + 1, claimed_until = now() + $2::interval
	WHERE id = ANY (ARRAY(SELECT id FROM due))
	RETURNING id, sequence, tries, kind, tenant_id, created_at, data
)
SELECT id, tries, sequence, kind, tenant_id, created_at, data FROM claimed ORDER BY sequence`

// eventMessage is the JSON of an event for its receiver.
type eventMessage struct {
	ID        uuid.UUID       `json:"id"`
	Sequence  int64           `json:"sequence"`
	Kind      string          `json:"kind"`
	Tenant    uuid.UUID       `json:"tenant_id"`
	CreatedAt time.Time       `json:"created_at"`
	Data      json.RawMessage `json:"data"`
}

func event(row pgx.CollectableRow) (p outbox.Parcel, err error) {
	var m eventMessage
	if err := row.Scan(&m.ID, &p.Tries, &m.Sequence, &m.Kind, &m.Tenant, &m.CreatedAt, &m.Data); err != nil {
		return p, err
	}
	m.CreatedAt = m.CreatedAt.UTC()
	p.ID = m.ID
	p.Body, err = json.Marshal(m)
	return p, err
}

const eventsDeliveredSQL = `
UPDATE event SET delivered_at = now(), dead_at = NULL, claimed_until = NULL, error = NULL
WHERE id = ANY ($1) AND delivered_at IS NULL`

// Delivered implements outbox.Outbox. It counts even after the claim was lost, because the
// receiver has the event.
func (e *Store) Delivered(ctx context.Context, ids []uuid.UUID) error {
	return e.db.Steady().Exec(ctx, eventsDeliveredSQL, ids)
}

// refusedFor is the time after the first refusal until an event is given up, in SQL: long
// enough for a weekend.
const refusedFor = `interval '3 days'`

const releaseEventsSQL = `
UPDATE event AS e SET due_at = now() + r.wait, claimed_until = NULL, error = r.error,
	refused_at = CASE WHEN r.refused THEN coalesce(e.refused_at, now()) ELSE e.refused_at END,
	dead_at = CASE WHEN r.refused AND e.refused_at <= now() - ` + refusedFor + ` THEN now() END
FROM unnest($1::uuid[], $2::integer[], $3::interval[], $4::text[], $5::boolean[]) AS r (id, tries, wait, error, refused)
WHERE e.id = r.id AND e.tries = r.tries AND e.delivered_at IS NULL`

// Release implements outbox.Outbox. An event refused for longer than refusedFor is given up,
// so that later ones of its documents can go out.
func (e *Store) Release(ctx context.Context, returned []outbox.Return) error {
	refused := make([]bool, len(returned))
	for i, r := range returned {
		refused[i] = r.Refused
	}
	ids, tries, waits, errors := postgres.ReturnColumns(returned)
	return e.db.Steady().Exec(ctx, releaseEventsSQL, ids, tries, waits, errors, refused)
}

const eventGaugesSQL = `
SELECT count(*), coalesce(greatest(now() - min(created_at), interval '0'), interval '0'),
	(SELECT count(*) FROM event WHERE dead_at IS NOT NULL)
FROM event WHERE delivered_at IS NULL AND dead_at IS NULL`

// ReadGauges measures the waiting events.
func ReadGauges(ctx context.Context, from postgres.Querier) (postgres.EventGauges, error) {
	return postgres.First[postgres.EventGauges](ctx, from, eventGaugesSQL)
}

const forgetEventsSQL = `
DELETE FROM event WHERE id = ANY (ARRAY(
	SELECT id FROM event WHERE delivered_at < now() - interval '14 days' ORDER BY delivered_at LIMIT $1))
RETURNING id`

// Forget deletes up to limit events delivered more than 14 days ago, and returns their number.
func (e *Store) Forget(ctx context.Context, limit int) (n int, err error) {
	ids, err := postgres.IDs(ctx, e.db, forgetEventsSQL, limit)
	return len(ids), err
}
