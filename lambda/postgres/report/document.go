// Package report reads what people see: the state of documents, their matches, and the use of
// models. It never writes.
package report

import (
	"context"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Reader reads from a database. Use From to make one; it's safe for concurrent use.
type Reader struct{ db *postgres.DB }

// From returns a Reader of a database.
func From(db *postgres.DB) Reader { return Reader{db} }

// Summary is a document's state.
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
	NoVector string // why it lacks an embedding, if one should be made
	FileName string // of its file, as sent; empty: unknown, or no file
}

const summarySQL = `
SELECT id, tenant_id, coalesce(type::text, ''), coalesce(structured_data ->> 'number', ''),
	coalesce(structured_data #>> '{supplier,name}', ''), coalesce(matching_status, ''), coalesce(matching_error, ''),
	matching_attempts, cluster_id, coalesce(embedding_error, ''), coalesce(file_name, '')
FROM document WHERE id = ANY ($1) ORDER BY tenant_id, received_at, id`

// Summaries reads the documents' state, by tenant and time.
func (r Reader) Summaries(ctx context.Context, ids []uuid.UUID) ([]Summary, error) {
	return postgres.Rows[Summary](ctx, r.db, summarySQL, ids)
}

const numberedSQL = `
SELECT id FROM document WHERE structured_data ->> 'number' = $1 ORDER BY tenant_id, received_at, id LIMIT 20`

// Numbered lists at most 20 documents with this number, as printed.
func (r Reader) Numbered(ctx context.Context, number string) ([]uuid.UUID, error) {
	return postgres.IDs(ctx, r.db, numberedSQL, number)
}

const namedSQL = `
SELECT id FROM document WHERE file_name = $1 ORDER BY tenant_id, received_at, id LIMIT 20`

// Named lists at most 20 documents that came in a file of this name.
func (r Reader) Named(ctx context.Context, file string) ([]uuid.UUID, error) {
	return postgres.IDs(ctx, r.db, namedSQL, file)
}

const ownNumbersSQL = `
SELECT DISTINCT ON (d.tenant_id, d.received_at, d.id) d.id, left(d.structured_data ->> 'number', $4)
FROM unnest($1::uuid[], $2::text[]) AS k (tenant, key) JOIN document_key ON document_key.key = match_key(tenant, k.key)
JOIN document AS d ON d.id = document_id AND d.tenant_id = tenant
ORDER BY d.tenant_id, d.received_at, d.id LIMIT $3`

// Bounds of the documents read for a number, and of its length in characters.
const (
	maxOwnNumbers = 1000
	maxNumber     = 400
)

// NumberedInAnyCase lists documents with one of these keys, each of a tenant, and with this
// number in any mix of capitals and small letters. It finds matched documents only.
func (r Reader) NumberedInAnyCase(ctx context.Context, tenants []uuid.UUID, keys []string, number string) (ids []uuid.UUID, err error) {
	type numbered struct {
		ID     uuid.UUID
		Number string
	}
	all, err := postgres.Rows[numbered](ctx, r.db, ownNumbersSQL, tenants, keys, maxOwnNumbers, maxNumber)
	for _, d := range all {
		if strings.EqualFold(d.Number, number) {
			ids = append(ids, d.ID)
		}
	}
	return ids, err
}

// Times holds the times of a document's events, past and due, by the database's clock. A nil
// time means never.
type Times struct {
	Now       time.Time
	Published *time.Time
	Due       *time.Time // of the next message for it
	Lease     *time.Time // the end of the claim
	Failed    *time.Time
	Service   string // the service for which a pending row was parked last; empty: none
}

const timesSQL = `
SELECT now(), matching_published_at, matching_due_at, matching_lease_until, matching_failed_at,
	coalesce(matching_parked_for, '')
FROM document WHERE id = $1`

// Times reads the times of an existing document.
func (r Reader) Times(ctx context.Context, id uuid.UUID) (Times, error) {
	return postgres.First[Times](ctx, r.db, timesSQL, id)
}

const clusteredSQL = `
SELECT id FROM document WHERE cluster_id = $1 ORDER BY received_at, id`

// Clustered lists the members of a cluster, by time.
func (r Reader) Clustered(ctx context.Context, cluster uuid.UUID) ([]uuid.UUID, error) {
	return postgres.IDs(ctx, r.db, clusteredSQL, cluster)
}

// Progress counts documents by state; "" is NULL.
type Progress map[string]int

const progressSQL = `
SELECT coalesce(matching_status, ''), count(*) FROM document WHERE id = ANY ($1) GROUP BY 1`

// Progress counts the documents by matching_status.
func (r Reader) Progress(ctx context.Context, ids []uuid.UUID) (Progress, error) {
	return postgres.Map[Progress](ctx, r.db, progressSQL, ids)
}
