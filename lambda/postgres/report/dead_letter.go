package report

import (
	"cmp"
	"context"
	"strings"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// LetterRow is the row named by a message of a dead-letter queue, or another one that failed.
type LetterRow struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	Status    string // empty for NULL
	Kind      string // of its latest failure; empty: unknown
	Error     string
	Attempts  int
	Published *time.Time
	Subject   uuid.UUID // the document that paid calls are stored with; a chunk's review has several
}

// The states of a dead letter.
const (
	LetterFailed  = "failed"  // its row has failed: redrive it once the cause is fixed
	LetterDone    = "done"    // nothing is left to do: drop it
	LetterWaiting = "waiting" // its row is pending or in progress; the sweep goes on with it
	LetterNoRow   = "no-row"  // it names no row, as the inbox's events of files
)

// State decides what is left to do for a message that names a row with this id, and was stamped
// then. found tells whether there is such a row. A row published after its message has another
// one, and workers acknowledge the older one without work.
func (r LetterRow) State(id uuid.UUID, stamp time.Time, found bool) (state, why string) {
	switch {
	case id == uuid.Nil:
		return LetterNoRow, "it names no row"
	case !found:
		return LetterDone, "its row was deleted"
	case r.Status == "succeeded" || r.Status == "cancelled":
		return LetterDone, "its row has " + map[string]string{"succeeded": "succeeded", "cancelled": "been cancelled"}[r.Status]
	case r.Published != nil && !stamp.IsZero() && r.Published.After(stamp):
		return LetterDone, "its row was published again, and is " + cmp.Or(r.Status, "not matchable")
	case r.Status == "failed":
		return LetterFailed, ""
	case r.Status == "":
		return LetterDone, "its row can't be worked on"
	}
	return LetterWaiting, "its row is " + r.Status + "; the sweep goes on with it"
}

const letterRowsSQL = `
SELECT d.id, d.tenant_id, coalesce(d.{status}, ''), coalesce((SELECT kind FROM notification
		WHERE subject = '{subject}' AND {subject_id} = d.id ORDER BY attempt DESC, created_at DESC LIMIT 1), ''),
	coalesce(d.{error}, ''), d.{attempts}, d.{published_at}, {document}
FROM {table} AS d WHERE d.id = ANY ($1) ORDER BY d.tenant_id, d.{arrived}, d.id`

// documentOfRow has the document of a row of each table.
var documentOfRow = map[string]string{"document": "d.id", "ingestion": "d.document_id",
	"review_chunk": "(SELECT document_id FROM review_job WHERE id = d.job_id)", "matchmaking_job": "d.id"}

// LetterRows reads rows by their ids, by tenant and time. It leaves out deleted ones.
func (r Reader) LetterRows(ctx context.Context, t postgres.Table, ids []uuid.UUID) ([]LetterRow, error) {
	sql := strings.ReplaceAll(letterRowsSQL, "{document}", documentOfRow[t.Name])
	return postgres.Rows[LetterRow](ctx, r.db, t.SQL(sql), ids)
}
