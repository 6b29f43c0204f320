package report

import (
	"context"
	"encoding/json"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Match is an edge: a match, or a suggestion.
type Match struct {
	A, B       uuid.UUID
	Score      float64
	Confidence string // empty for a suggestion
	Lowered    string // confidence before over-billing lowered it; empty: not lowered
	DecidedBy  string
	Reasoning  string
	Evidence   json.RawMessage // an array of name, points, text
	Folded     bool            // a suggestion hardly worth a question, see WaitingFilter.All
}

const matchesSQL = `
SELECT document_a_id, document_b_id, score, confidence, lowered_from, decided_by, reasoning, evidence, false
FROM document_match WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1) ORDER BY document_a_id, document_b_id`

const suggestionsSQL = `
SELECT document_a_id, document_b_id, score, '', '', decided_by, reasoning, evidence,
	question_is_folded(document_a_id, document_b_id, evidence)
FROM match_suggestion WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1) ORDER BY document_a_id, document_b_id`

// Answer is a model's latest answer about a pair.
type Answer struct {
	A, B       uuid.UUID
	Confidence string // high, medium, low; none: not chosen
}

const answersSQL = `
SELECT document_a_id, document_b_id, answer FROM match_pair
WHERE answer <> '' AND document_a_id = ANY ($1) ORDER BY document_a_id, document_b_id`

// Answers reads a model's answers about pairs with one of these as their first document.
func (r Reader) Answers(ctx context.Context, ids []uuid.UUID) ([]Answer, error) {
	return postgres.Rows[Answer](ctx, r.db, answersSQL, ids)
}

// Undecided reports whether a suggestion is still open, refused by neither a veto nor a
// person.
func (m Match) Undecided() bool { return m.Confidence == "" && m.Score > 0 && m.DecidedBy != "person" }

// Matches reads the documents' matches.
func (r Reader) Matches(ctx context.Context, ids []uuid.UUID) ([]Match, error) {
	return postgres.Rows[Match](ctx, r.db, matchesSQL, ids)
}

// Suggestions reads the documents' considered edges other than matches.
func (r Reader) Suggestions(ctx context.Context, ids []uuid.UUID) ([]Match, error) {
	return postgres.Rows[Match](ctx, r.db, suggestionsSQL, ids)
}

// Warning is a warning about a document.
type Warning struct {
	Document uuid.UUID
	Kind     string
	Other    uuid.UUID
	Words    string
	Facts    string // of warning.Warning
	Settled  *Settled
}

// Settled is a person's answer to a warning with the same facts.
type Settled struct {
	By      string    `json:"by"`
	Verdict string    `json:"verdict,omitempty"`
	Reason  string    `json:"reason"`
	At      time.Time `json:"at"`
}

const warningsSQL = `
SELECT document_id, kind, other_document_id, words, facts, CASE WHEN settled_at IS NOT NULL
	THEN jsonb_build_object('by', settled_by, 'verdict', verdict, 'reason', reason, 'at', settled_at) END
FROM document_warning LEFT JOIN warning_settled USING (tenant_id, document_id, kind, other_document_id, facts)
WHERE document_id = ANY ($1) OR other_document_id = ANY ($1)
ORDER BY document_id, kind, other_document_id`

// Warnings reads the warnings about the documents, and the ones naming them as the other
// document.
func (r Reader) Warnings(ctx context.Context, ids []uuid.UUID) ([]Warning, error) {
	return postgres.Rows[Warning](ctx, r.db, warningsSQL, ids)
}

// Decision is a person's decision about a pair.
type Decision struct {
	A, B    uuid.UUID
	Verdict string // confirmed, rejected or withdrawn
	By      string
	Origin  string // command or console
	Note    string
	At      time.Time
}

const decisionsSQL = `
SELECT document_a_id, document_b_id, verdict, decided_by, origin, note, decided_at FROM (
	SELECT * FROM decision WHERE document_a_id = $1
	UNION ALL SELECT * FROM decision WHERE document_b_id = $1
) AS d
WHERE $2 IN ('00000000-0000-0000-0000-000000000000'::uuid, document_a_id, document_b_id)
ORDER BY id DESC LIMIT 100`

// Decisions lists up to 100 decisions about a document's pairs, the latest first. Use the zero
// id as other for any pair.
func (r Reader) Decisions(ctx context.Context, id, other uuid.UUID) ([]Decision, error) {
	return postgres.Rows[Decision](ctx, r.db, decisionsSQL, id, other)
}
