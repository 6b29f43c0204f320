package postgres

import (
	"fmt"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/match/warning"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// billedClusters are the documents' clusters with an invoice, because without one there is
// nothing to compare, however many deliveries an order has.
const billedClusters = `SELECT cluster_id FROM document
	WHERE cluster_id = ANY (ARRAY(SELECT cluster_id FROM document WHERE id = ANY ($1))) AND type = 'invoice'`

// chainSQL reads these clusters with each document's matches and the tenant's tolerance. The
// first 200 documents of each type by date, up to 8 MiB, are compared; the others come without
// data. These bounds must depend on the cluster alone.
const chainSQL = `
SELECT id, type::text, CASE WHEN place <= 200 AND bytes_read <= 8388608 THEN data ELSE '' END,
	cluster_id, of_type, ARRAY(SELECT document_b_id FROM document_match WHERE document_a_id = c.id),
	coalesce((SELECT to_jsonb(t) - 'tenant_id' FROM match_tolerance AS t WHERE tenant_id = $2), ` + usualTolerance + `)
FROM (
	SELECT d.id, type, cluster_id, data, row_number() OVER chosen AS place, sum(octet_length(data)) OVER chosen AS bytes_read,
		count(*) OVER (PARTITION BY cluster_id, type) AS of_type
	FROM document AS d CROSS JOIN LATERAL (SELECT ` + dataColumn + ` AS data OFFSET 0) AS t
	WHERE cluster_id = ANY (ARRAY(` + billedClusters + `))
		AND type IN ('purchase-order', 'delivery-note', 'goods-receipt', 'invoice', 'credit-note')
	WINDOW chosen AS (PARTITION BY cluster_id, type ORDER BY structured_data ->> 'date' COLLATE "C", d.id)
) AS c
ORDER BY id`

// usualTolerance is for tenants that haven't set one.
const usualTolerance = `'{"price_percent": 2, "price_absolute": 0.01,
	"quantity_percent": 0, "quantity_absolute": 0, "needs_receipt": true}'`

// chain is the input for comparing clusters.
type chain struct {
	docs      []threeway.Document
	matches   [][2]uuid.UUID
	tolerance threeway.Tolerance
	number    map[uuid.UUID]string    // of each document read
	left      map[uuid.UUID]int       // unread invoices, with the number of all
	bounded   map[uuid.UUID]uuid.UUID // documents of clusters with such invoices
	of        map[uuid.UUID]int       // number of invoices in such a cluster
}

// queueComparisons updates the three-way matches in the changed documents' clusters, with the
// warnings about over-billed orders and the confidence of their matches.
func (c *chain) queueComparisons(batch *pgx.Batch, changed []uuid.UUID) {
	affected := slices.Clone(changed)
	var list []threeway.Invoice
	for _, d := range c.docs {
		if d.Type == document.Invoice {
			affected = append(affected, d.ID)
		}
	}
	for id, all := range c.left {
		affected = append(affected, id)
		list = append(list, threeway.Invoice{ID: id, Verdict: threeway.Unchecked, Lines: []threeway.Line{},
			Orders: []threeway.Order{}, Receipts: []uuid.UUID{},
			Words: fmt.Sprintf("Of %d connected invoices, only the first by date were compared; this one was not.", all)})
	}
	for _, v := range threeway.Check(c.docs, c.matches, c.tolerance) {
		if all := c.of[c.bounded[v.ID]]; all > 0 {
			v.Words += fmt.Sprintf(" Of %d connected invoices, only the first by date were compared.", all)
		}
		list = append(list, v)
	}
	c.replace(batch, affected, list)
}

func queueChain(batch *pgx.Batch, changed []uuid.UUID, tenant uuid.UUID) *chain {
	c := &chain{number: map[uuid.UUID]string{}, left: map[uuid.UUID]int{}, bounded: map[uuid.UUID]uuid.UUID{},
		of: map[uuid.UUID]int{}}
	batch.Queue(chainSQL, changed, tenant).Query(c.take)
	return c
}

// take reads the documents. It leaves out unreadable ones, as matching does.
func (c *chain) take(rows pgx.Rows) error {
	var d threeway.Document
	var cluster uuid.UUID
	var data string
	var all int
	var partners []uuid.UUID
	_, err := pgx.ForEachRow(rows, []any{&d.ID, &d.Type, &data, &cluster, &all, &partners, &c.tolerance}, func() error {
		for _, partner := range partners {
			c.matches = append(c.matches, [2]uuid.UUID{d.ID, partner})
		}
		parsed, err := document.Parse([]byte(data))
		switch {
		case err == nil:
			c.docs = append(c.docs, threeway.Document{ID: d.ID, Type: d.Type, Data: parsed})
			c.number[d.ID], c.bounded[d.ID] = parsed.Number, cluster
		case d.Type == document.Invoice && data == "":
			c.left[d.ID], c.of[cluster] = all, all
		}
		return nil
	})
	return err
}

const putComparisonSQL = `
INSERT INTO three_way_match AS old (document_id, tenant_id, verdict, words, lines, orders, receipts, tolerance, created_at)
SELECT id, tenant_id, $2, $3, $4, $5, $6, $7, now() FROM document WHERE id = $1
ON CONFLICT (document_id) DO UPDATE SET verdict = excluded.verdict, words = excluded.words, lines = excluded.lines,
	orders = excluded.orders, receipts = excluded.receipts, tolerance = excluded.tolerance, created_at = excluded.created_at
WHERE (old.verdict, old.words, old.lines, old.orders, old.receipts, old.tolerance) IS DISTINCT FROM
	(excluded.verdict, excluded.words, excluded.lines, excluded.orders, excluded.receipts, excluded.tolerance)`

const clearComparisonsSQL = `
DELETE FROM three_way_match WHERE document_id = ANY ($1) AND document_id <> ALL ($2)`

// lowerSQL takes high confidence from a match of an invoice with an order it exceeds, unless a
// person confirmed it. When the warning goes, raiseSQL restores it.
const lowerSQL = `
UPDATE document_match AS m SET lowered_from = confidence, confidence = 'medium'
FROM document_warning AS w
WHERE w.document_id = ANY ($1) AND w.kind = 'over-billed' AND m.confidence = 'high' AND m.decided_by <> 'person'
	AND m.document_a_id = least(w.document_id, w.other_document_id)
	AND m.document_b_id = greatest(w.document_id, w.other_document_id)`

const raiseSQL = `
UPDATE document_match AS m SET confidence = lowered_from, lowered_from = ''
WHERE (document_a_id = ANY ($1) OR document_b_id = ANY ($1)) AND lowered_from <> ''
	AND NOT EXISTS (SELECT FROM document_warning AS w WHERE w.kind = 'over-billed'
		AND least(w.document_id, w.other_document_id) = m.document_a_id
		AND greatest(w.document_id, w.other_document_id) = m.document_b_id
		AND w.document_id IN (m.document_a_id, m.document_b_id))`

func (c *chain) replace(batch *pgx.Batch, affected []uuid.UUID, list []threeway.Invoice) {
	kept, warnings := []uuid.UUID{}, []warning.Warning{}
	for _, v := range list {
		kept = append(kept, v.ID)
		batch.Queue(putComparisonSQL, v.ID, v.Verdict, v.Words, v.Lines, v.Orders, v.Receipts, c.tolerance)
		for _, o := range v.Orders {
			if o.OverBilled {
				warnings = append(warnings, warning.Warning{Document: v.ID, Kind: warning.OverBilled, Other: o.ID,
					Words: warning.OverBilledWords(c.number[o.ID], v, o)})
			}
		}
	}
	batch.Queue(clearComparisonsSQL, affected, kept)
	queueWarnings(batch, []warning.Kind{warning.OverBilled}, affected, warnings)
	batch.Queue(lowerSQL, affected)
	batch.Queue(raiseSQL, affected)
}
