package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Imported is a document to store.
type Imported struct {
	ID, TenantID uuid.UUID
	Type         document.Type
	FilePath     string
	Received     time.Time // zero: now
	Data         json.RawMessage
}

// ErrOtherTenant reports a document id in use by another tenant.
var ErrOtherTenant = failure.Permanently("id belongs to a document of another tenant")

// Addition is the outcome of adding a document.
type Addition string

// The outcomes of Add.
const (
	Stored   Addition = "stored"   // it was new
	Replaced Addition = "replaced" // its content differed
	Same     Addition = "same"     // it was stored before, with this content
	Changed  Addition = "changed"  // it was stored before with other content, and left alone
	Foreign  Addition = "foreign"  // its id belongs to another tenant
)

// Added is a document after Add. It's pending if it was stored or replaced.
type Added struct {
	ID       uuid.UUID
	Addition Addition
	Status   string      // matching_status before; empty for a new document
	Message  job.Stamped // if stored or replaced; without a stamp if the sweep is to publish it
}

// AddOptions change how Add treats stored documents and messages.
type AddOptions struct {
	Replace bool // overwrite stored content if it differs
	// Set Send if you send the messages. Otherwise new documents get no stamp, so the sweep
	// publishes them like rows of other programs.
	Send bool
}

const givenSQL = `WITH given AS (
	SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
		AS g (id, tenant_id, type, file_path, data, received_at)
)`

// AddTenantsSQL adds the tenants $1 that aren't known.
const AddTenantsSQL = `
INSERT INTO tenant (id, name) SELECT DISTINCT id, 'tenant ' || id FROM unnest($1::uuid[]) AS t (id) ORDER BY id
ON CONFLICT (id) DO NOTHING`

const addSQL = givenSQL + `
INSERT INTO document (id, tenant_id, type, file_path, structured_data, received_at,
	matching_status, matching_published_at, matching_due_at)
SELECT id, tenant_id, type::document_type, file_path, data::jsonb, coalesce(received_at, now()),
	'pending', CASE WHEN $7 THEN now() END, now()
FROM given ORDER BY id
ON CONFLICT (id) DO NOTHING
RETURNING id, coalesce(matching_published_at, '0001-01-01Z'), tenant_id`

// correctedSQL adds people's corrections to givenSQL, so that a file older than a correction
// isn't taken for a change.
const correctedSQL = givenSQL + `, corrected AS (
	SELECT g.id, g.tenant_id, g.file_path, g.received_at, document_corrected(g.data::jsonb, g.id) AS data,
		coalesce((SELECT (c.value #>> '{}')::document_type FROM document_correction AS c
			WHERE c.document_id = g.id AND c.field = 'type' ORDER BY c.id DESC LIMIT 1), g.type::document_type) AS type
	FROM given AS g
)`

const thereSQL = correctedSQL + `
SELECT d.id, d.tenant_id <> c.tenant_id, coalesce(d.matching_status, ''),
	(d.type, d.structured_data) IS DISTINCT FROM (c.type, c.data) OR d.received_at <> c.received_at IS TRUE
FROM corrected AS c JOIN document AS d USING (id)`

// replaceSQL publishes like publishSQL.
const replaceSQL = correctedSQL + `, locked AS (
	SELECT d.id FROM document AS d JOIN given USING (id, tenant_id)
	WHERE d.id = ANY ($7) ORDER BY d.id FOR NO KEY UPDATE OF d
)
UPDATE document AS d SET
	type = c.type, structured_data = c.data, file_path = c.file_path,
	received_at = coalesce(c.received_at, d.received_at),
	matching_status = 'pending',
	matching_published_at = greatest(now(), d.matching_published_at + interval '1 microsecond'),
	matching_due_at = now(),
	matching_lease_until = NULL, matching_error = NULL, matching_failed_at = NULL,
	matching_republished = 0, matching_lapses = 0
FROM locked JOIN corrected AS c USING (id)
WHERE d.id = locked.id
RETURNING d.id, d.matching_published_at, d.tenant_id`

// Add stores new documents as pending, and leaves stored ones alone unless o.Replace is set;
// all or none. An unknown tenant gets the name "tenant ID". The result follows the order of
// docs, with each id once.
func (db *DB) Add(ctx context.Context, docs []Imported, o AddOptions) (list []Added, err error) {
	columns, tenants := givenOf(docs)
	var by map[uuid.UUID]Added
	err = db.InTx(ctx, func(tx pgx.Tx) error {
		by = make(map[uuid.UUID]Added, len(docs))
		if _, err := tx.Exec(ctx, AddTenantsSQL, tenants); err != nil {
			return err
		}
		if err := readAdded(ctx, tx, by, Stored, addSQL, append(columns, o.Send)); err != nil {
			return err
		}
		changed, err := readThere(ctx, tx, by, columns)
		if err != nil || !o.Replace || len(changed) == 0 {
			return err
		}
		return readAdded(ctx, tx, by, Replaced, replaceSQL, append(columns, changed))
	})
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if a, ok := by[d.ID]; ok {
			list = append(list, a)
			delete(by, d.ID)
		}
	}
	return list, nil
}

func givenOf(docs []Imported) (columns []any, tenants []uuid.UUID) {
	n := len(docs)
	ids, types, files, data := make([]uuid.UUID, n), make([]string, n), make([]string, n), make([]string, n)
	tenants = make([]uuid.UUID, n)
	received := make([]*time.Time, n)
	for i, d := range docs {
		ids[i], tenants[i], types[i], files[i], data[i] = d.ID, d.TenantID, string(d.Type), d.FilePath, string(d.Data)
		received[i] = OrNull(d.Received)
	}
	return slices.Clip([]any{ids, tenants, types, files, data, received}), tenants
}

// readAdded runs a statement and reads the messages of the rows it wrote.
func readAdded(ctx context.Context, tx pgx.Tx, by map[uuid.UUID]Added, as Addition, sql string, args []any) error {
	written, err := Rows[job.Stamped](ctx, tx, sql, args...)
	for _, m := range written {
		by[m.ID] = Added{ID: m.ID, Addition: as, Status: by[m.ID].Status, Message: m}
	}
	return err
}

// readThere adds the documents stored before, and returns the ids with other content.
func readThere(ctx context.Context, tx pgx.Tx, by map[uuid.UUID]Added, columns []any) (changed []uuid.UUID, err error) {
	var id uuid.UUID
	var foreign, differs bool
	var status string
	err = Read(ctx, tx, Each([]any{&id, &foreign, &status, &differs}, func() {
		if _, ok := by[id]; ok {
			return // stored just now
		}
		a := Added{ID: id, Addition: Same, Status: status}
		switch {
		case foreign:
			a = Added{ID: id, Addition: Foreign} // show nothing of another tenant's document
		case differs:
			a.Addition = Changed
			changed = append(changed, id)
		}
		by[id] = a
	}), thereSQL, columns...)
	return changed, err
}
