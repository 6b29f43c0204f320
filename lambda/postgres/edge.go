package postgres

import (
	"encoding/json"
	"slices"

	"matchbook/lambda/rules"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// clearMatchesSQL deletes the matches of documents, $1, and of pairs, $2 and $3, but
// those of the pairs $4 and $5.
const clearMatchesSQL = `
DELETE FROM document_match
WHERE (document_a_id, document_b_id) IN (
		SELECT document_a_id, document_b_id FROM document_match WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1)
		UNION SELECT * FROM unnest($2::uuid[], $3::uuid[]))
	AND decided_by <> 'person'
	AND NOT (document_a_id, document_b_id) IN (SELECT * FROM unnest($4::uuid[], $5::uuid[]))`

const clearSuggestionsSQL = `
DELETE FROM match_suggestion
WHERE (document_a_id, document_b_id) IN (
		SELECT document_a_id, document_b_id FROM match_suggestion WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1)
		UNION SELECT * FROM unnest($2::uuid[], $3::uuid[]))
	AND decided_by <> 'person'
	AND NOT (document_a_id, document_b_id) IN (SELECT * FROM unnest($4::uuid[], $5::uuid[]))`

// The upserts write the rows that differ, so that matching a document again changes
// nothing, not even a time. A pair that a person decided, in either table, is not
// decided again.
const upsertMatchesSQL = `
INSERT INTO document_match
	(tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence, created_at)
SELECT d.tenant_id, e.a, e.b, e.score, e.confidence, e.decided_by, e.reasoning, e.evidence::jsonb, now()
FROM unnest($1::uuid[], $2::uuid[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[])
	AS e (a, b, score, confidence, decided_by, reasoning, evidence)
JOIN document AS d ON d.id = e.a
LEFT JOIN document_match AS old ON old.document_a_id = e.a AND old.document_b_id = e.b
WHERE old.decided_by IS DISTINCT FROM 'person'
	AND (old.score, coalesce(nullif(old.lowered_from, ''), old.confidence), old.decided_by, old.reasoning, old.evidence)
		IS DISTINCT FROM (e.score, e.confidence, e.decided_by, e.reasoning, e.evidence::jsonb)
	AND NOT EXISTS (SELECT FROM match_suggestion AS s
		WHERE s.document_a_id = e.a AND s.document_b_id = e.b AND s.decided_by = 'person')
ORDER BY e.a, e.b
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	score = excluded.score, confidence = excluded.confidence, lowered_from = '', decided_by = excluded.decided_by,
	reasoning = excluded.reasoning, evidence = excluded.evidence, created_at = excluded.created_at`

const upsertSuggestionsSQL = `
INSERT INTO match_suggestion
	(tenant_id, document_a_id, document_b_id, score, decided_by, reasoning, evidence, created_at)
SELECT d.tenant_id, e.a, e.b, e.score, e.decided_by, e.reasoning, e.evidence::jsonb, now()
FROM unnest($1::uuid[], $2::uuid[], $3::float8[], $4::text[], $5::text[], $6::text[])
	AS e (a, b, score, decided_by, reasoning, evidence)
JOIN document AS d ON d.id = e.a
LEFT JOIN match_suggestion AS old ON old.document_a_id = e.a AND old.document_b_id = e.b
WHERE old.decided_by IS DISTINCT FROM 'person'
	AND (old.score, old.decided_by, old.reasoning, old.evidence)
		IS DISTINCT FROM (e.score, e.decided_by, e.reasoning, e.evidence::jsonb)
	AND NOT EXISTS (SELECT FROM document_match AS m
		WHERE m.document_a_id = e.a AND m.document_b_id = e.b AND m.decided_by = 'person')
ORDER BY e.a, e.b
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	score = excluded.score, decided_by = excluded.decided_by,
	reasoning = excluded.reasoning, evidence = excluded.evidence, created_at = excluded.created_at`

// askedSQL stores answers in their pairs; about is a hash of the evidence that the
// question was about.
const askedSQL = `
UPDATE match_pair SET asked = n.about, question = n.question, answer = n.answer, reasoning = n.reasoning, owed = n.owed
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[])
	AS n (a, b, about, question, answer, reasoning, owed)
WHERE document_a_id = n.a AND document_b_id = n.b`

// queueResult makes the matches and suggestions of the decided and the lost pairs, and
// of the own documents, those of the result. A person's decision stays.
func queueResult(batch *pgx.Batch, c *competition, lost []rules.Pair, result rules.Result) error {
	decidedA, decidedB := keysOf(slices.Concat(c.decided(), lost))
	matches, err := columnsOf(result.Matches)
	if err != nil {
		return err
	}
	suggestions, err := columnsOf(result.Suggestions)
	if err != nil {
		return err
	}
	batch.Queue(clearMatchesSQL, c.own, decidedA, decidedB, matches.as, matches.bs)
	batch.Queue(clearSuggestionsSQL, c.own, decidedA, decidedB, suggestions.as, suggestions.bs)
	if e := matches; len(e.as) > 0 {
		batch.Queue(upsertMatchesSQL, e.as, e.bs, e.scores, e.confidences, e.deciders, e.reasons, e.evidence)
	}
	queueAsked(batch, result.Asked)
	if e := suggestions; len(e.as) > 0 {
		batch.Queue(upsertSuggestionsSQL, e.as, e.bs, e.scores, e.deciders, e.reasons, e.evidence)
	}
	return nil
}

func queueAsked(batch *pgx.Batch, pairs []rules.Pair) {
	last := map[[2]uuid.UUID]rules.Asked{} // a pair may be listed again
	for _, p := range pairs {
		last[[2]uuid.UUID{p.A, p.B}] = p.Asked
	}
	var as, bs []uuid.UUID
	var about, questions, reasons []string
	var answers []rules.Answer
	var owed []bool
	for key, a := range last {
		as, bs, about, questions = append(as, key[0]), append(bs, key[1]), append(about, a.About), append(questions, a.Question)
		answers, reasons, owed = append(answers, a.Answer), append(reasons, a.Reasoning), append(owed, a.Owed)
	}
	if len(as) > 0 {
		batch.Queue(askedSQL, as, bs, about, questions, answers, reasons, owed)
	}
}

// edgeColumns are edges as arrays.
type edgeColumns struct {
	as, bs                                   []uuid.UUID
	scores                                   []float64
	confidences, deciders, reasons, evidence []string
}

func columnsOf(edges []rules.Edge) (c edgeColumns, err error) {
	c.as, c.bs = []uuid.UUID{}, []uuid.UUID{} // not NULL
	for _, e := range edges {
		raw, err := json.Marshal(e.Evidence)
		if err != nil {
			return c, err
		}
		c.as, c.bs, c.scores = append(c.as, e.A), append(c.bs, e.B), append(c.scores, e.Score)
		c.confidences, c.deciders = append(c.confidences, e.Confidence), append(c.deciders, e.DecidedBy)
		c.reasons, c.evidence = append(c.reasons, e.Reasoning), append(c.evidence, string(raw))
	}
	return c, nil
}
