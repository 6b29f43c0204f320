package matches

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// amongPairs restricts a statement to the documents of the pairs $1, $2. Otherwise a plan made
// while the table was empty would begin with all of its rows.
const amongPairs = `document_a_id = ANY ($1) AND document_b_id = ANY ($2)`

const (
	thesePairs = ` USING unnest($1::uuid[], $2::uuid[]) AS these (a, b)
WHERE document_a_id = a AND document_b_id = b AND ` + amongPairs
	deletePairsSQL = `
DELETE FROM match_pair` + thesePairs
)

// upsertPairsSQL writes only pairs that differ, so that matching again changes nothing. $1
// must be a document of the tenant.
const upsertPairsSQL = `
INSERT INTO match_pair (tenant_id, document_a_id, document_b_id, type_a, type_b, points,
	units_a, units_b, units_common, evidence, veto, ends, brief)
SELECT d.tenant_id, p.a, p.b, p.type_a::document_type, p.type_b::document_type, p.points,
	p.units_a, p.units_b, p.units_common, p.evidence::jsonb, p.veto, p.ends::jsonb, p.brief::jsonb
FROM document AS d CROSS JOIN unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::integer[], $7::float8[],
		$8::float8[], $9::float8[], $10::text[], $11::text[], $12::text[], $13::text[])
	AS p (a, b, type_a, type_b, points, units_a, units_b, units_common, evidence, veto, ends, brief)
LEFT JOIN LATERAL (SELECT * FROM match_pair WHERE document_a_id = p.a AND document_b_id = p.b OFFSET 0) AS old ON true
WHERE d.id = $1 AND (old.type_a::text, old.type_b::text, old.points, old.units_a, old.units_b, old.units_common,
		old.evidence, old.veto, old.ends, old.brief)
	IS DISTINCT FROM (p.type_a, p.type_b, p.points, p.units_a, p.units_b, p.units_common,
		p.evidence::jsonb, p.veto, p.ends::jsonb, p.brief::jsonb)
ORDER BY p.a, p.b
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	type_a = excluded.type_a, type_b = excluded.type_b, points = excluded.points, units_a = excluded.units_a,
	units_b = excluded.units_b, units_common = excluded.units_common, evidence = excluded.evidence,
	veto = excluded.veto, ends = excluded.ends, brief = excluded.brief`

func queuePairs(batch *pgx.Batch, id uuid.UUID, pairs []score.Pair) error {
	if len(pairs) == 0 {
		return nil
	}
	n := len(pairs)
	as, bs, points := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]int, n)
	typesA, typesB, vetoes := make([]document.Type, n), make([]document.Type, n), make([]string, n)
	unitsA, unitsB, common := make([]float64, n), make([]float64, n), make([]float64, n)
	evidence, fringes, briefs := make([]string, n), make([]string, n), make([]string, n)
	for i, p := range pairs {
		as[i], bs[i], typesA[i], typesB[i], points[i], vetoes[i] = p.A, p.B, p.TypeA, p.TypeB, p.Points, p.Veto
		unitsA[i], unitsB[i], common[i] = p.Fit.A, p.Fit.B, p.Fit.Common
		for text, value := range map[*string]any{&evidence[i]: p.Evidence, &fringes[i]: p.Ends, &briefs[i]: p.Brief()} {
			raw, err := json.Marshal(value)
			if err != nil {
				return err
			}
			*text = string(raw)
		}
	}
	batch.Queue(upsertPairsSQL, id, as, bs, typesA, typesB, points, unitsA, unitsB, common, evidence, vetoes, fringes,
		briefs)
	return nil
}

// Competition reads the pairs of documents, and in brief the pairs they compete with.
func (m *Store) Competition(ctx context.Context, documents ...uuid.UUID) (rules.Competition, error) {
	var c *competition
	err := m.db.Steady().Batch(ctx, func(batch *pgx.Batch) {
		c = newCompetition(documents...)
		batch.Queue(planOnceSQL)
		c.queueOwn(batch, nil, nil)
	})
	slices.SortFunc(c.pairs, func(p, q rules.Pair) int {
		return cmp.Or(bytes.Compare(p.A[:], q.A[:]), bytes.Compare(p.B[:], q.B[:]))
	})
	return c.asRules(), err
}

// publishStaleSQL publishes documents with a changed question again. It leaves out pending
// documents and ones in progress, because they ask it anyway.
const publishStaleSQL = publishAgain + `
WHERE id = ANY ($1) AND matching_status = 'succeeded'` + publishedColumns

const (
	publishAgain = `
UPDATE document SET
	matching_status = 'pending',
	matching_published_at = greatest(now(), matching_published_at + interval '1 microsecond'),
	matching_due_at = now(), matching_republished = 0`
	publishedColumns = `
RETURNING id, matching_published_at, tenant_id`
)
