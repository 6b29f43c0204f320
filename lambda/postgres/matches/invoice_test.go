package matches_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// lampsBilled has an order of ten lamps, its receipt, and invoices 3 (matched) and 4 (over-billed).
func lampsBilled(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	for n, data := range lampChain("10") {
		f.Put(num(n+1), tenant, lampTypes[n], data)
		f.match(num(n + 1))
	}
	return f
}

func (f *fixture) settle(n int, a threeway.Action) bool {
	f.T.Helper()
	return must.Get(f.SettleInvoice(f.T.Context(), num(n), matches.InvoiceAction{Action: a, Reason: "by phone", By: "anna",
		Origin: postgres.OriginCommand, Seen: f.version(n)}))(f.T)
}

func (f *fixture) version(n int) string {
	f.T.Helper()
	return must.Get(f.InvoiceVersions(f.T.Context(), []uuid.UUID{num(n)}))(f.T)[num(n)]
}

// states lists the states of the invoices, and the latest action about invoice n.
func (f *fixture) states(n int) string {
	f.T.Helper()
	return f.list("SELECT right(document_id::text, 1) || ' ' || state FROM three_way_match ORDER BY 1") + "; " +
		f.list("SELECT concat_ws(' ', action, nullif(acted_by, ''), origin || ':', reason) FROM invoice_action WHERE document_id = $1 ORDER BY id DESC LIMIT 1", num(n))
}

func TestInvoiceSettled(t *testing.T) {
	t.Parallel()
	f := lampsBilled(t)
	postgrestest.Equal(t, "at first", f.states(3), "3 open, 4 open; ")
	seen, form := f.version(4), uuid.New()
	var clicks sync.WaitGroup
	for range 4 {
		clicks.Go(func() {
			_, err := f.SettleInvoice(t.Context(), num(4), matches.InvoiceAction{Form: form, Action: threeway.Dispute, Reason: "too much\x00",
				By: "anna", Origin: postgres.OriginConsole, Seen: seen})
			if err != nil {
				t.Error(err)
			}
		})
	}
	clicks.Wait()
	postgrestest.Equal(t, "disputed", f.states(4), "3 open, 4 disputed; dispute anna console: too much\uFFFD")
	if n := postgrestest.Value[int](t, f.Conn, "SELECT count(*) FROM invoice_action"); n != 1 {
		t.Errorf("%d actions", n)
	}
	_, err := f.SettleInvoice(t.Context(), num(4), matches.InvoiceAction{Action: threeway.Approve, Reason: "x", By: "ben", Origin: postgres.OriginConsole, Seen: seen})
	if !errors.Is(err, postgres.ErrStale) {
		t.Errorf("by a stale form: %v", err)
	}
	if f.settle(4, threeway.Dispute) {
		t.Error("disputed twice")
	}
	if !f.settle(4, threeway.Withdraw) || f.settle(4, threeway.Withdraw) {
		t.Error("not withdrawn once")
	}
	postgrestest.Equal(t, "withdrawn", f.states(4), "3 open, 4 open; withdraw anna command: by phone")
	for _, id := range []uuid.UUID{num(1), num(99)} {
		if _, err := f.SettleInvoice(t.Context(), id, matches.InvoiceAction{Action: threeway.Approve}); !errors.Is(err, matches.ErrNoThreeWay) {
			t.Errorf("%s: %v", id, err)
		}
	}
	defer f.holdTenant()() // a match of the tenant is being written
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := f.SettleInvoice(ctx, num(4), matches.InvoiceAction{Action: threeway.Approve, Reason: "x", By: "ben", Origin: postgres.OriginConsole}); err == nil {
		t.Error("settled in another writer's turn")
	}
}

