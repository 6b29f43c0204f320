package postgres

import (
	"context"
	"errors"
	"fmt"

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

// Action is a person's request about a document.
type Action struct {
	ID     uuid.UUID // of the form, as its idempotency key
	By     string    // the person
	Reason string
	Seen   string // the version that the person saw (DocumentVersion or another)
}

const documentVersionSQL = `
SELECT md5(ROW(tenant_id, matching_status, matching_attempts, matching_published_at, matching_error)::text)
FROM document WHERE id = $1`

// DocumentVersion returns the version of a document's state. Every publish, claim and
// settlement changes it. It returns job.ErrNotFound for an unknown id.
func (db *DB) DocumentVersion(ctx context.Context, id uuid.UUID) (string, error) {
	return Value[string](ctx, db, documentVersionSQL, id)
}

// PublishFor publishes a document for a person, and stores the person and the reason. The
// caller must send the returned messages. A form submitted again does nothing. It returns
// ErrStale if the state has changed since the person saw it.
func (db *DB) PublishFor(ctx context.Context, id uuid.UUID, a Action) ([]job.Stamped, error) {
	if a.Seen == "" {
		return nil, ErrStale
	}
	return db.Act(ctx, id, a, Act{"document_action", "publish", documentVersionSQL}, func(tx pgx.Tx) ([]job.Stamped, error) {
		return db.PublishIn(ctx, tx, []uuid.UUID{id})
	})
}

// Act is something that people do about documents.
type Act struct{ Table, Kind, VersionSQL string }

// Statements of Act, for its table.
const (
	lockDocumentSQL = `
SELECT id FROM document WHERE id = $1 FOR NO KEY UPDATE`
	actedSQL = `
SELECT EXISTS (SELECT FROM %s WHERE id = $1)`
	actionSQL = `
INSERT INTO %s (id, tenant_id, document_id, kind, acted_by, reason)
SELECT $1, tenant_id, id, $3, $4, $5 FROM document WHERE id = $2`
)

// Act stores what a person does about a document, and does it, in one transaction: once for each
// form, and only in the state that the person saw, if any. It returns ErrStale in another, and
// job.ErrNotFound for an unknown document.
func (db *DB) Act(
	ctx context.Context, id uuid.UUID, a Action, act Act, do func(pgx.Tx) ([]job.Stamped, error),
) ([]job.Stamped, error) {
	return Within(ctx, db, func(tx pgx.Tx) ([]job.Stamped, error) {
		if _, err := Value[uuid.UUID](ctx, tx, lockDocumentSQL, id); err != nil {
			return nil, err
		}
		if acted, err := Value[bool](ctx, tx, fmt.Sprintf(actedSQL, act.Table), a.ID); err != nil || acted {
			return nil, err
		}
		version, err := Value[string](ctx, tx, act.VersionSQL, id)
		if err != nil {
			return nil, err
		}
		if a.Seen != "" && version != a.Seen {
			return nil, ErrStale
		}
		if _, err := tx.Exec(ctx, fmt.Sprintf(actionSQL, act.Table), a.ID, id, act.Kind, a.By, a.Reason); err != nil {
			return nil, err
		}
		return do(tx)
	})
}
