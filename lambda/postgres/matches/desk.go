package matches

import (
	"context"
	"errors"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Note is a comment on a document, or an assignment.
type Note struct {
	Form uuid.UUID // as its idempotency key
	Kind NoteKind
	Text string // the comment or the assignee; empty: assigned to nobody any more
	By   string
}

// NoteKind is the kind of a Note.
type NoteKind string

// The kinds.
const (
	Comment NoteKind = "comment"
	Assign  NoteKind = "assign"
)

const (
	noteSQL = `
INSERT INTO desk_note (form, tenant_id, document_id, kind, text, written_by)
SELECT $2, tenant_id, id, $3, $4, $5 FROM document WHERE id = $1 ON CONFLICT (form) DO NOTHING`
	assignSQL = `
WITH unassigned AS (DELETE FROM desk_assignment WHERE document_id = $1 AND $2 = '')
INSERT INTO desk_assignment (document_id, tenant_id, assignee)
SELECT id, tenant_id, $2 FROM document WHERE id = $1 AND $2 <> ''
ON CONFLICT (document_id) DO UPDATE SET assignee = excluded.assignee`
	lockDocumentSQL = `
SELECT FROM document WHERE id = $1 FOR NO KEY UPDATE`
)

// WriteNote stores a note about a document. A form sent again does nothing. It returns job.ErrNotFound
// for an unknown document.
func (m *Store) WriteNote(ctx context.Context, document uuid.UUID, n Note) error {
	return m.db.InTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, lockDocumentSQL, document)
		if err == nil && tag.RowsAffected() == 0 {
			err = job.ErrNotFound
		}
		if err != nil {
			return err
		}
		tag, err = tx.Exec(ctx, noteSQL, document, n.Form, n.Kind, postgres.Storable(n.Text), postgres.Storable(n.By))
		if err == nil && tag.RowsAffected() > 0 && n.Kind == Assign {
			_, err = tx.Exec(ctx, assignSQL, document, postgres.Storable(n.Text))
		}
		return err
	})
}

// Commented is a comment as stored. Note that its texts are as people wrote them.
type Commented struct {
	At       time.Time
	By, Text string
}

const commentsSQL = `
SELECT written_at, written_by, text FROM desk_note WHERE document_id = $1 AND kind = 'comment' ORDER BY id DESC LIMIT $2`

// Comments reads up to limit comments on a document, the latest first.
func (m *Store) Comments(ctx context.Context, document uuid.UUID, limit int) ([]Commented, error) {
	return postgres.Rows[Commented](ctx, m.db, commentsSQL, document, limit)
}

const assigneesSQL = `
SELECT document_id, assignee FROM desk_assignment WHERE document_id = ANY ($1)`

// Assignees returns the people that documents are assigned to.
func (m *Store) Assignees(ctx context.Context, documents []uuid.UUID) (map[uuid.UUID]string, error) {
	return postgres.Map[map[uuid.UUID]string](ctx, m.db, assigneesSQL, documents)
}

// Settlement is a person's answer to a warning: it needs no more attention, for a reason. It
// holds while the warning's facts are the same.
type Settlement struct {
	Document uuid.UUID // subject of the warning
	Kind     warning.Kind
	Other    uuid.UUID // zero: all warnings of the kind
	By       string    // the person
	Origin   string    // postgres.OriginCommand or OriginConsole
	Verdict  string    // of warning.Kind.Verdicts; empty: none given
	Reason   string
	Facts    string // when the person saw it (warning.Warning); empty: settle it regardless of changes
}

// ErrNoSuchWarning reports a document without such a warning.
var ErrNoSuchWarning = errors.New("unknown warning of the document")

const settleSQL = `
WITH settled AS (
	SELECT tenant_id, document_id, kind, other_document_id, facts FROM document_warning
	WHERE document_id = $1 AND kind = $2 AND ($3 IN ('00000000-0000-0000-0000-000000000000'::uuid, other_document_id))
), put AS (
	INSERT INTO warning_settled (tenant_id, document_id, kind, other_document_id, facts, settled_by, origin, reason, verdict)
	SELECT tenant_id, document_id, kind, other_document_id, facts, $5, $6, $7, $8 FROM settled WHERE $4 IN ('', facts)
	ON CONFLICT DO NOTHING RETURNING 1
)
SELECT (SELECT count(*) FROM settled), (SELECT count(*) FROM settled WHERE $4 IN ('', facts)), (SELECT count(*) FROM put)`

// Settle stores a settlement, and returns the number of warnings settled by it: 0 if they were
// before. It returns ErrNoSuchWarning or ErrStale if it can't settle any.
func (m *Store) Settle(ctx context.Context, s Settlement) (settled int, err error) {
	var found, unchanged int
	err = postgres.Steadily(ctx, func() error {
		var put int
		err := postgres.Scan(ctx, m.db, []any{&found, &unchanged, &put},
			settleSQL, s.Document, s.Kind, s.Other, s.Facts, s.By, s.Origin, s.Reason, s.Verdict)
		settled += put
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case found == 0:
		return 0, ErrNoSuchWarning
	case unchanged == 0:
		return 0, postgres.ErrStale
	}
	return settled, nil
}
