package report

import (
	"cmp"
	"context"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// The kinds of things that wait for a person.
const (
	WaitingQuestion = "question" // whether two documents belong together
	WaitingWarning  = "warning"  // about a document, and often about another
	WaitingDocument = "failed"   // a document given up by matching
	WaitingFile     = "file"     // a file not read, or not with certainty
	WaitingReview   = "review"   // of a contract, with critical or high findings to decide about
	WaitingInvoice  = "invoice"  // a person put it on hold or disputed it, or it changed after that or an approval
)

// WaitingKinds lists the kinds.
var WaitingKinds = []string{WaitingQuestion, WaitingWarning, WaitingDocument, WaitingFile, WaitingReview, WaitingInvoice}

// Waiting is a thing that waits for a person.
type Waiting struct {
	Kind     string
	TenantID uuid.UUID
	Document uuid.UUID
	Other    *uuid.UUID // of a question or a warning
	Unread   *uuid.UUID // of a file that could not be read: its ingestion
	Value    *string    // the larger total of the two, as a decimal; nil if neither states one
	Score    *float64   // of a question, from 0 to 1
	Worth    string     // a decimal; for a question, the value times the score, once more for each other question it settles
	Words    string     // why; note that it has texts of the documents
	Since    time.Time
}

// WaitingPlace is the position in the list after a thing with these properties, even if it no
// longer waits. The zero place is the beginning.
type WaitingPlace struct {
	Kind     string
	Worth    string // as Waiting has it
	Since    time.Time
	Document uuid.UUID
	Other    uuid.UUID // zero: none
}

// WaitingFilter selects waiting things. A zero field selects all.
type WaitingFilter struct {
	Tenant   uuid.UUID
	Kinds    []string
	MinValue string        // a decimal; leaves out things without a value
	Since    time.Time     // waiting since this time or later
	Within   time.Duration // waiting for at most so long
	Type     document.Type // of one of the documents
	Newest   int           // only so many of each kind, read by an index; set Tenant too
	All      bool          // also folded questions, about documents with other matches of that kind
	Assignee string        // of the first document; set Tenant too
	After    WaitingPlace  // where a list continues; counts ignore it
}

type waitingKind struct{ document, columns, from, since, unread string }

// rowsOfKinds has, for each of ToDoKinds, the document, the other columns, the rows, the time they wait
// since, and for files the ingestion that failed. A pair rejected by a person doesn't wait, nor does a settled warning.
var rowsOfKinds = map[string]waitingKind{
	// Without a match of one of its documents, no question is folded, and calling question_is_folded
	// for each takes most of the time of a page.
	WaitingQuestion: {"document_a_id", "document_b_id AS other, score, reasoning AS words",
		`match_suggestion AS q WHERE decided_by <> 'person' AND ($6 OR NOT (
			(EXISTS (SELECT FROM document_match AS m WHERE m.document_a_id IN (q.document_a_id, q.document_b_id))
			OR EXISTS (SELECT FROM document_match AS m WHERE m.document_b_id IN (q.document_a_id, q.document_b_id)))
			AND question_is_folded(document_a_id, document_b_id, evidence)))`, "created_at", ""},
	WaitingWarning: {"document_id", "other_document_id, NULL::float8, kind || ': ' || words", `document_warning AS w WHERE NOT EXISTS (
		SELECT FROM warning_settled AS s WHERE (s.document_id, s.kind, s.other_document_id, s.facts)
			= (w.document_id, w.kind, w.other_document_id, w.facts))`, "created_at", ""},
	WaitingDocument: {"id", "NULL::uuid, NULL::float8, coalesce(matching_error, '')",
		"document WHERE matching_status = 'failed'", "matching_failed_at", ""},
	WaitingFile: {"document_id", "NULL::uuid, NULL::float8, coalesce(nullif(array_to_string(review_reasons, '; '), ''), error, '')",
		"ingestion WHERE needs_human_review", "coalesce(failed_at, completed_at, created_at)",
		"CASE WHEN job_status = 'failed' THEN id END"},
	// The latest review of a contract counts.
	WaitingReview: {"document_id",
		"NULL::uuid, NULL::float8, waiting || CASE waiting WHEN 1 THEN ' finding' ELSE ' findings' END || ', critical or high: ' || name",
		`review_job AS r WHERE waiting > 0 AND NOT EXISTS (SELECT FROM review_job AS later WHERE later.tenant_id = r.tenant_id
		AND later.document_id = r.document_id AND later.ended_at > r.ended_at)`, "ended_at", ""},
	WaitingInvoice: {"document_id", `NULL::uuid, NULL::float8, replace(state, '-', ' ') || (
		SELECT coalesce(' by ' || nullif(acted_by, ''), '') || ': ' || reason
		FROM invoice_action AS a WHERE a.document_id = t.document_id ORDER BY id DESC LIMIT 1)`,
		"three_way_match AS t WHERE state IN ('reopened', 'on-hold', 'disputed')", "state_at", ""},
	// The condition is the one of three_way_match_open_idx.
	ToSettle: {"document_id", "NULL::uuid, NULL::float8, replace(verdict, '-', ' ')", `three_way_match WHERE state = 'open'
		AND verdict NOT IN ('matched', 'service', 'price-unit-assumed', 'order-in-gross', 'substitute-article')`, "created_at", ""},
	ToRequeue: {"id", "NULL::uuid, NULL::float8, coalesce(error, '')", "matchmaking_job WHERE job_status = 'failed'", "failed_at", ""},
}

// rowsOf reads the rows of kinds, each with the same statement.
func rowsOf(kinds []string, sql string) string {
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		k := rowsOfKinds[kind]
		parts[i] = strings.NewReplacer("{kind}", kind, "{document}", k.document, "{columns}", k.columns, "{from}", k.from,
			"{since}", k.since, "{unread}", cmp.Or(k.unread, "NULL::uuid")).Replace(sql)
	}
	return strings.Join(parts, " UNION ALL")
}

