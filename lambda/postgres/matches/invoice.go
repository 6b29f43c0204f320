package matches

import (
	"context"
	"errors"
	"fmt"

	"matchbook/lambda/job"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// InvoiceAction is a person's act about an invoice with a three-way match. It holds until the
// invoice's facts change (invoice_facts, migration 00055): a trigger then reopens it.
type InvoiceAction struct {
	Form   uuid.UUID // of the form, as its idempotency key; zero: none
	Action threeway.Action
	Reason string
	By     string // the person
	Origin string // postgres.OriginCommand or OriginConsole
	Seen   string // InvoiceVersion when the person saw it; empty: act regardless of changes
}

// ErrNoThreeWay reports a document without a three-way match.
var ErrNoThreeWay = errors.New("missing three-way match of the document")

// invoiceVersion hashes an invoice's facts and state.
const invoiceVersion = `md5(invoice_facts(t) || t.state || coalesce(
	(SELECT max(id) FROM invoice_action WHERE document_id = t.document_id), 0))`

const invoiceVersionsSQL = `
SELECT document_id, ` + invoiceVersion + ` FROM three_way_match AS t WHERE document_id = ANY ($1)`

// InvoiceVersions returns the versions of the invoices among the documents that have a three-way
// match. Each action and each change of an invoice's facts changes it.
func (m *Store) InvoiceVersions(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return postgres.Map[map[uuid.UUID]string](ctx, m.db, invoiceVersionsSQL, ids)
}

// Statements of SettleInvoice.
const (
	invoiceTenantSQL = `
SELECT tenant_id FROM document WHERE id = $1`
	seenInvoiceSQL = `
SELECT t.state, ` + invoiceVersion + `, coalesce((SELECT action FROM invoice_action WHERE form = $2), '')
FROM three_way_match AS t WHERE document_id = $1`
	invoiceActionSQL = `
INSERT INTO invoice_action (form, tenant_id, document_id, action, reason, facts, acted_by, origin)
SELECT nullif($2, '00000000-0000-0000-0000-000000000000'::uuid), tenant_id, document_id, $3, $4, invoice_facts(t), $5, $6
FROM three_way_match AS t WHERE document_id = $1`
	invoiceStateSQL = `
UPDATE three_way_match SET state = $2, state_at = now() WHERE document_id = $1`
)

// SettleInvoice stores a person's action and its state, and reports whether it changed the state.
// A form sent again does nothing. It returns ErrNoThreeWay, or ErrStale if the invoice has changed
// since the person saw it.
func (m *Store) SettleInvoice(ctx context.Context, id uuid.UUID, a InvoiceAction) (changed bool, err error) {
	tenant, err := postgres.Value[uuid.UUID](ctx, m.db, invoiceTenantSQL, id)
	if err != nil {
		return false, noThreeWay(err)
	}
	var is threeway.State
	var version string
	var sent threeway.Action
	err = m.db.InTxWith(ctx, func(batch *pgx.Batch) {
		changed = false
		// Matching writes the three-way match in the tenant's turn, and corrections lock the invoice.
		batch.Queue(postgres.AwaitTurnSQL, tenant)
		batch.Queue(lockDocumentSQL, id)
		batch.Queue(seenInvoiceSQL, id, a.Form).QueryRow(func(row pgx.Row) error { return row.Scan(&is, &version, &sent) })
	}, func(tx pgx.Tx) error {
		if sent == a.Action {
			return nil
		}
		if a.Seen != "" && a.Seen != version {
			return postgres.ErrStale
		}
		batch := &pgx.Batch{}
		if state := a.Action.State(); is != state {
			batch.Queue(invoiceActionSQL, id, a.Form, a.Action, postgres.Storable(a.Reason), postgres.Storable(a.By), a.Origin)
			batch.Queue(invoiceStateSQL, id, state)
			changed = true
		}
		return send(ctx, tx, batch)
	})
	return changed && err == nil, noThreeWay(err)
}

func noThreeWay(err error) error {
	switch {
	case err == nil || errors.Is(err, postgres.ErrStale):
		return err
	case errors.Is(err, job.ErrNotFound) || errors.Is(err, pgx.ErrNoRows):
		return ErrNoThreeWay
	}
	return fmt.Errorf("settle invoice: %w", err)
}
