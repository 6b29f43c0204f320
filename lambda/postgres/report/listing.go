package report

import (
	"context"
	"math"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Stages are the states of documents in the order of a list; "none" is NULL.
var Stages = []string{"failed", "in-progress", "pending", "none", "succeeded"}

// Listed is a document in a list. Note that its texts are the document's as they are, cut to
// 400 characters.
type Listed struct {
	ID       uuid.UUID
	Type     document.Type
	Number   string
	Supplier string
	Date     string
	Total    string
	Currency string
	Received time.Time
	Status   string // of Stages
	Error    string
	FileName string // of its file; empty: unknown, or no file
	Place           // where the list continues after it
}

// Place is the position after a document, where a list continues. The zero Place is the
// beginning.
type Place struct {
	At int64 // receipt, in microseconds since 1970; in a search by key the day, such as 20260131
	ID uuid.UUID
}

// orBeginning returns p, or for the zero Place one behind every document, because a list runs
// backwards.
func (p Place) orBeginning(last int64) Place {
	if p == (Place{}) {
		return Place{last, uuid.Max}
	}
	return p
}

const lastDay = math.MaxInt32

var lastTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// listedColumns are read for a page's rows, which listed has in order.
const listedColumns = `
SELECT id, coalesce(type::text, ''), left(coalesce(structured_data ->> 'number', ''), 400),
	left(coalesce(structured_data #>> '{supplier,name}', ''), 400), left(coalesce(structured_data ->> 'date', ''), 400),
	left(coalesce(structured_data ->> 'total', ''), 400), left(coalesce(structured_data ->> 'currency', ''), 400),
	received_at, coalesce(matching_status, 'none'), left(coalesce(matching_error, ''), 400),
	coalesce(file_name, ''), place, id
FROM listed JOIN document USING (id) ORDER BY place DESC, id DESC`

// micros is a time as a number, without rounding.
const micros = `(extract(epoch FROM received_at) * 1000000)::bigint`

// before is a page's place by time of receipt.
const before = `(received_at, id) < (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::uuid)`

// listSQL reads the first documents of each type and state from the index and merges them.
// Each part ends at the page's size.
const listSQL = `
WITH listed AS (
	SELECT id, place FROM (
		SELECT page.* FROM unnest($2::text[]) AS stage CROSS JOIN unnest($3::text[]) AS kind CROSS JOIN LATERAL (
			SELECT id, ` + micros + ` AS place FROM document
			WHERE tenant_id = $1 AND type = kind::document_type AND coalesce(matching_status, 'none') = stage AND ` + before + `
			ORDER BY received_at DESC, id DESC LIMIT $6) AS page
		UNION ALL
		SELECT page.* FROM unnest($2::text[]) AS stage CROSS JOIN LATERAL (
			SELECT id, ` + micros + ` AS place FROM document
			WHERE $7 AND tenant_id = $1 AND type IS NULL AND coalesce(matching_status, 'none') = stage AND ` + before + `
			ORDER BY received_at DESC, id DESC LIMIT $6) AS page
	) AS parts ORDER BY place DESC, id DESC LIMIT $6
)` + listedColumns

// ListFilter selects documents of a tenant. An empty list selects all.
type ListFilter struct {
	Tenant uuid.UUID
	Stages []string
	Types  []document.Type // if empty, also documents without a type
}

// List reads a page of the latest documents.
func (r Reader) List(ctx context.Context, f ListFilter, after Place, size int) ([]Listed, error) {
	after = after.orBeginning(lastTime)
	return postgres.Rows[Listed](ctx, r.db, listSQL, f.Tenant, orAll(f.Stages, Stages), orAll(f.Types, document.Types),
		after.At, after.ID, size, len(f.Types) == 0)
}

// totalledSQL reads documents with one of these printed totals.
const totalledSQL = `
WITH listed AS (
	SELECT id, place FROM unnest($2::text[]) AS total CROSS JOIN LATERAL (
		SELECT id, ` + micros + ` AS place FROM document
		WHERE tenant_id = $1 AND structured_data ->> 'total' IS NOT NULL
			AND left(structured_data ->> 'total', 24) = total AND ` + before + `
		ORDER BY received_at DESC, id DESC LIMIT $3) AS page
	ORDER BY place DESC, id DESC LIMIT $3
)` + listedColumns

// Totalled reads a page of documents with a total printed in one of these forms, the latest
// first.
func (r Reader) Totalled(ctx context.Context, tenant uuid.UUID, totals []string, after Place, size int) ([]Listed, error) {
	after = after.orBeginning(lastTime)
	return postgres.Rows[Listed](ctx, r.db, totalledSQL, tenant, totals, size, after.At, after.ID)
}

// keyedSQL reads documents with one of these keys, the latest day first. A document with
// several of the keys, or a contract with several days, is one row of a page, so each key must
// be read further than the page. A document that was never matched lacks keys, so it's found
// by its printed number, and comes last.
const keyedSQL = `
WITH listed AS (
	SELECT id, max(place) AS place FROM (
		SELECT page.* FROM unnest($2::text[]) AS k CROSS JOIN LATERAL (
			SELECT document_id AS id, day::bigint AS place FROM document_key
			WHERE key = match_key($1, k) AND (day, document_id) < ($4::integer, $5::uuid)
			ORDER BY day DESC, document_id DESC LIMIT 4 * $3) AS page
		UNION ALL
		(SELECT id, 0 FROM document
		WHERE structured_data ->> 'number' = $6 AND tenant_id = $1 AND match_keys IS NULL AND (0, id) < ($4::integer, $5::uuid)
		ORDER BY id DESC LIMIT $3)
	) AS parts GROUP BY id ORDER BY place DESC, id DESC LIMIT $3
)` + listedColumns

// Keyed reads a page of the documents found as candidates by one of these keys, the latest
// date first, and then of never matched ones with this number.
func (r Reader) Keyed(ctx context.Context, tenant uuid.UUID, keys []string, number string, after Place, size int) (
	[]Listed, error) {
	after = after.orBeginning(lastDay)
	return postgres.Rows[Listed](ctx, r.db, keyedSQL, tenant, keys, size, min(max(after.At, 0), lastDay), after.ID, number)
}
