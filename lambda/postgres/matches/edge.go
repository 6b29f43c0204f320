package matches

import (
	"matchbook/lambda/match/rules"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	clearMatchesSQL = `
DELETE FROM document_match` + thesePairs + ` AND decided_by <> 'person'`
	clearSuggestionsSQL = `
DELETE FROM match_suggestion` + thesePairs + ` AND decided_by <> 'person'`
)

// edgeRows are edges as JSON, each with its tenant.
const edgeRows = `
FROM jsonb_to_recordset($1) AS e
	(a uuid, b uuid, score float8, confidence text, decided_by text, reasoning text, evidence jsonb, points integer)
CROSS JOIN LATERAL (SELECT tenant_id FROM document WHERE id = e.a OFFSET 0) AS d`

// The upserts write only rows that differ, so that matching a document again changes nothing,
// not even a time. A pair decided by a person, in either table, is not decided again.
const upsertMatchesSQL = `
INSERT INTO document_match
	(tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence, points, created_at)
SELECT d.tenant_id, e.a, e.b, e.score, e.confidence, e.decided_by, e.reasoning, e.evidence, e.points, now()` + edgeRows + `
LEFT JOIN LATERAL (SELECT * FROM document_match WHERE document_a_id = e.a AND document_b_id = e.b OFFSET 0) AS old ON true
WHERE old.decided_by IS DISTINCT FROM 'person'
	AND (old.score, coalesce(nullif(old.lowered_from, ''), old.confidence), old.decided_by, old.reasoning, old.evidence)
		IS DISTINCT FROM (e.score, e.confidence, e.decided_by, e.reasoning, e.evidence)
	AND NOT EXISTS (SELECT FROM match_suggestion AS s
		WHERE s.document_a_id = e.a AND s.document_b_id = e.b AND s.decided_by = 'person' OFFSET 0)
ORDER BY e.a, e.b
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	score = excluded.score, confidence = excluded.confidence, lowered_from = '', decided_by = excluded.decided_by,
	reasoning = excluded.reasoning, evidence = excluded.evidence, points = excluded.points, created_at = excluded.created_at`

const upsertSuggestionsSQL = `
INSERT INTO match_suggestion
	(tenant_id, document_a_id, document_b_id, score, decided_by, reasoning, evidence, points, created_at)
SELECT d.tenant_id, e.a, e.b, e.score, e.decided_by, e.reasoning, e.evidence, e.points, now()` + edgeRows + `
LEFT JOIN LATERAL (SELECT * FROM match_suggestion WHERE document_a_id = e.a AND document_b_id = e.b OFFSET 0) AS old ON true
WHERE old.decided_by IS DISTINCT FROM 'person'
	AND (old.score, old.decided_by, old.reasoning, old.evidence)
		IS DISTINCT FROM (e.score, e.decided_by, e.reasoning, e.evidence)
	AND NOT EXISTS (SELECT FROM document_match AS m
		WHERE m.document_a_id = e.a AND m.document_b_id = e.b AND m.decided_by = 'person' OFFSET 0)
ORDER BY e.a, e.b
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	score = excluded.score, decided_by = excluded.decided_by,
	reasoning = excluded.reasoning, evidence = excluded.evidence, points = excluded.points, created_at = excluded.created_at`

// askedSQL stores answers in their pairs. about is a hash of the evidence in the question.
const askedSQL = `
UPDATE match_pair SET asked = n.about, question = n.question, answer = n.answer, reasoning = n.reasoning, owed = n.owed
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[])
	AS n (a, b, about, question, answer, reasoning, owed)
WHERE document_a_id = n.a AND document_b_id = n.b AND ` + amongPairs

// queueResult replaces the matches and suggestions of decided and lost pairs, and of the own
// documents, by the result's. A person's decision stays.
func queueResult(batch *pgx.Batch, c *competition, s *standing, result rules.Result) {
	gone, unsuggested := s.gone(c.decides, result)
	queueClear(batch, clearMatchesSQL, gone)
	queueClear(batch, clearSuggestionsSQL, unsuggested)
	if len(result.Matches) > 0 {
		batch.Queue(upsertMatchesSQL, result.Matches)
	}
	queueAsked(batch, result.Asked)
	if len(result.Suggestions) > 0 {
		batch.Queue(upsertSuggestionsSQL, result.Suggestions)
	}
}

// gone lists the stored matches and suggestions missing from the result.
func (s *standing) gone(replaced func(a, b uuid.UUID) bool, result rules.Result) (matches, suggestions [][2]uuid.UUID) {
	is := map[edgeRow]bool{}
	for _, e := range result.Matches {
		is[edgeRow{A: e.A, B: e.B, Matched: true}] = true
	}
	for _, e := range result.Suggestions {
		is[edgeRow{A: e.A, B: e.B}] = true
	}
	for _, e := range s.edges {
		switch {
		case e.ByPerson || !replaced(e.A, e.B) || is[e]:
		case e.Matched:
			matches = append(matches, [2]uuid.UUID{e.A, e.B})
		default:
			suggestions = append(suggestions, [2]uuid.UUID{e.A, e.B})
		}
	}
	return matches, suggestions
}

func queueClear(batch *pgx.Batch, sql string, pairs [][2]uuid.UUID) {
	var as, bs []uuid.UUID
	for _, p := range pairs {
		as, bs = append(as, p[0]), append(bs, p[1])
	}
	if len(as) > 0 {
		batch.Queue(sql, as, bs)
	}
}

func queueAsked(batch *pgx.Batch, pairs []rules.Pair) {
	last := map[[2]uuid.UUID]rules.Asked{} // a pair may be listed again
	for _, p := range pairs {
		last[[2]uuid.UUID{p.A, p.B}] = p.Asked
	}
	var as, bs []uuid.UUID
	var about, reasons []string
	var questions []rules.Place
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
