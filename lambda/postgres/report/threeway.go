package report

import (
	"context"

	"matchbook/lambda/match/threeway"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ThreeWay is an invoice's three-way match, with the tolerance applied.
type ThreeWay struct {
	threeway.Invoice
	Tolerance threeway.Tolerance `json:"tolerance"`
}

const threeWaySQL = `
SELECT document_id, verdict, words, lines, orders, receipts, tolerance FROM three_way_match
WHERE document_id = ANY ($1) ORDER BY document_id`

// ThreeWays reads the three-way matches of the invoices among the documents. Note that their
// texts are the documents' as they are.
func (r Reader) ThreeWays(ctx context.Context, ids []uuid.UUID) ([]ThreeWay, error) {
	rows, _ := r.db.Query(ctx, threeWaySQL, ids)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (w ThreeWay, err error) {
		err = row.Scan(&w.ID, &w.Verdict, &w.Words, &w.Lines, &w.Orders, &w.Receipts, &w.Tolerance)
		return w, err
	})
}
