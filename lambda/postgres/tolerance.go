package postgres

import (
	"context"
	"fmt"

	"matchbook/lambda/job"
	"matchbook/lambda/match/threeway"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const tolerancesSQL = `
SELECT coalesce(jsonb_object_agg(supplier, to_jsonb(t) - 'tenant_id' - 'supplier'), '{}') FROM tolerance AS t WHERE tenant_id = $1`

// Tolerances reads a tenant's tolerances.
func (db *DB) Tolerances(ctx context.Context, tenant uuid.UUID) (all threeway.Tolerances, err error) {
	err = steadily(ctx, func() error { return db.pool.QueryRow(ctx, tolerancesSQL, tenant).Scan(&all) })
	return all, err
}

// awaitTurnSQL waits for the tenant's lock (tenant.go), because matching writes the same rows.
const awaitTurnSQL = `SELECT pg_advisory_xact_lock(hashtextextended('match:' || $1::text, 0))`

const putToleranceSQL = `
INSERT INTO tolerance AS old
SELECT $1, $2, r.price_percent, r.price_absolute, r.quantity_percent, r.measured_percent, r.quantity_absolute, r.total_percent,
	r.total_absolute, r.charge_percent, r.charge_absolute, r.needs_receipt, r.services
FROM jsonb_populate_record(NULL::tolerance, $3) AS r
ON CONFLICT (tenant_id, supplier) DO UPDATE SET price_percent = excluded.price_percent,
	price_absolute = excluded.price_absolute, quantity_percent = excluded.quantity_percent,
	measured_percent = excluded.measured_percent, quantity_absolute = excluded.quantity_absolute,
	total_percent = excluded.total_percent, total_absolute = excluded.total_absolute,
	charge_percent = excluded.charge_percent, charge_absolute = excluded.charge_absolute,
	needs_receipt = excluded.needs_receipt, services = excluded.services`

// judgeAgainSQL marks the compared invoices of a supplier, or of all suppliers.
const judgeAgainSQL = `
UPDATE three_way_match AS t SET judge_again = true
WHERE tenant_id = $1 AND NOT judge_again AND ($2 = '' OR EXISTS (SELECT FROM party_name AS p
	WHERE p.document_id = t.document_id AND $2 IN (p.vat_id, p.name)))`

// SetTolerance changes a tenant's tolerance for a supplier, or for all others if supplier is
// empty (see threeway.SupplierKey). change gets the one that applies now. The invoices that it
// concerns are judged again: SetTolerance publishes the first of them, and each the next ones
// when it is matched. The caller must send the messages.
func (db *DB) SetTolerance(
	ctx context.Context, tenant uuid.UUID, supplier string, change func(*threeway.Tolerance) error,
) (set threeway.Tolerance, concerned int, published []job.Stamped, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		var all threeway.Tolerances
		batch := &pgx.Batch{}
		batch.Queue(awaitTurnSQL, tenant)
		batch.Queue(tolerancesSQL, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&all) })
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		set = all.For(supplier)
		if err := change(&set); err != nil {
			return err
		}
		batch, published = &pgx.Batch{}, nil
		batch.Queue(putToleranceSQL, tenant, supplier, set)
		batch.Queue(judgeAgainSQL, tenant, supplier).Exec(func(tag pgconn.CommandTag) error {
			concerned = int(tag.RowsAffected())
			return nil
		})
		queuePublish(batch, &published, publishAgainSQL, tenant, judgedFirst)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return set, 0, nil, fmt.Errorf("set tolerance: %w", err)
	}
	return set, concerned, published, nil
}

// judgedFirst is the number of invoices published with a changed tolerance.
const judgedFirst = 200
