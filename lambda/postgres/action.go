package postgres

import (
	"context"
	"errors"

	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The origins of what people do.
const (
	OriginCommand = "command"
	OriginConsole = "console"
)

// ErrStale reports a change since the person looked.
var ErrStale = errors.New("state has changed since it was shown")

// Action is a person's request to match a document again.
type Action struct {
	ID     uuid.UUID // of the form, as its idempotency key
	By     string    // the person
	Reason string
	// Seen is the document's version when the person saw it (DocumentVersion).
	Seen string
}

const documentVersion = `md5(ROW(tenant_id, matching_status, matching_attempts, matching_published_at, matching_error)::text)`

const documentVersionSQL = `
SELECT ` + documentVersion + ` FROM document WHERE id = $1`

// DocumentVersion returns the version of a document's state. Every publish, claim and
// settlement changes it. It returns job.ErrNotFound for an unknown id.
func (db *DB) DocumentVersion(ctx context.Context, id uuid.UUID) (string, error) {
	return Value[string](ctx, db, documentVersionSQL, id)
}

const lockVersionSQL = `
SELECT ` + documentVersion + ` FROM document WHERE id = $1 FOR NO KEY UPDATE`

const actedSQL = `
SELECT EXISTS (SELECT FROM document_action WHERE id = $1)`

const actionSQL = `
INSERT INTO document_action (id, tenant_id, document_id, kind, acted_by, reason)
SELECT $1, tenant_id, id, 'publish', $3, $4 FROM document WHERE id = $2`

// PublishFor publishes a document for a person, and stores the person and the reason. The
// caller must send the returned messages. A form submitted again does nothing. It returns
// ErrStale if the state has changed since the person saw it.
func (db *DB) PublishFor(ctx context.Context, id uuid.UUID, a Action) ([]job.Stamped, error) {
	return Within(ctx, db, func(tx pgx.Tx) ([]job.Stamped, error) {
		version, err := Value[string](ctx, tx, lockVersionSQL, id)
		if err != nil {
			return nil, err
		}
		if acted, err := Value[bool](ctx, tx, actedSQL, a.ID); err != nil || acted {
			return nil, err
		}
		if version != a.Seen {
			return nil, ErrStale
		}
		if _, err := tx.Exec(ctx, actionSQL, a.ID, id, a.By, a.Reason); err != nil {
			return nil, err
		}
		return db.PublishIn(ctx, tx, []uuid.UUID{id})
	})
}
