package matches

import (
	"context"

	"matchbook/lambda/match"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// billedClusters are the documents' clusters with an invoice, because without one there is
// nothing to compare, however many deliveries an order has.
const billedClusters = `SELECT cluster_id FROM document
	WHERE cluster_id = ANY (ARRAY(SELECT cluster_id FROM document WHERE id = ANY ($1 || ARRAY(` + doubtedSQL + `)))) AND type = 'invoice'`

// chainSQL reads these clusters with each document's matches. The
// first 200 documents of each type by date, up to 8 MiB, are compared; the others come without
// data. These bounds must depend on the cluster alone.
const chainSQL = `
SELECT id, type::text, CASE WHEN place <= 200 AND bytes_read <= 8388608 THEN data ELSE '' END,
	cluster_id, of_type, ARRAY(SELECT document_b_id FROM document_match WHERE document_a_id = c.id),
	(SELECT coalesce(jsonb_object_agg(supplier, to_jsonb(t) - 'tenant_id' - 'supplier'), '{}') FROM tolerance AS t WHERE tenant_id = $2)
FROM (
	SELECT d.id, type, cluster_id, data, row_number() OVER chosen AS place, sum(octet_length(data)) OVER chosen AS bytes_read,
		count(*) OVER (PARTITION BY cluster_id, type) AS of_type
	FROM document AS d CROSS JOIN LATERAL (SELECT ` + dataColumn + ` AS data OFFSET 0) AS t
	WHERE cluster_id = ANY (ARRAY(` + billedClusters + `))
		AND type IN ('purchase-order', 'delivery-note', 'goods-receipt', 'invoice', 'credit-note')
	WINDOW chosen AS (PARTITION BY cluster_id, type ORDER BY structured_data ->> 'date' COLLATE "C", d.id)
) AS c
ORDER BY id`

// knownUnitsSQL lists what invoices of other clusters say about the units of articles of the
// same suppliers.
const knownUnitsSQL = `
SELECT jsonb_build_object('article', article, 'from', from_unit, 'to', to_unit, 'factor', factor) FROM (
	SELECT DISTINCT u.article, u.from_unit, u.to_unit, u.factor::text
	FROM article_unit AS u JOIN document AS d ON d.id = u.document_id JOIN party_name AS theirs ON theirs.document_id = u.document_id
	WHERE u.tenant_id = $1 AND u.article = ANY ($2)
		AND (d.cluster_id IS NULL OR d.cluster_id <> ALL (ARRAY(SELECT cluster_id FROM document WHERE id = ANY ($3))))
		AND EXISTS (SELECT FROM party_name AS ours WHERE ours.document_id = ANY ($3)
			AND (ours.vat_id <> '' AND ours.vat_id = theirs.vat_id OR ours.name <> '' AND ours.name = theirs.name))
	ORDER BY 1, 2, 3, 4) AS known`

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

// chain is the comparison of clusters.
type chain struct {
	*match.Chain
	tenant uuid.UUID
}

// queueChain reads the clusters of the changed documents, and of over-billed invoices that a
// question about asked documents is about.
func queueChain(batch *pgx.Batch, changed, asked []uuid.UUID, tenant uuid.UUID) *chain {
	c := &chain{match.NewChain(), tenant}
	var l match.Link
	columns := []any{&l.ID, &l.Type, &l.Data, &l.Cluster, &l.All, &l.Partners, &c.Tolerance}
	batch.Queue(chainSQL, changed, tenant, append([]uuid.UUID{}, asked...)).Query(postgres.Each(columns, func() { c.Add(l) }))
	return c
}

// compare compares the invoices. It reads what other documents say about units only if these
// don't say it, and questions only about over-billed invoices.
func (c *chain) compare(ctx context.Context, tx pgx.Tx) (err error) {
	var known []threeway.Conversion
	if articles, invoices := c.Compare(); len(articles) > 0 {
		known, err = postgres.RowsBy(ctx, tx, pgx.RowTo[threeway.Conversion], knownUnitsSQL, c.tenant, articles, invoices)
		if err != nil {
			return err
		}
	}
	if over := c.Learn(known); len(over) > 0 {
		questions, err := postgres.Rows[match.Question](ctx, tx, openAboutSQL, over)
		if err != nil {
			return err
		}
		c.Doubt(questions)
	}
	return nil
}

const updateComparison = `
ON CONFLICT (document_id) DO UPDATE SET verdict = excluded.verdict, words = excluded.words, lines = excluded.lines,
	orders = excluded.orders, receipts = excluded.receipts, tolerance = excluded.tolerance,
	unknown_units = excluded.unknown_units, judge_again = false, created_at = excluded.created_at`

const putComparisonSQL = `
INSERT INTO three_way_match AS old
	(document_id, tenant_id, verdict, words, lines, orders, receipts, tolerance, unknown_units, created_at)
SELECT id, tenant_id, $2, $3, $4, $5, $6, $7, $8, now() FROM document WHERE id = $1` + updateComparison + `
WHERE old.judge_again
	OR (old.verdict, old.words, old.lines, old.orders, old.receipts, old.tolerance, old.unknown_units) IS DISTINCT FROM (excluded.verdict,
		excluded.words, excluded.lines, excluded.orders, excluded.receipts, excluded.tolerance, excluded.unknown_units)`

// putUnitsSQL replaces what invoices say about the units of articles. The invoices of other
// clusters that a change concerns are judged again.
const putUnitsSQL = `
WITH said AS (
	SELECT * FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::numeric[])
		AS s (document_id, article, from_unit, to_unit, factor)
), gone AS (
	DELETE FROM article_unit AS old WHERE document_id = ANY ($2) AND NOT EXISTS (SELECT FROM said
		WHERE (said.document_id, said.article, said.from_unit, said.to_unit) = (old.document_id, old.article, old.from_unit, old.to_unit))
	RETURNING article
), put AS (
	INSERT INTO article_unit AS old (document_id, tenant_id, article, from_unit, to_unit, factor)
	SELECT document_id, $1, article, from_unit, to_unit, factor FROM said
	ON CONFLICT (document_id, article, from_unit, to_unit) DO UPDATE SET factor = excluded.factor WHERE old.factor <> excluded.factor
	RETURNING article
)
UPDATE three_way_match SET judge_again = true
WHERE tenant_id = $1 AND unknown_units <> '{}' AND unknown_units && ARRAY(SELECT article FROM gone UNION SELECT article FROM put)
	AND document_id <> ALL ($2) AND NOT judge_again`

// publishAgainSQL publishes invoices to judge again, a few at a time: each one publishes the
// next ones when it is matched.
const publishAgainSQL = publishAgain + `
WHERE id = ANY (ARRAY(SELECT t.document_id FROM three_way_match AS t JOIN document AS d ON d.id = t.document_id
	WHERE t.tenant_id = $1 AND t.judge_again AND d.matching_status = 'succeeded' ORDER BY t.document_id LIMIT $2))` + publishedColumns

// judgedAgain is the number of invoices to judge again that a write publishes.
const judgedAgain = 20

// withoutOrderSQL gives the invoices among $1 that were not compared ($2 were) a row all the same,
// so that a person can settle them. What is no invoice any more, or says nothing, has none.
const withoutOrderSQL = `
WITH bills AS (
	SELECT id, tenant_id FROM document WHERE id = ANY ($1) AND id <> ALL ($2) AND type = 'invoice' AND structured_data <> '{}'
), gone AS (
	DELETE FROM three_way_match WHERE document_id = ANY ($1) AND document_id <> ALL ($2) AND document_id NOT IN (SELECT id FROM bills)
)
INSERT INTO three_way_match AS old (document_id, tenant_id, verdict, words, lines, orders, receipts, tolerance, unknown_units, created_at)
SELECT id, tenant_id, $3, $4, '[]', '[]', '[]', $5, '{}', now() FROM bills` + updateComparison + `
WHERE old.verdict <> excluded.verdict`

func queueWithoutOrder(batch *pgx.Batch, affected, compared []uuid.UUID) {
	v := match.WithoutOrder()
	batch.Queue(withoutOrderSQL, affected, compared, v.Verdict, v.Words, v.Tolerance)
}

// lowerSQL takes high confidence from a match of an invoice with an order that it has a warning
// about, unless a person confirmed it. When the warning goes, raiseSQL restores it.
const lowerSQL = `
UPDATE document_match AS m SET lowered_from = confidence, confidence = 'medium'
FROM document_warning AS w
WHERE w.document_id = ANY ($1) AND w.kind = ANY ($2) AND m.confidence = 'high' AND m.decided_by <> 'person'
	AND m.document_a_id = least(w.document_id, w.other_document_id)
	AND m.document_b_id = greatest(w.document_id, w.other_document_id)`

const raiseSQL = `
UPDATE document_match AS m SET confidence = lowered_from, lowered_from = ''
WHERE (document_a_id = ANY ($1) OR document_b_id = ANY ($1)) AND lowered_from <> ''
	AND NOT EXISTS (SELECT FROM document_warning AS w WHERE w.kind = ANY ($2)
		AND least(w.document_id, w.other_document_id) = m.document_a_id
		AND greatest(w.document_id, w.other_document_id) = m.document_b_id
		AND w.document_id IN (m.document_a_id, m.document_b_id))`

// queueComparisons updates the three-way matches in the changed documents' clusters, with the
// warnings about over-billed orders and the confidence of their matches.
func (c *chain) queueComparisons(batch *pgx.Batch, changed []uuid.UUID) {
	r := c.Comparisons(changed)
	kept := []uuid.UUID{}
	var of []uuid.UUID
	var articles, from, to, factors []string
	for _, v := range r.Invoices {
		kept = append(kept, v.ID)
		batch.Queue(putComparisonSQL, v.ID, v.Verdict, v.Words, v.Lines, v.Orders, v.Receipts, v.Tolerance, v.Unsure)
		for _, u := range v.Learned {
			of, articles, factors = append(of, v.ID), append(articles, u.Article), append(factors, u.Factor.Canonical())
			from, to = append(from, u.From), append(to, u.To)
		}
	}
	queueWithoutOrder(batch, r.About, kept)
	batch.Queue(putUnitsSQL, c.tenant, r.About, of, articles, from, to, factors)
	queueWarnings(batch, match.ChainKinds, r.About, r.Warnings)
	batch.Queue(lowerSQL, r.About, match.ChainKinds)
	batch.Queue(raiseSQL, r.About, match.ChainKinds)
}
