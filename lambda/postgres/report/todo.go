package report

import (
	"context"
	"strings"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// The kinds of things to do that aren't in WaitingKinds.
const (
	ToSettle  = "settle" // an invoice that differs from what was ordered and received, and that nobody has settled
	ToRequeue = "offers" // a failed job of match offers; its id is the Waiting's Document
)

// ToDoKinds lists the kinds of things to do.
var ToDoKinds = append(append([]string{}, WaitingKinds...), ToSettle, ToRequeue)

// ToSettle counts a tenant's invoices of the kind ToSettle; the zero tenant stands for all.
func (r Reader) ToSettle(ctx context.Context, tenant uuid.UUID) (int, error) {
	sql := `SELECT count(*) FROM ` + rowsOfKinds[ToSettle].from + ` AND ($1::uuid IS NULL OR tenant_id = $1)`
	return postgres.Value[int](ctx, r.db, sql, postgres.OrNull(tenant))
}

// ToDoFilter selects things to do.
type ToDoFilter struct {
	Tenants  []uuid.UUID
	Kinds    []string // none: all
	All      bool     // as in WaitingFilter
	Assignee string   // empty: any
	After    WaitingPlace
}

// sql reads, for each tenant of $1 and each kind of $2, the oldest from a place on, which is $3,
// $4, $5 and $7, and merges them: $6 is whether to include folded questions, $8 the limit, and $9
// the assignee.
func (f ToDoFilter) sql() string {
	to := "$9::text IS NOT NULL"
	if f.Assignee != "" {
		to = `{document} = ANY (ARRAY(SELECT document_id FROM desk_assignment
			WHERE tenant_id = mine.tenant AND assignee = $9))`
	}
	return `
SELECT kind, tenant_id, id, other, unread, NULL::text, NULL::float8, '0.00', words, since
FROM (` + rowsOf(ToDoKinds, strings.Replace(`
	(SELECT page.* FROM unnest($1::uuid[]) AS mine (tenant) CROSS JOIN LATERAL (
		SELECT * FROM (SELECT '{kind}' AS kind, tenant_id, {document}, {columns}, {since}, {unread} FROM {from}
			AND tenant_id = mine.tenant AND '{kind}' = ANY ($2) AND {since} >= $3 AND {to}
		) AS one (kind, tenant_id, id, other, score, words, since, unread)
		WHERE $4 = '' OR (since, kind, id, coalesce(other, '00000000-0000-0000-0000-000000000000')) > ($3, $4, $5, $7)
		ORDER BY since, id, coalesce(other, '00000000-0000-0000-0000-000000000000') LIMIT $8) AS page)`, "{to}", to, 1)) + `) AS items
ORDER BY since, kind, id, coalesce(other, '00000000-0000-0000-0000-000000000000') LIMIT $8`
}

// ToDo lists up to limit things to do in several tenants, the longest wait first.
// They have no value, score or worth.
func (r Reader) ToDo(ctx context.Context, f ToDoFilter, limit int) ([]Waiting, error) {
	since := f.After.Since
	if f.After.Kind == "" {
		since = time.Unix(0, 0)
	}
	return postgres.Rows[Waiting](ctx, r.db, f.sql(), f.Tenants, orAll(f.Kinds, ToDoKinds), since, f.After.Kind,
		f.After.Document, f.All, f.After.Other, limit, f.Assignee)
}
