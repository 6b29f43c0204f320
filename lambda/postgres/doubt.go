package postgres

import (
	"context"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/threeway"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// doubtedSQL lists the over-billed invoices that an open question, changed by a write, may
// explain: about the changed documents $1, or among $3. Only their clusters must be compared
// again.
const doubtedSQL = `
	SELECT document_id FROM three_way_match
	WHERE verdict IN ('over-billed', 'maybe-over-billed') AND document_id = ANY ($3::uuid[] || ARRAY(
		SELECT document_b_id FROM match_suggestion WHERE document_a_id = ANY ($1)
		UNION ALL SELECT document_a_id FROM match_suggestion WHERE document_b_id = ANY ($1)))`

// openAboutSQL lists the open questions about each of these invoices, the five likeliest: about
// orders and credit notes that have no invoice yet. So the result depends on these documents
// alone, and not on their clusters.
const openAboutSQL = `
SELECT i.id, o.id, o.type, o.data
FROM unnest($1::uuid[]) AS i (id) CROSS JOIN LATERAL (
	SELECT d.id, type::text, ` + dataColumn + ` AS data
	FROM (
		SELECT document_b_id AS other, score, evidence, decided_by FROM match_suggestion WHERE document_a_id = i.id
		UNION ALL SELECT document_a_id, score, evidence, decided_by FROM match_suggestion WHERE document_b_id = i.id
	) AS s JOIN document AS d ON d.id = other
	WHERE decided_by <> 'person' AND score > 0 AND type IN ('purchase-order', 'credit-note')
		AND NOT question_is_folded(i.id, d.id, evidence)
		AND NOT EXISTS (SELECT FROM (
			SELECT document_b_id AS id FROM document_match WHERE document_a_id = d.id
			UNION ALL SELECT document_a_id FROM document_match WHERE document_b_id = d.id
		) AS m JOIN document AS billed ON billed.id = m.id WHERE billed.type = 'invoice')
	ORDER BY score DESC, d.id LIMIT 5
) AS o
ORDER BY 1, 2`

// doubt takes the verdict from over-billed invoices that open questions explain.
func (c *chain) doubt(ctx context.Context, tx pgx.Tx, known []threeway.Conversion) error {
	var over []uuid.UUID
	for i := range c.compared {
		if v := &c.compared[i]; v.OverBills() {
			over = append(over, v.ID)
		}
	}
	if len(over) == 0 {
		return nil
	}
	docs, open := slices.Clone(c.docs), [][2]uuid.UUID{}
	var invoice uuid.UUID
	var d threeway.Document
	var data string
	rows, _ := tx.Query(ctx, openAboutSQL, over)
	_, err := pgx.ForEachRow(rows, []any{&invoice, &d.ID, &d.Type, &data}, func() (err error) {
		if slices.ContainsFunc(docs, func(read threeway.Document) bool { return read.ID == d.ID }) {
			open = append(open, [2]uuid.UUID{invoice, d.ID})
		} else if d.Data, err = document.Parse([]byte(data)); err == nil { // unreadable ones are left out, as by matching
			docs, open = append(docs, d), append(open, [2]uuid.UUID{invoice, d.ID})
		}
		return nil
	})
	if err == nil && len(open) > 0 {
		threeway.Doubt(c.compared, docs, c.matches, open, c.tolerance, known)
	}
	return err
}

// asked lists the documents of questions that a write may have changed.
func (d *redecision) asked() (ids []uuid.UUID) {
	for _, e := range d.held.edges {
		if !e.Matched {
			ids = append(ids, e.A, e.B)
		}
	}
	for i := range d.result.Suggestions {
		ids = append(ids, d.result.Suggestions[i].A, d.result.Suggestions[i].B)
	}
	return ids
}
