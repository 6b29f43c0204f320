package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Imported is a document to be stored.
type Imported struct {
	ID, TenantID uuid.UUID
	Type         document.Type
	FilePath     string
	Received     time.Time // zero: now
	Data         json.RawMessage
}

// importSQL never moves a document to another tenant: its edges could not
// follow. It publishes as publishSQL does.
const importSQL = `
INSERT INTO document AS old (id, tenant_id, type, file_path, structured_data, received_at,
	matching_status, matching_published_at, matching_due_at)
VALUES ($1, $2, $3::text::document_type, $4, $5, coalesce($6, now()), 'pending', now(), now())
ON CONFLICT (id) DO UPDATE SET
	type = excluded.type, file_path = excluded.file_path,
	structured_data = excluded.structured_data, received_at = excluded.received_at,
	matching_status = 'pending',
	matching_published_at = greatest(now(), old.matching_published_at + interval '1 microsecond'),
	matching_due_at = now(),
	matching_lease_until = NULL, matching_error = NULL, matching_failed_at = NULL,
	matching_republished = 0, matching_lapses = 0
WHERE old.tenant_id = excluded.tenant_id
RETURNING id, matching_published_at, tenant_id`

const importTenantSQL = `
INSERT INTO tenant (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`

// ErrOtherTenant reports that a document's id belongs to another tenant.
var ErrOtherTenant = failure.Permanently("the id belongs to a document of another tenant")

// Import stores or updates documents and publishes them, all or none. A new
// tenant is stored under the name "tenant ID". The caller sends messages for the
// result, in the order of docs; the sweep publishes a document again whose
// message is not sent.
func (db *DB) Import(ctx context.Context, docs []Imported) (stamped []job.Stamped, err error) {
	given := docs
	docs = slices.Clone(docs) // to lock rows in id order, as all transactions do
	slices.SortStableFunc(docs, func(a, b Imported) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	byID := make(map[uuid.UUID]job.Stamped, len(docs))
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		known := make(map[uuid.UUID]bool)
		for _, d := range docs {
			if !known[d.TenantID] {
				known[d.TenantID] = true
				batch.Queue(importTenantSQL, d.TenantID, "tenant "+d.TenantID.String())
			}
		}
		for _, d := range docs {
			var received *time.Time
			if !d.Received.IsZero() {
				received = &d.Received
			}
			insert := batch.Queue(importSQL, d.ID, d.TenantID, d.Type, d.FilePath, d.Data, received)
			insert.Query(func(rows pgx.Rows) error {
				s, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[job.Stamped])
				if errors.Is(err, pgx.ErrNoRows) {
					err = fmt.Errorf("document %s: %w", d.ID, ErrOtherTenant)
				}
				byID[d.ID] = s
				return err
			})
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return nil, err
	}
	for _, d := range given {
		if s, ok := byID[d.ID]; ok {
			stamped = append(stamped, s)
			delete(byID, d.ID) // named twice, published once
		}
	}
	return stamped, nil
}
