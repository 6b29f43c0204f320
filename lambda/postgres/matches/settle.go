package matches

import (
	"context"
	"errors"

	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

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
		err := m.db.QueryRow(ctx, settleSQL, s.Document, s.Kind, s.Other, s.Facts, s.By, s.Origin, s.Reason, s.Verdict).
			Scan(&found, &unchanged, &put)
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
