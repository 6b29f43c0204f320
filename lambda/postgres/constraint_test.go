package postgres_test

import (
	"errors"
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestConstraints(t *testing.T) {
	t.Parallel()
	const insertEdge = "INSERT INTO document_match VALUES ($1, $2, $3, 0.9, 'high', 'rules', 'because', '[]')"
	const insertSuggestion = "INSERT INTO match_suggestion VALUES ($1, $2, $3, 0.9, 'rules', 'because', '[]')"
	const insertNotification = "INSERT INTO notification (tenant_id, document_id, kind, attempt, payload) VALUES ($1, $2, 'lost', 1, '{}')"
	f := newFixture(t)
	f.invoices(4)
	f.put(num(9), otherTenant, document.Invoice, "{}")
	f.exec(insertEdge, tenant, num(1), num(2))
	f.exec(insertSuggestion, tenant, num(3), num(4))
	f.exec(insertNotification, tenant, num(2))
	for _, tc := range []struct {
		name string
		sql  string
		args []any
		code string // of SQLSTATE; empty if it is allowed
	}{
		{"an edge within a tenant", insertEdge, []any{tenant, num(2), num(3)}, ""},
		{"an edge to another tenant", insertEdge, []any{tenant, num(1), num(9)}, "23503"},
		{"an edge from another tenant", insertEdge, []any{otherTenant, num(1), num(9)}, "23503"},
		{"an edge of a tenant between documents of another", insertEdge, []any{otherTenant, num(1), num(3)}, "23503"},
		{"an edge in reverse", insertEdge, []any{tenant, num(3), num(2)}, "23514"},
		{"an edge to itself", insertEdge, []any{tenant, num(2), num(2)}, "23514"},
		{"an edge twice", insertEdge, []any{tenant, num(1), num(2)}, "23505"},
		{"a suggestion to another tenant", insertSuggestion, []any{tenant, num(1), num(9)}, "23503"},
		{"a suggestion in reverse", insertSuggestion, []any{tenant, num(3), num(2)}, "23514"},
		{"a notification about another tenant's document", insertNotification, []any{tenant, num(9)}, "23503"},
		{"a second notification of an attempt", insertNotification, []any{tenant, num(2)}, "23505"},
		{"deleting a document with an edge", "DELETE FROM document WHERE id = $1", []any{num(1)}, "23503"},
		{"deleting a document with a suggestion only", "DELETE FROM document WHERE id = $1", []any{num(4)}, ""},
		{"deleting a tenant with documents", "DELETE FROM tenant WHERE id = $1", []any{tenant}, "23503"},
		{"moving a document with an edge to another tenant", "UPDATE document SET tenant_id = $2 WHERE id = $1", []any{num(1), otherTenant}, "23503"},
		{"an unknown status", "UPDATE document SET matching_status = 'done' WHERE id = $1", []any{num(1)}, "23514"},
		{"no status", "UPDATE document SET matching_status = NULL WHERE id = $1", []any{num(1)}, ""},
		{"an unknown type", "UPDATE document SET type = 'letter' WHERE id = $1", []any{num(1)}, "22P02"},
		{"a document of no tenant", "INSERT INTO document (id, tenant_id) VALUES ($1, $2)", []any{num(5), uuid.Nil}, "23503"},
	} {
		f.exec("BEGIN")
		_, err := f.conn.Exec(t.Context(), tc.sql, tc.args...)
		f.exec("ROLLBACK")
		code := ""
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) {
			code = pgErr.Code
		} else if err != nil {
			t.Fatal(err)
		}
		if code != tc.code {
			t.Errorf("%s: got SQLSTATE %q, want %q: %v", tc.name, code, tc.code, err)
		}
	}
}
