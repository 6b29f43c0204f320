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
	"github.com/jackc/pgx/v5/pgconn"
)

const tolerancesSQL = `
SELECT coalesce(jsonb_object_agg(supplier, to_jsonb(t) - 'tenant_id' - 'supplier'), '{}') FROM tolerance AS t WHERE tenant_id = $1`

// Tolerances reads a tenant's tolerances.
func (m *Store) Tolerances(ctx context.Context, tenant uuid.UUID) (threeway.Tolerances, error) {
	return postgres.Value[threeway.Tolerances](ctx, m.db.Steady(), tolerancesSQL, tenant)
}

// judgeAgainSQL marks the compared invoices of a supplier, or of all suppliers.
const judgeAgainSQL = `
UPDATE three_way_match AS t SET judge_again = true
WHERE tenant_id = $1 AND NOT judge_again AND verdict <> 'without-order' AND ($2 = '' OR EXISTS (SELECT FROM party_name AS p
	WHERE p.document_id = t.document_id AND $2 IN (p.vat_id, p.name)))`

// ToleranceChange is a person's change of a tolerance.
type ToleranceChange struct {
	Form   uuid.UUID // of the form, as its idempotency key; zero: none
	By     string    // the person
	Origin string    // postgres.OriginCommand or OriginConsole
	Reason string
	Seen   string // TolerancesVersion when the person saw it; empty: change it regardless of others
	// Change gets the tolerance that applies now. Nil removes the one of the supplier.
	Change func(*threeway.Tolerance) error
}

// ErrStaleTolerance reports a change of a tenant's tolerances since the person looked.
var ErrStaleTolerance = errors.New("tolerances have changed since they were shown")

const tolerancesVersionSQL = `
SELECT coalesce(max(id), 0)::text, coalesce(bool_or(form = $2), false) FROM tolerance_change WHERE tenant_id = $1`

// TolerancesVersion returns the version of a tenant's tolerances. Each change has another one.
func (m *Store) TolerancesVersion(ctx context.Context, tenant uuid.UUID) (version string, err error) {
	err = postgres.Scan(ctx, m.db.Steady(), []any{&version, new(bool)}, tolerancesVersionSQL, tenant, uuid.Nil)
	return version, err
}

const (
	removeToleranceSQL = `
DELETE FROM tolerance WHERE tenant_id = $1 AND supplier = $2`
	toleranceColumns = `price_percent, price_absolute, quantity_percent, measured_percent, quantity_absolute, total_percent,
	total_absolute, charge_percent, charge_absolute, needs_receipt, services`
	putToleranceSQL = `
INSERT INTO tolerance (tenant_id, supplier, ` + toleranceColumns + `)
SELECT $1, $2, ` + toleranceColumns + ` FROM jsonb_populate_record(NULL::tolerance, $3)`
	toleranceChangeSQL = `
INSERT INTO tolerance_change (tenant_id, supplier, before, after, changed_by, origin, reason, form)
SELECT $1, $2, $3, $4, $5, $6, $7, nullif($8, '00000000-0000-0000-0000-000000000000'::uuid)
WHERE $3::jsonb IS DISTINCT FROM $4::jsonb OR $8 <> '00000000-0000-0000-0000-000000000000'`
)

// SetTolerance changes a tenant's tolerance for a supplier, or for all others if supplier is
// empty (see threeway.ParseSupplier), and returns the one that applies then. The invoices that it
// concerns are judged again: SetTolerance publishes the first of them, and each the next ones
// when it is matched. The caller must send the messages. A form sent again does nothing. It
// returns ErrStaleTolerance if it can't change it.
func (m *Store) SetTolerance(ctx context.Context, tenant uuid.UUID, supplier string, c ToleranceChange) (
	set threeway.Tolerance, concerned int, published []job.Stamped, err error,
) {
	var all threeway.Tolerances
	var version string
	var sent bool
	err = m.db.InTxWith(ctx, func(batch *pgx.Batch) {
		all, concerned, published = nil, 0, nil
		batch.Queue(postgres.AwaitTurnSQL, tenant)
		batch.Queue(tolerancesSQL, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&all) })
		batch.Queue(tolerancesVersionSQL, tenant, c.Form).QueryRow(func(row pgx.Row) error { return row.Scan(&version, &sent) })
	}, func(tx pgx.Tx) error {
		set = all.For(supplier)
		if sent {
			return nil
		}
		if c.Seen != "" && c.Seen != version {
			return ErrStaleTolerance
		}
		batch := &pgx.Batch{}
		if err := c.queue(batch, tenant, supplier, all); err != nil {
			return err
		}
		batch.Queue(judgeAgainSQL, tenant, supplier).Exec(func(tag pgconn.CommandTag) error {
			concerned = int(tag.RowsAffected())
			return nil
		})
		queuePublish(batch, &published, publishAgainSQL, tenant, judgedFirst)
		set = all.For(supplier)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return set, 0, nil, fmt.Errorf("set tolerance: %w", err)
	}
	return set, concerned, published, nil
}

// queue queues the change, and applies it to all.
func (c ToleranceChange) queue(batch *pgx.Batch, tenant uuid.UUID, supplier string, all threeway.Tolerances) error {
	before := all.For(supplier)
	set := before
	var after *threeway.Tolerance
	delete(all, supplier)
	batch.Queue(removeToleranceSQL, tenant, supplier)
	if c.Change != nil {
		if err := c.Change(&set); err != nil {
			return err
		}
		after, all[supplier] = &set, set
		batch.Queue(putToleranceSQL, tenant, supplier, set)
	}
	batch.Queue(toleranceChangeSQL, tenant, supplier, before, after, postgres.Storable(c.By), c.Origin, postgres.Storable(c.Reason), c.Form)
	return nil
}

// judgedFirst is the number of invoices published with a changed tolerance.
const judgedFirst = 200
