package events

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/postgres"
)

// Receiver returns the switch of the receiver of these parcels (events or sets) at this URL. It
// implements outbox.Switch.
func Receiver(db *postgres.DB, parcels, url string) outbox.Switch {
	id := sha256.Sum256([]byte(strings.TrimSpace(url)))
	return receiver{db, parcels, id[:]}
}

type receiver struct {
	db      *postgres.DB
	parcels string
	id      []byte // not the URL, because it may have a secret
}

// receiverDisabledSQL also ends the state of an earlier URL.
const receiverDisabledSQL = `
WITH earlier AS (DELETE FROM receiver_gone WHERE parcels = $1 AND receiver <> $2)
SELECT EXISTS (SELECT FROM receiver_gone WHERE parcels = $1 AND receiver = $2)`

// Disabled implements outbox.Switch.
func (r receiver) Disabled(ctx context.Context) (bool, error) {
	return postgres.Value[bool](ctx, r.db, receiverDisabledSQL, r.parcels, r.id)
}

const disableReceiverSQL = `
INSERT INTO receiver_gone (parcels, receiver) VALUES ($1, $2)
ON CONFLICT (parcels) DO UPDATE SET receiver = EXCLUDED.receiver, gone_at = now()`

// Disable implements outbox.Switch.
func (r receiver) Disable(ctx context.Context) error {
	return r.db.Steady().Exec(ctx, disableReceiverSQL, r.parcels, r.id)
}

const receiverGoneSQL = `SELECT (SELECT gone_at FROM receiver_gone WHERE parcels = 'events')`

// GoneAt returns the time when the receiver answered that it is gone, or nil if it gets events.
func (e *Store) GoneAt(ctx context.Context) (*time.Time, error) {
	return postgres.Value[*time.Time](ctx, e.db, receiverGoneSQL)
}
