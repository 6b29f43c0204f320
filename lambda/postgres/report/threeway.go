package report

import (
	"context"
	"math"
	"time"

	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ThreeWay is an invoice's three-way match, with the tolerance applied and what people made of it.
type ThreeWay struct {
	threeway.Invoice
	Tolerance threeway.Tolerance `json:"tolerance"`
	State     threeway.State     `json:"state"`
	Settled   *Settled           `json:"settled,omitempty"` // the last action; of a reopened one without a person
}

// lastInvoiceAction is the last action about an invoice ({id}), as Settled has it.
const lastInvoiceAction = `(SELECT jsonb_build_object('by', acted_by, 'reason', reason, 'at', acted_at)
	FROM invoice_action AS last WHERE last.document_id = `

const threeWaySQL = `
SELECT document_id, verdict, words, lines, orders, receipts, tolerance, state,
	` + lastInvoiceAction + `t.document_id ORDER BY id DESC LIMIT 1)
FROM three_way_match AS t WHERE document_id = ANY ($1) ORDER BY document_id`

// ThreeWays reads the three-way matches of the invoices among the documents. Note that their
// texts are the documents' as they are.
func (r Reader) ThreeWays(ctx context.Context, ids []uuid.UUID) ([]ThreeWay, error) {
	return postgres.RowsBy(ctx, r.db, func(row pgx.CollectableRow) (w ThreeWay, err error) {
		err = row.Scan(&w.ID, &w.Verdict, &w.Words, &w.Lines, &w.Orders, &w.Receipts, &w.Tolerance, &w.State, &w.Settled)
		return w, err
	}, threeWaySQL, ids)
}

// InvoiceFilter selects three-way matches of a tenant.
type InvoiceFilter struct {
	Tenant   uuid.UUID
	States   []threeway.State
	Verdicts []threeway.Verdict
}

// ListedInvoice is an invoice in a list. Note that its texts are the document's as they are, cut
// to 400 characters.
type ListedInvoice struct {
	ID       uuid.UUID
	Number   string
	Supplier string
	Date     string
	Total    string
	Currency string
	FileName string
	Verdict  threeway.Verdict
	State    threeway.State
	Settled  *Settled
	Compared time.Time
	Place
}

// invoicesSQL reads the latest of each state and verdict from the index and merges them.
const invoicesSQL = `
SELECT id, left(coalesce(structured_data ->> 'number', ''), 400), left(coalesce(structured_data #>> '{supplier,name}', ''), 400),
	left(coalesce(structured_data ->> 'date', ''), 400), left(coalesce(structured_data ->> 'total', ''), 400),
	left(coalesce(structured_data ->> 'currency', ''), 400), coalesce(file_name, ''), verdict, state,
	` + lastInvoiceAction + `parts.id ORDER BY last.id DESC LIMIT 1),
	compared, (extract(epoch FROM compared) * 1000000)::bigint, id
FROM (
	SELECT page.* FROM unnest($2::text[]) AS s CROSS JOIN unnest($3::text[]) AS v CROSS JOIN LATERAL (
		SELECT document_id AS id, verdict, state, created_at AS compared FROM three_way_match
		WHERE tenant_id = $1 AND state = s AND verdict = v
			AND (created_at, document_id) < (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::uuid)
		ORDER BY created_at DESC, document_id DESC LIMIT $6) AS page
	ORDER BY compared DESC, id DESC LIMIT $6
) AS parts JOIN document USING (id) ORDER BY compared DESC, id DESC`

// Invoices reads a page of three-way matches, the latest comparison first.
func (r Reader) Invoices(ctx context.Context, f InvoiceFilter, after Place, size int) ([]ListedInvoice, error) {
	after = after.orBeginning(lastTime)
	return postgres.Rows[ListedInvoice](ctx, r.db, invoicesSQL, f.Tenant, f.States, f.Verdicts, after.At, after.ID, size)
}

const invoiceCountsSQL = `
SELECT s, (SELECT count(*) FROM unnest($3::text[]) AS v CROSS JOIN LATERAL (
	SELECT FROM three_way_match WHERE tenant_id = $1 AND state = s AND verdict = v LIMIT $4) AS few)::integer
FROM unnest($2::text[]) AS s`

// InvoiceCounts counts three-way matches by state, at most so many of each state and verdict; 0
// for all.
func (r Reader) InvoiceCounts(ctx context.Context, f InvoiceFilter, most int) (map[threeway.State]int, error) {
	if most == 0 {
		most = math.MaxInt32
	}
	return postgres.Map[map[threeway.State]int](ctx, r.db, invoiceCountsSQL, f.Tenant, f.States, f.Verdicts, most)
}

// ToleranceChange is a person's change of a tolerance. Note that its texts are as people wrote them.
type ToleranceChange struct {
	At       time.Time
	Supplier string // as threeway.Tolerances has it
	Before   threeway.Tolerance
	After    *threeway.Tolerance // nil: removed
	By       string
	Reason   string
}

const toleranceChangesSQL = `
SELECT changed_at, supplier, before, after, changed_by, reason FROM tolerance_change WHERE tenant_id = $1 ORDER BY id DESC LIMIT $2`

// ToleranceChanges reads up to limit changes of a tenant's tolerances, the latest first.
func (r Reader) ToleranceChanges(ctx context.Context, tenant uuid.UUID, limit int) ([]ToleranceChange, error) {
	return postgres.Rows[ToleranceChange](ctx, r.db, toleranceChangesSQL, tenant, limit)
}
