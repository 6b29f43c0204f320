package postgres

import (
	"context"
	"errors"
	"time"

	"matchbook/lambda/job"
)

// beginSessionSQL also deletes ended sessions. There are as many as logins within the life of
// one.
const beginSessionSQL = `
WITH ended AS (DELETE FROM console_session WHERE ends_at <= now())
INSERT INTO console_session (id, person, started_at, used_at, ends_at)
VALUES ($1, $2, now(), now(), now() + $3)
ON CONFLICT (id) DO NOTHING`

// BeginSession implements login.Store.
func (db *DB) BeginSession(ctx context.Context, id [32]byte, person []byte, life time.Duration) error {
	return db.Steady().Exec(ctx, beginSessionSQL, id[:], person, life)
}

const useSessionSQL = `
UPDATE console_session SET used_at = now()
WHERE id = $1 AND ends_at > now() AND used_at > now() - $2::interval
RETURNING person`

// UseSession implements login.Store.
func (db *DB) UseSession(ctx context.Context, id [32]byte, idle time.Duration) (person []byte, err error) {
	person, err = Value[[]byte](ctx, db.Steady(), useSessionSQL, id[:], idle)
	if errors.Is(err, job.ErrNotFound) {
		return nil, nil
	}
	return person, err
}

const endSessionSQL = `DELETE FROM console_session WHERE id = $1`

// EndSession implements login.Store.
func (db *DB) EndSession(ctx context.Context, id [32]byte) error {
	return db.Steady().Exec(ctx, endSessionSQL, id[:])
}

const endSessionsSQL = `DELETE FROM console_session WHERE $1 = '' OR $1 IN (person ->> 'ID', person ->> 'Name')`

// EndSessions logs a person out everywhere, by id or name, or everybody if person is empty. It
// returns the number of sessions.
func (db *DB) EndSessions(ctx context.Context, person string) (n int64, err error) {
	return db.pool.changed(ctx, endSessionsSQL, person)
}
