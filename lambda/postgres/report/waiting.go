package report

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The kinds of things that wait for a person.
const (
	WaitingQuestion = "question" // whether two documents belong together
	WaitingWarning  = "warning"  // about a document, and often about another
	WaitingDocument = "failed"   // a document that matching has given up
	WaitingFile     = "file"     // a file that could not be read, or not with certainty
)

// WaitingKinds lists the kinds.
var WaitingKinds = []string{WaitingQuestion, WaitingWarning, WaitingDocument, WaitingFile}

// Waiting is one thing that waits for a person.
type Waiting struct {
	Kind     string
	TenantID uuid.UUID
	Document uuid.UUID
	Other    *uuid.UUID // of a question or a warning
	Value    *string    // the larger total of the two, a decimal; nil if neither states one
	Score    *float64   // of a question, from 0 to 1
	Words    string     // why, with texts of the documents
	Since    time.Time
}

// WaitingFilter selects what waits. Zero values select everything.
type WaitingFilter struct {
	Tenant uuid.UUID
	Kinds  []string
}

// waitingRows are the things that wait: $1 is a tenant or the zero id, $2 the kinds.
const waitingRows = `
	SELECT * FROM (
		SELECT 'question' AS kind, tenant_id, document_a_id AS id, document_b_id AS other, score, reasoning AS words,
			created_at AS since
		FROM match_suggestion
		UNION ALL SELECT 'warning', tenant_id, document_id, other_document_id, NULL, words, created_at
		FROM document_warning
		UNION ALL SELECT 'failed', tenant_id, id, NULL, NULL, coalesce(matching_error, ''), matching_failed_at
		FROM document WHERE matching_status = 'failed'
		UNION ALL SELECT 'file', tenant_id, document_id, NULL, NULL,
			coalesce(nullif(array_to_string(review_reasons, '; '), ''), error, ''),
			coalesce(failed_at, completed_at, created_at)
		FROM ingestion WHERE job_status = 'failed' OR needs_human_review
	) AS everything
	WHERE ($1 = '00000000-0000-0000-0000-000000000000'::uuid OR tenant_id = $1) AND kind = ANY ($2)`

// totalOf is a document's total, where it is a plain decimal.
const totalOf = `CASE WHEN structured_data ->> 'total' ~ '^-?[0-9]{1,18}(\.[0-9]{1,9})?$'
	THEN abs((structured_data ->> 'total')::numeric) END`

const waitingSQL = `
SELECT kind, waiting.tenant_id, waiting.id, other, value::text, score, words, since
FROM (` + waitingRows + `) AS waiting
CROSS JOIN LATERAL (
	SELECT max(` + totalOf + `) AS value FROM document WHERE document.id IN (waiting.id, other)
) AS stated
ORDER BY stated.value DESC NULLS LAST, since, kind, waiting.id, other
LIMIT $3`

// Waiting lists what waits for people, the most valuable first, at most limit.
func (r Reader) Waiting(ctx context.Context, f WaitingFilter, limit int) ([]Waiting, error) {
	rows, _ := r.db.Query(ctx, waitingSQL, f.Tenant, f.kinds(), limit)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Waiting])
}

const waitingCountsSQL = `
SELECT kind, count(*) FROM (` + waitingRows + `) AS waiting GROUP BY kind`

// WaitingCounts counts what waits, by kind.
func (r Reader) WaitingCounts(ctx context.Context, f WaitingFilter) (counts map[string]int, err error) {
	counts = make(map[string]int)
	rows, _ := r.db.Query(ctx, waitingCountsSQL, f.Tenant, f.kinds())
	var kind string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&kind, &n}, func() error {
		counts[kind] = n
		return nil
	})
	return counts, err
}

func (f WaitingFilter) kinds() []string {
	if len(f.Kinds) == 0 {
		return WaitingKinds
	}
	return f.Kinds
}
