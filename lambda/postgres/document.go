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
	matching_lease_until = NULL, matching_error = NULL, matching_failed_at = NULL, matching_republished = 0, matching_lapses = 0
WHERE old.tenant_id = excluded.tenant_id
RETURNING id, matching_published_at, tenant_id`

const importTenantSQL = `
INSERT INTO tenant (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`

// ErrOtherTenant is returned when a document's id belongs to another tenant.
var ErrOtherTenant = errors.New("the id belongs to a document of another tenant")

// Import stores or updates documents and publishes them, all or none, and
// stores their tenants by the name "tenant ID" if they are new. The
// caller sends messages for the result, in the order of docs; a document whose
// message is not sent is published again by the sweep.
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
			batch.Queue(importSQL, d.ID, d.TenantID, d.Type, d.FilePath, d.Data, received).Query(func(rows pgx.Rows) error {
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

// Summary is a document's state, for reports.
type Summary struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Type     document.Type
	Number   string // its own number, as printed
	Supplier string
	Status   string // matching_status; empty for NULL
	Error    string
	Attempts int
	Cluster  *uuid.UUID
}

const summarySQL = `
SELECT id, tenant_id, coalesce(type::text, ''), coalesce(structured_data ->> 'number', ''),
	coalesce(structured_data #>> '{supplier,name}', ''), coalesce(matching_status, ''), coalesce(matching_error, ''),
	matching_attempts, cluster_id
FROM document WHERE id = ANY ($1) ORDER BY tenant_id, received_at, id`

// Summaries reads the state of the documents, by tenant and time.
func (db *DB) Summaries(ctx context.Context, ids []uuid.UUID) ([]Summary, error) {
	rows, _ := db.pool.Query(ctx, summarySQL, ids)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Summary])
}

const numberedSQL = `
SELECT id FROM document WHERE structured_data ->> 'number' = $1 ORDER BY tenant_id, received_at, id LIMIT 20`

// Numbered lists at most 20 documents with this number, as printed.
func (db *DB) Numbered(ctx context.Context, number string) ([]uuid.UUID, error) {
	rows, _ := db.pool.Query(ctx, numberedSQL, number)
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// Times are when things happened to a document, or will, by the database's
// clock; nil is never.
type Times struct {
	Now       time.Time
	Published *time.Time
	Due       *time.Time // when a message for it is next due
	Lease     *time.Time // the end of the claim
	Failed    *time.Time
}

const timesSQL = `
SELECT now(), matching_published_at, matching_due_at, matching_lease_until, matching_failed_at FROM document WHERE id = $1`

// Times reads the times of a document that exists.
func (db *DB) Times(ctx context.Context, id uuid.UUID) (Times, error) {
	rows, _ := db.pool.Query(ctx, timesSQL, id)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Times])
}

const clusteredSQL = `
SELECT id FROM document WHERE cluster_id = $1 ORDER BY received_at, id`

// Clustered lists the members of a cluster, by time.
func (db *DB) Clustered(ctx context.Context, cluster uuid.UUID) ([]uuid.UUID, error) {
	rows, _ := db.pool.Query(ctx, clusteredSQL, cluster)
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

const sharingSQL = `
SELECT other.id
FROM document AS self JOIN document AS other ON other.tenant_id = self.tenant_id AND other.id <> self.id
WHERE self.id = $1 AND other.match_keys && $2::text[] AND other.type = ANY ($3::text[]::document_type[])
ORDER BY cardinality(ARRAY(SELECT unnest(other.match_keys) INTERSECT SELECT unnest($2::text[]))) DESC, other.id
LIMIT 100`

// Sharing lists at most 100 documents of the tenant and of these types that
// share a key by which the document is looked up, those with the most first.
func (db *DB) Sharing(ctx context.Context, id uuid.UUID, lookup []string, types []document.Type) ([]uuid.UUID, error) {
	rows, _ := db.pool.Query(ctx, sharingSQL, id, lookup, types)
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// Match is an edge, for reports.
type Match struct {
	A, B       uuid.UUID
	Score      float64
	Confidence string // empty for a suggestion
	DecidedBy  string
	Reasoning  string
	Evidence   json.RawMessage // an array of name, points, text
}

const matchesSQL = `
SELECT document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence
FROM document_match WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1) ORDER BY document_a_id, document_b_id`

const suggestionsSQL = `
SELECT document_a_id, document_b_id, score, '', decided_by, reasoning, evidence
FROM match_suggestion WHERE document_a_id = ANY ($1) OR document_b_id = ANY ($1) ORDER BY document_a_id, document_b_id`

// Matches reads the matches that touch the documents.
func (db *DB) Matches(ctx context.Context, ids []uuid.UUID) ([]Match, error) {
	return db.edges(ctx, matchesSQL, ids)
}

// Suggestions reads the edges that were considered and not taken.
func (db *DB) Suggestions(ctx context.Context, ids []uuid.UUID) ([]Match, error) {
	return db.edges(ctx, suggestionsSQL, ids)
}

func (db *DB) edges(ctx context.Context, sql string, ids []uuid.UUID) ([]Match, error) {
	rows, _ := db.pool.Query(ctx, sql, ids)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Match])
}

// Progress counts documents by their state; the empty state is NULL.
type Progress map[string]int

const progressSQL = `
SELECT coalesce(matching_status, ''), count(*) FROM document WHERE id = ANY ($1) GROUP BY 1`

// Progress counts the documents by matching_status.
func (db *DB) Progress(ctx context.Context, ids []uuid.UUID) (Progress, error) {
	p := Progress{}
	rows, _ := db.pool.Query(ctx, progressSQL, ids)
	var status string
	var n int
	_, err := pgx.ForEachRow(rows, []any{&status, &n}, func() error {
		p[status] = n
		return nil
	})
	return p, err
}
