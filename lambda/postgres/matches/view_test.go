package matches_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The views have the columns that the page promises to other programs, in that
// order: a new one is added at the end, on the page as well.
func TestViewsAreAContract(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile("../../INTEGRATE.md"))(t)
	conn := postgrestest.Conn(t, postgrestest.URL(t))
	rows, _ := conn.Query(t.Context(), `SELECT table_name, string_agg(column_name, ' ' ORDER BY ordinal_position)
		FROM information_schema.columns WHERE table_name LIKE 'matchbook\_%' GROUP BY 1`)
	is := map[string]string{}
	var name, columns string
	must.Get(pgx.ForEachRow(rows, []any{&name, &columns}, func() error {
		is[name] = columns
		return nil
	}))(t)
	words := regexp.MustCompile("`([a-z_]+)`")
	var promised []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(matchbook_[a-z_]+)` \\|.*\\|(.*)\\|$").FindAllStringSubmatch(string(page), -1) {
		var want []string
		for _, word := range words.FindAllStringSubmatch(row[2], -1) {
			want = append(want, word[1])
		}
		if got := is[row[1]]; got != strings.Join(want, " ") {
			t.Errorf("%s has %s, and the page %v", row[1], got, want)
		}
		promised = append(promised, row[1])
	}
	slices.Sort(promised)
	want := []string{"matchbook_cluster", "matchbook_decision", "matchbook_document_state", "matchbook_match", "matchbook_open_question", "matchbook_three_way"}
	postgrestest.EqualLists(t, "the page", promised, want)
}

// Each step of a document, whatever program takes it, changes updated_at. The values
// that matching derives from a document are no step.
func TestUpdatedAt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Put(num(1), tenant, document.PurchaseOrder, lampOrder)
	f.Put(num(2), tenant, document.Invoice, lampInvoice1)
	f.match(num(2))
	updated := func() time.Time {
		t.Helper()
		return postgrestest.Value[time.Time](t, f.Conn, "SELECT updated_at FROM matchbook_document_state WHERE document_id = $1", num(1))
	}
	var fence job.Attempt
	for _, step := range []struct {
		name    string
		take    func()
		changes bool
	}{
		{"published", func() { f.Exec("UPDATE document SET matching_status = 'pending' WHERE id = $1", num(1)) }, true},
		{"claimed", func() { fence = f.Deliver(job.Delivery{ID: num(1)}, false).Attempt }, true},
		{"its candidates are read", func() { f.block(fence, key("k")) }, false},
		{"succeeded", func() {
			must.OK(t, job.Work(f.matcher().Match).One(t.Context(), fence))
		}, true},
		{"another is matched", func() { f.match(num(2)) }, false},
		{"its cluster goes away", func() { f.decide(1, 2, byAnna(rules.Rejected)) }, true},
		{"corrected", func() {
			f.Exec(`UPDATE document SET structured_data = structured_data || '{"number":"1"}' WHERE id = $1`, num(1))
		}, true},
		{"failed", func() {
			f.Exec("UPDATE document SET matching_status = 'failed', matching_failed_at = now() WHERE id = $1", num(1))
		}, true},
	} {
		before := updated()
		f.Advance(time.Minute)
		step.take()
		if after := updated(); after.Equal(f.Now()) != step.changes || !step.changes && !after.Equal(before) {
			t.Errorf("%s at %s: updated at %s, before %s", step.name, f.Now(), after, before)
		}
	}
	f.Exec("UPDATE document SET received_at = $2 WHERE id = $1", num(1), start)
	f.Exec("UPDATE document SET updated_at = NULL WHERE id = $1", num(1)) // not changed since the migration
	if at := updated(); !at.Equal(f.Now()) {
		t.Errorf("without it: %s, want the latest of the times, %s", at, f.Now())
	}
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	const insertEdge = "INSERT INTO document_match VALUES ($1, $2, $3, 0.9, 'high', 'rules', 'because', '[]')"
	const insertSuggestion = "INSERT INTO match_suggestion VALUES ($1, $2, $3, 0.9, 'rules', 'because', '[]')"
	const insertNotification = "INSERT INTO notification (tenant_id, document_id, kind, attempt, payload) VALUES ($1, $2, 'lost', 1, '{}')"
	f := newFixture(t)
	f.Invoices(4)
	f.Put(num(9), otherTenant, document.Invoice, "{}")
	f.Exec(insertEdge, tenant, num(1), num(2))
	f.Exec(insertSuggestion, tenant, num(3), num(4))
	f.Exec(insertNotification, tenant, num(2))
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
		f.Exec("BEGIN")
		_, err := f.Conn.Exec(t.Context(), tc.sql, tc.args...)
		f.Exec("ROLLBACK")
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