// An invoice stays settled while its facts are the same, whatever turn compares it again.
func TestInvoiceReopened(t *testing.T) {
	t.Parallel()
	f := lampsBilled(t)
	f.record()
	f.settle(3, threeway.Approve)
	f.settle(4, threeway.Hold)
	const settled = "3 approved, 4 on-hold; "
	same := func(when string) {
		t.Helper()
		for n := 1; n <= 4; n++ {
			f.match(num(n))
		}
		if got := f.states(3); !strings.HasPrefix(got, settled) {
			t.Errorf("%s: %s", when, got)
		}
	}
	same("matched again")
	f.Exec("UPDATE document SET structured_data = structured_data || '{\"notes\":\"x\"}' WHERE type = 'invoice'")
	same("a note")
	f.Exec("UPDATE document SET structured_data = jsonb_set(structured_data, '{line_items,0,quantity}', '\"13\"') WHERE id = $1", num(2))
	f.match(num(2)) // more was delivered: of a line that agrees that is no fact
	postgrestest.Equal(t, "a larger delivery", f.states(4), "3 approved, 4 reopened; reopen match: it was on hold, and now other values are compared")
	f.settle(4, threeway.Dispute)
	f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(1), lampChain("12")[0])
	f.Exec("INSERT INTO tolerance (tenant_id, total_percent) VALUES ($1, 30)", tenant)
	f.match(num(1))
	postgrestest.Equal(t, "a larger order", f.states(4), "3 approved, 4 reopened; reopen match: it was disputed, and now its three-way match is matched")
	f.Exec("UPDATE document SET structured_data = structured_data || '{\"total\":\"61\"}' WHERE id = $1", num(3))
	postgrestest.Equal(t, "another total", f.states(3), "3 reopened, 4 reopened; reopen match: it was approved, and now other values are compared")
	must.OK(t, f.says(num(1), num(4), rules.Rejected))
	f.settle(4, threeway.Approve)
	must.OK(t, f.says(num(2), num(4), rules.Rejected))
	postgrestest.Equal(t, "nothing to compare", f.states(4), "3 reopened, 4 reopened; reopen match: it was approved, and now its three-way match is without order")
	must.OK(t, f.says(num(1), num(4), rules.Confirmed))
	if got := f.states(4); !strings.HasPrefix(got, "3 reopened, 4 reopened; reopen") {
		t.Errorf("an order again: %s", got)
	}
	f.settle(4, threeway.Hold)
	f.settle(4, threeway.Withdraw)
	postgrestest.Equal(t, "events", f.list(`SELECT kind || ' ' || right(document_a_id::text, 1) || ' ' || (data ->> 'state') || coalesce(' ' || (data ->> 'total'), '')
		FROM event WHERE kind LIKE 'invoice.%' ORDER BY sequence`), "invoice.settled 3 approved, invoice.settled 4 on-hold, "+
		"invoice.reopened 4 open, invoice.settled 4 disputed, invoice.reopened 4 open, invoice.reopened 3 open 61, invoice.settled 4 approved, invoice.reopened 4 open, invoice.settled 4 on-hold, invoice.reopened 4 open")
	f.settle(4, threeway.Approve)
	f.Exec("DELETE FROM document_match WHERE document_b_id = $1", num(4))
	f.Exec("DELETE FROM notification")
	f.Exec("DELETE FROM document WHERE id = $1", num(4))
	if n := postgrestest.Value[int](t, f.Conn, "SELECT count(*) FROM invoice_action WHERE document_id = $1", num(4)); n != 0 {
		t.Errorf("%d actions of a deleted invoice", n)
	}
}

// An invoice without an order is settled like others, and an order that comes later reopens it.
func TestWithoutOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.record()
	chain := lampChain("10")
	verdicts := func(when, want string) {
		t.Helper()
		postgrestest.Equal(t, when, f.list("SELECT right(document_id::text, 1) || ' ' || verdict || ', ' || state FROM three_way_match ORDER BY 1"), want)
	}
	for n := 3; n <= 4; n++ {
		f.Put(num(n), tenant, document.Invoice, chain[n-1])
		f.match(num(n))
	}
	f.Put(num(5), tenant, document.Invoice, "{}") // not a business document, says a person
	f.match(num(5))
	verdicts("at first", "3 without-order, open, 4 without-order, open")
	f.settle(3, threeway.Approve)
	f.settle(4, threeway.Approve)
	for n := 3; n <= 4; n++ {
		f.match(num(n))
	}
	verdicts("matched again", "3 without-order, approved, 4 without-order, approved")
	f.Exec("UPDATE document SET structured_data = structured_data || '{\"total\":\"61\"}' WHERE id = $1", num(4))
	postgrestest.Equal(t, "another total", f.states(4), "3 approved, 4 reopened; reopen match: it was approved, and now other values are compared")
	if _, n, _, err := f.SetTolerance(t.Context(), tenant, "", matches.ToleranceChange{By: "anna", Origin: postgres.OriginCommand, Reason: "x",
		Change: func(t *threeway.Tolerance) error { t.NeedsReceipt = false; return nil }}); n != 0 || err != nil {
		t.Errorf("%d invoices to judge again, %v", n, err)
	}
	f.Put(num(1), tenant, document.PurchaseOrder, chain[0])
	f.match(num(1))
	postgrestest.Equal(t, "an order", f.states(3), "3 reopened, 4 reopened; reopen match: it was approved, and now its three-way match is matched")
	must.OK(t, f.says(num(1), num(4), rules.Rejected))
	verdicts("the order of another", "3 matched, reopened, 4 without-order, reopened")
	f.settle(4, threeway.Hold)
	f.Exec("UPDATE document SET type = 'credit-note' WHERE id = $1", num(4))
	f.match(num(4))
	verdicts("no invoice any more", "3 matched, reopened")
	postgrestest.Equal(t, "its last event", f.list("SELECT data ->> 'reason' FROM event WHERE kind = 'invoice.reopened' AND document_a_id = $1 ORDER BY sequence DESC LIMIT 1", num(4)),
		"it was on hold, and now is matched with no order or receipt")
}

