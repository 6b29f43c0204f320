package matches

import (
	"context"
	"time"

	"matchbook/lambda/job"
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
INSERT INTO desk_assignment (document_id, tenant_id, assignee) SELECT id, tenant_id, $2 FROM document WHERE id = $1
ON CONFLICT (document_id) DO UPDATE SET assignee = excluded.assignee`
	lockDocumentSQL = `
SELECT FROM document WHERE id = $1 FOR NO KEY UPDATE`
	unassignSQL = `
DELETE FROM desk_assignment WHERE document_id = $1`
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
		switch {
		case err != nil || tag.RowsAffected() == 0 || n.Kind != Assign:
		case n.Text == "":
			_, err = tx.Exec(ctx, unassignSQL, document)
		default:
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
