package report

import (
	"context"
	"strings"
	"time"

	"matchbook/lambda/document"

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
	Tenant   uuid.UUID
	Kinds    []string
	MinValue string        // a decimal; what has no value is left out
	Since    time.Time     // it has waited since then, or a later time
	Within   time.Duration // it has waited for so long, or less
	Type     document.Type // of one of the documents
}

// waitingRows are the things that wait: $1 is a tenant or the zero id, $2 the kinds,
// $3 a time and $4 a number of seconds, or NULL. What a person has rejected waits for
// none.
const waitingRows = `
	SELECT * FROM (
		SELECT 'question' AS kind, tenant_id, document_a_id AS id, document_b_id AS other, score, reasoning AS words,
			created_at AS since
		FROM match_suggestion WHERE decided_by <> 'person'
		UNION ALL SELECT 'warning', tenant_id, document_id, other_document_id, NULL, words, created_at
		FROM document_warning
		UNION ALL SELECT 'failed', tenant_id, id, NULL, NULL, coalesce(matching_error, ''), matching_failed_at
		FROM document WHERE matching_status = 'failed'
		UNION ALL SELECT 'file', tenant_id, document_id, NULL, NULL,
			coalesce(nullif(array_to_string(review_reasons, '; '), ''), error, ''),
			coalesce(failed_at, completed_at, created_at)
		FROM ingestion WHERE job_status = 'failed' OR needs_human_review
	) AS everything
	WHERE ($1 = '00000000-0000-0000-0000-000000000000'::uuid OR tenant_id = $1) AND kind = ANY ($2)
		AND ($3::timestamptz IS NULL OR since >= $3)
		AND ($4::float8 IS NULL OR since >= now() - make_interval(secs => $4))`

// totalOf is the total of a document, {d}, where it is a plain decimal.
const totalOf = `CASE WHEN {d}.structured_data ->> 'total' ~ '^-?[0-9]{1,18}(\.[0-9]{1,9})?$'
	THEN abs(({d}.structured_data ->> 'total')::numeric) END`

// waitingItems are the things with their documents and values: $5 is the least value,
// or NULL, and $6 a type, or empty.
var waitingItems = `
SELECT * FROM (
	SELECT waiting.*, a.type AS type_a, b.type AS type_b,
		greatest(` + strings.ReplaceAll(totalOf, "{d}", "a") + `, ` + strings.ReplaceAll(totalOf, "{d}", "b") + `) AS value
	FROM (` + waitingRows + `) AS waiting
	JOIN document AS a ON a.id = waiting.id LEFT JOIN document AS b ON b.id = other
) AS valued
WHERE ($5::numeric IS NULL OR value >= $5) AND ($6 = '' OR type_a::text = $6 OR type_b::text = $6)`

var waitingSQL = `
SELECT kind, tenant_id, id, other, value::text, score, words, since
FROM (` + waitingItems + `) AS items
ORDER BY items.value DESC NULLS LAST, since, kind, id, other
LIMIT $7`

// Waiting lists what waits for people, the most valuable first, at most limit.
func (r Reader) Waiting(ctx context.Context, f WaitingFilter, limit int) ([]Waiting, error) {
	rows, _ := r.db.Query(ctx, waitingSQL, append(f.args(), limit)...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Waiting])
}

// waitingCountsSQL counts without a look at the documents, valuedCountsSQL with one.
const waitingCountsSQL = `
SELECT kind, count(*) FROM (` + waitingRows + `) AS waiting GROUP BY kind`

var valuedCountsSQL = `
SELECT kind, count(*) FROM (` + waitingItems + `) AS items GROUP BY kind`

// WaitingCounts counts what waits, by kind.
func (r Reader) WaitingCounts(ctx context.Context, f WaitingFilter) (counts map[string]int, err error) {
	counts = make(map[string]int)
	sql, args := waitingCountsSQL, f.args()[:4]
	if f.MinValue != "" || f.Type != "" {
		sql, args = valuedCountsSQL, f.args()
	}
	rows, _ := r.db.Query(ctx, sql, args...)
	var kind string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&kind, &n}, func() error {
		counts[kind] = n
		return nil
	})
	return counts, err
}

func (f WaitingFilter) args() []any {
	kinds, args := f.Kinds, []any{f.Tenant}
	if len(kinds) == 0 {
		kinds = WaitingKinds
	}
	var since *time.Time
	var within *float64
	var least *string
	if !f.Since.IsZero() {
		since = &f.Since
	}
	if f.Within > 0 {
		seconds := f.Within.Seconds()
		within = &seconds
	}
	if f.MinValue != "" {
		least = &f.MinValue
	}
	return append(args, kinds, since, within, least, string(f.Type))
}