// What an approval is about reopens it, whatever program changes it; nothing else does.
func TestInvoiceFacts(t *testing.T) {
	t.Parallel()
	f := lampsBilled(t)
	const document, match = "UPDATE document SET structured_data = ", "UPDATE three_way_match SET "
	for _, tc := range []struct {
		sql  string
		n    int
		want string
	}{
		{document + `structured_data || '{"number":"RE-882"}'`, 3, "reopened"},
		{document + `structured_data || '{"total":"62"}'`, 3, "reopened"},
		{document + `structured_data || '{"currency":"CHF"}'`, 3, "reopened"},
		{document + `jsonb_set(structured_data, '{supplier,iban}', '"DE02120300000000202051"')`, 3, "reopened"},
		{document + `jsonb_set(structured_data, '{supplier,vat_id}', '"DE811907980"')`, 3, "reopened"},
		{document + `structured_data || '{"notes":"x","date":"2026-03-07"}'`, 3, "approved"},
		{match + `verdict = 'unchecked'`, 3, "reopened"},
		{match + `lines = jsonb_set(lines, '{0,price}', '"11"')`, 3, "reopened"},
		{match + `lines = jsonb_set(lines, '{0,received}', '"11"')`, 3, "approved"},
		{match + `lines = jsonb_set(lines, '{0,received}', '"11"')`, 4, "reopened"},
		{match + `lines = jsonb_set(lines, '{0,item}', '"x"') || '[]', words = 'x', tolerance = '{}', judge_again = true`, 4, "approved"},
		{match + `orders = jsonb_set(orders, '{0,over_billed}', 'true')`, 3, "reopened"},
		{match + `orders = jsonb_set(orders, '{0,remaining}', '"1"'), receipts = '[]'`, 3, "approved"},
	} {
		f.settle(tc.n, threeway.Approve)
		column := "id"
		if strings.HasPrefix(tc.sql, match) {
			column = "document_id"
		}
		f.Exec(tc.sql+" WHERE "+column+" = $1", num(tc.n))
		if got := f.list("SELECT state FROM three_way_match WHERE document_id = $1", num(tc.n)); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.sql, got, tc.want)
		}
	}
	f.settle(3, threeway.Withdraw)
	f.Exec("CREATE TABLE kept AS SELECT * FROM three_way_match WHERE document_id = $1", num(3))
	f.Exec("DELETE FROM three_way_match WHERE document_id = $1", num(3))
	f.Exec("INSERT INTO three_way_match SELECT * FROM kept")
	postgrestest.Equal(t, "withdrawn, and compared anew", f.list("SELECT state FROM three_way_match WHERE document_id = $1", num(3)), "open")
}

// A role that may only write documents reopens an invoice by a correction.
func TestWriterReopensInvoice(t *testing.T) {
	t.Parallel()
	f := lampsBilled(t)
	f.record()
	f.settle(3, threeway.Approve)
	role := "writer_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	f.Exec("CREATE ROLE " + role)
	f.Exec("GRANT SELECT, UPDATE ON document TO " + role)
	f.Exec("GRANT SELECT ON event_receiver TO " + role)
	f.Exec("SET ROLE " + role)
	f.Exec(`UPDATE document SET structured_data = structured_data || '{"total":"62"}' WHERE id = $1`, num(3))
	f.Exec("RESET ROLE")
	postgrestest.Equal(t, "corrected", f.states(3), "3 reopened, 4 open; reopen match: it was approved, and now other values are compared")
	f.Exec("DROP OWNED BY " + role)
	f.Exec("DROP ROLE " + role)
}

// A person's approval and a turn that changes what it is about never pass each other.
func TestApprovalMeetsTurn(t *testing.T) {
	t.Parallel()
	f := lampsBilled(t)
	for n := range 6 {
		ordered := []string{"12", "10"}[n%2]
		f.Exec("UPDATE document SET structured_data = $2 WHERE id = $1", num(1), lampChain(ordered)[0])
		seen := f.version(4)
		attempt := f.Take(num(1))
		var both sync.WaitGroup
		both.Go(func() {
			_, err := f.SettleInvoice(t.Context(), num(4), matches.InvoiceAction{Action: threeway.Approve, Reason: "x", By: "anna", Seen: seen, Origin: postgres.OriginConsole})
			if err != nil && !errors.Is(err, postgres.ErrStale) {
				t.Error(err)
			}
		})
		both.Go(func() { must.OK(t, job.Work(f.matcher().Match).One(t.Context(), attempt)) })
		both.Wait()
		if got := f.states(4); strings.Contains(got, "4 approved") {
			t.Errorf("approved in another state: %s", got)
		}
	}
}

func TestApprovalMeetsCorrect(t *testing.T) {
	t.Parallel()
	f := lampsBilled(t)
	seen := f.version(3)
	release := f.Blocks(`UPDATE document SET structured_data = structured_data || '{"total":"61"}' WHERE id = $1`, num(3))
	end := f.Meanwhile(func() error {
		_, err := f.SettleInvoice(t.Context(), num(3), matches.InvoiceAction{Action: threeway.Approve, Reason: "x", By: "anna", Seen: seen, Origin: postgres.OriginConsole})
		return err
	})
	release()
	if err := end(); !errors.Is(err, postgres.ErrStale) {
		t.Errorf("approved in another state: %v", err)
	}
}
