package postgres

import (
	"context"

	"matchbook/lambda/rules"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const clearMatchesSQL = `
DELETE FROM document_match
WHERE (document_a_id = ANY ($1) OR document_b_id = ANY ($1))
	AND decided_by <> 'person'
	AND NOT (document_a_id, document_b_id) IN (SELECT * FROM unnest($2::uuid[], $3::uuid[]))
RETURNING document_a_id, document_b_id`

const clearSuggestionsSQL = `
DELETE FROM match_suggestion
WHERE (document_a_id = ANY ($1) OR document_b_id = ANY ($1))
	AND decided_by <> 'person'
	AND NOT (document_a_id, document_b_id) IN (SELECT * FROM unnest($2::uuid[], $3::uuid[]))`

// The upserts keep an equal row, so that matching a document again changes
// nothing, not even a time. A pair that a person decided in the other table is
// not decided again.
const upsertMatchSQL = `
INSERT INTO document_match AS old
	(tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence, created_at)
SELECT tenant_id, $1, $2, $3, $4, $5, $6, $7, now() FROM document
WHERE id = $1 AND NOT EXISTS (SELECT FROM match_suggestion
	WHERE document_a_id = $1 AND document_b_id = $2 AND decided_by = 'person')
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	score = excluded.score, confidence = excluded.confidence, lowered_from = '', decided_by = excluded.decided_by,
	reasoning = excluded.reasoning, evidence = excluded.evidence, created_at = excluded.created_at
WHERE old.decided_by <> 'person'
	AND (old.score, coalesce(nullif(old.lowered_from, ''), old.confidence), old.decided_by, old.reasoning, old.evidence)
		IS DISTINCT FROM
		(excluded.score, excluded.confidence, excluded.decided_by, excluded.reasoning, excluded.evidence)
RETURNING document_a_id, document_b_id`

const upsertSuggestionSQL = `
INSERT INTO match_suggestion AS old
	(tenant_id, document_a_id, document_b_id, score, decided_by, reasoning, evidence, created_at)
SELECT tenant_id, $1, $2, $3, $4, $5, $6, now() FROM document
WHERE id = $1 AND NOT EXISTS (SELECT FROM document_match
	WHERE document_a_id = $1 AND document_b_id = $2 AND decided_by = 'person')
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	score = excluded.score, decided_by = excluded.decided_by,
	reasoning = excluded.reasoning, evidence = excluded.evidence, created_at = excluded.created_at
WHERE old.decided_by <> 'person'
	AND (old.score, old.decided_by, old.reasoning, old.evidence)
		IS DISTINCT FROM (excluded.score, excluded.decided_by, excluded.reasoning, excluded.evidence)`

// askedSQL stores an answer in its pair; $3 is Asked.About, a hash of the evidence
// that the question was about.
const askedSQL = `
UPDATE match_pair SET asked = $3, question = $4, answer = $5, reasoning = $6, owed = $7
WHERE document_a_id = $1 AND document_b_id = $2`

// replaceEdges makes the matches and suggestions of the documents those of the
// result. A person's decision stays. It returns the documents of the matches that
// were deleted or written.
func replaceEdges(
	ctx context.Context, tx pgx.Tx, documents []uuid.UUID, d rules.Result,
) (changed []uuid.UUID, err error) {
	note := func(rows pgx.Rows) error {
		var a, b uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&a, &b}, func() error {
			changed = append(changed, a, b)
			return nil
		})
		return err
	}
	batch := &pgx.Batch{}
	for _, part := range []struct {
		clear string
		keep  []rules.Edge
	}{{clearMatchesSQL, d.Matches}, {clearSuggestionsSQL, d.Suggestions}} {
		as, bs := make([]uuid.UUID, len(part.keep)), make([]uuid.UUID, len(part.keep))
		for i, e := range part.keep {
			as[i], bs[i] = e.A, e.B
		}
		cleared := batch.Queue(part.clear, documents, as, bs)
		if part.clear == clearMatchesSQL {
			cleared.Query(note)
		}
	}
	for _, e := range d.Matches {
		batch.Queue(upsertMatchSQL, e.A, e.B, e.Score, e.Confidence, e.DecidedBy, e.Reasoning, e.Evidence).
			Query(note)
	}
	for _, p := range d.Asked {
		batch.Queue(askedSQL, p.A, p.B, p.Asked.About, p.Asked.Question, p.Asked.Answer, p.Asked.Reasoning,
			p.Asked.Owed)
	}
	for _, e := range d.Suggestions {
		batch.Queue(upsertSuggestionSQL, e.A, e.B, e.Score, e.DecidedBy, e.Reasoning, e.Evidence)
	}
	return changed, tx.SendBatch(ctx, batch).Close()
}
