package report

import (
	"context"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Deed is a person's act on a document: a decision about it and another one, a settled warning, a
// request to match it again, or what was done about its file. Note that its texts are as people wrote them.
type Deed struct {
	At   time.Time
	What string // confirmed, rejected, withdrawn, publish, the kind of a settled warning, or correct, read, dismiss, pages,
	// or approve, hold, dispute, withdraw, reopen, or comment, assign
	By    string
	Note  string
	Other *uuid.UUID // of a decision or a warning
}

const deedsSQL = `
SELECT * FROM (
	SELECT decided_at AS at, verdict, decided_by, note, document_b_id AS other FROM decision WHERE document_a_id = $1
	UNION ALL SELECT decided_at, verdict, decided_by, note, document_a_id FROM decision WHERE document_b_id = $1
	UNION ALL SELECT settled_at, kind, settled_by, concat_ws(', ', nullif(replace(verdict, '-', ' '), ''), reason), other_document_id
		FROM warning_settled WHERE document_id = $1
	UNION ALL SELECT acted_at, kind, acted_by, reason, NULL FROM document_action WHERE document_id = $1
	UNION ALL SELECT acted_at, kind, acted_by, reason, NULL FROM file_action WHERE document_id = $1
	UNION ALL SELECT acted_at, action, acted_by, reason, NULL FROM invoice_action WHERE document_id = $1
	UNION ALL SELECT written_at, kind, written_by, text, NULL FROM desk_note WHERE document_id = $1
) AS deeds ORDER BY at DESC, verdict, other LIMIT $2`

// Deeds reads up to limit deeds about a document, the latest first.
func (r Reader) Deeds(ctx context.Context, id uuid.UUID, limit int) ([]Deed, error) {
	return postgres.Rows[Deed](ctx, r.db, deedsSQL, id, limit)
}