// rows are the waiting things: $1 is the tenant, $2 the kinds, $3 a time and $4 a number of
// seconds, or NULL, $5 the number of rows of each kind, or NULL, $6 whether to include folded
// questions, and $7 the assignee. A single condition for one tenant and all, or for one assignee
// and all, would not use an index.
func (f WaitingFilter) rows() string {
	of := "tenant_id = $1 AND $7::text IS NOT NULL"
	switch {
	case f.Tenant == uuid.Nil:
		of = "$1::uuid IS NOT NULL AND $7::text IS NOT NULL"
	case f.Assignee != "":
		of = `tenant_id = $1 AND {document} = ANY (ARRAY(SELECT document_id FROM desk_assignment
			WHERE tenant_id = $1 AND assignee = $7))`
	}
	return rowsOf(WaitingKinds, strings.Replace(`
	(SELECT '{kind}' AS kind, tenant_id, {document} AS id, {columns}, {since} AS since, {unread} AS unread
	FROM {from} AND {of} AND '{kind}' = ANY ($2)
		AND ($3::timestamptz IS NULL OR {since} >= $3)
		AND ($4::float8 IS NULL OR {since} >= now() - make_interval(secs => $4))
	ORDER BY {since} DESC LIMIT $5)`, "{of}", of, 1))
}

// totalOf is a document's total ({d}) if it's a plain decimal.
const totalOf = `CASE WHEN {d}.structured_data ->> 'total' ~ '^-?[0-9]{1,18}(\.[0-9]{1,9})?$'
	THEN abs(({d}.structured_data ->> 'total')::numeric) END`

// settles counts up to 20 other questions about one of a question's documents. An answer settles
// many of them as well.
const settles = `(SELECT count(*) FROM (SELECT FROM (
		SELECT document_b_id AS o FROM match_suggestion WHERE document_a_id IN (waiting.id, other) AND decided_by <> 'person'
		UNION ALL SELECT document_a_id FROM match_suggestion WHERE document_b_id IN (waiting.id, other) AND decided_by <> 'person'
	) AS near WHERE o NOT IN (waiting.id, other) LIMIT 20) AS few)`

// items are the rows with their documents, values and worth: $8 is the least value, or NULL, and
// $9 a type, or empty. The OFFSET keeps the planner from counting what a question settles once
// more for each use of the worth, and the LIMIT from reading all documents for the few that wait.
func (f WaitingFilter) items() string {
	return `
SELECT *, round(CASE kind WHEN 'question' THEN coalesce(value, 1) * score::numeric * (1 + settles)
	ELSE coalesce(value, 0) END, 2) AS worth
FROM (
	SELECT waiting.*, CASE kind WHEN 'question' THEN ` + settles + ` END AS settles, a.type AS type_a, b.type AS type_b,
		greatest(` + strings.ReplaceAll(totalOf, "{d}", "a") + `, ` + strings.ReplaceAll(totalOf, "{d}", "b") + `) AS value
	FROM (` + f.rows() + `) AS waiting
	JOIN LATERAL (SELECT type, structured_data FROM document WHERE id = waiting.id LIMIT 1) AS a ON true
	LEFT JOIN LATERAL (SELECT type, structured_data FROM document WHERE id = other LIMIT 1) AS b ON true OFFSET 0
) AS valued
WHERE ($8::numeric IS NULL OR value >= $8) AND ($9 = '' OR type_a::text = $9 OR type_b::text = $9)`
}

// list orders the items by their worth: $10 is the limit, and $11 to $15 are the place before the first.
func (f WaitingFilter) list() string {
	return `
SELECT kind, tenant_id, id, other, unread, value::text, score, worth::text, words, since
FROM (` + f.items() + `) AS items
WHERE $11 = '' OR (-worth, since, kind, id, coalesce(other, '00000000-0000-0000-0000-000000000000'))
	> (-$12::numeric, $13, $11, $14, $15)
ORDER BY -worth, since, kind, id, coalesce(other, '00000000-0000-0000-0000-000000000000')
LIMIT $10`
}

// Waiting lists up to limit waiting things, the ones worth most first.
func (r Reader) Waiting(ctx context.Context, f WaitingFilter, limit int) ([]Waiting, error) {
	return postgres.Rows[Waiting](ctx, r.db, f.list(), append(f.args(),
		limit, f.After.Kind, cmp.Or(f.After.Worth, "0"), f.After.Since, f.After.Document, f.After.Other)...)
}

// WaitingCounts counts waiting things by kind, up to the filter's Newest. It reads no document
// without a filter on documents.
func (r Reader) WaitingCounts(ctx context.Context, f WaitingFilter) (map[string]int, error) {
	if f.MinValue != "" || f.Type != "" {
		return postgres.Map[map[string]int](ctx, r.db, countKinds(f.items()), f.args()...)
	}
	return postgres.Map[map[string]int](ctx, r.db, countKinds(f.rows()), f.args()[:7]...)
}

func countKinds(waiting string) string {
	return `SELECT kind, count(*) FROM (` + waiting + `) AS waiting GROUP BY kind`
}

func (f WaitingFilter) args() []any {
	return []any{f.Tenant, orAll(f.Kinds, WaitingKinds), postgres.OrNull(f.Since), postgres.OrNull(f.Within.Seconds()),
		postgres.OrNull(f.Newest), f.All, f.Assignee, postgres.OrNull(f.MinValue), string(f.Type)}
}
