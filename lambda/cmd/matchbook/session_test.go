package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/importer"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

func TestExplainUnmatched(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	db, conn := postgrestest.Open(t, url), postgrestest.Conn(t, url)
	tenant := uuid.MustParse(lampTenant)
	put := func(n byte, tenant uuid.UUID, kind document.Type, data string) uuid.UUID {
		id := uuid.UUID{0: n, 6: 0x40, 8: 0x80}
		add(t, db, postgres.Imported{ID: id, TenantID: tenant, Type: kind, Data: json.RawMessage(data)})
		return id
	}
	set := func(id uuid.UUID, status, problem string) {
		postgrestest.Exec(t, conn, `UPDATE document SET matching_status = $2, matching_error = nullif($3, ''), matching_attempts = 3,
			matching_lease_until = now() + interval '1 minute', matching_failed_at = now() WHERE id = $1`, id, status, problem)
	}
	put(9, uuid.New(), document.PurchaseOrder, `{"number":"4711"}`) // is elsewhere
	order := put(1, tenant, document.PurchaseOrder, `{"number":"1","supplier":{"name":"Lampen Lichtscheu GmbH"}}`)
	invoice := put(2, tenant, document.Invoice, `{"number":"2","supplier":{"name":"Lampen Lichtscheu GmbH"},"references":[{"type":"purchase-order","number":"1"},{"type":"purchase-order","number":"4711"}]}`)
	anonymous := put(3, tenant, document.Invoice, `{"number":"3"}`)
	broken := put(4, tenant, document.Invoice, `{"number":"4","date":"soon"}`)
	set(order, "failed", "out of time")
	set(invoice, "succeeded", "")
	set(anonymous, "succeeded", "")
	set(broken, "pending", "")
	for _, tc := range []struct {
		docs []uuid.UUID
		want string
	}{
		{[]uuid.UUID{order}, "  Matching it failed, 3 attempts: out of time\n"},
		{[]uuid.UUID{invoice}, "  It cites purchase order 1: purchase order " + order.String() + " is here, failed.\n" +
			"  Cited, but not here under the printed number: purchase order 4711.\n"},
		{[]uuid.UUID{anonymous}, "  It names neither supplier nor buyer, and numbers alone match nothing.\n  Nothing was compared with it"},
		{[]uuid.UUID{broken}, "  It is not matched yet: it is pending.\n  Cannot read its structured data: invalid date: expected YYYY-MM-DD.\n"},
		{[]uuid.UUID{order, invoice}, "  Not compared yet: matching purchase order 1 failed, 3 attempts: out of time.\n"},
		{[]uuid.UUID{anonymous, broken}, "  Never compared: cannot read the structured data of invoice 4: invalid date: expected YYYY-MM-DD.\n"},
		{[]uuid.UUID{invoice, anonymous}, "  Never compared: invoices and invoices are not matched with each other.\n"},
	} {
		args := []string{"explain"}
		for _, id := range tc.docs {
			args = append(args, id.String())
		}
		wantIn(t, printed(t, url, args...), tc.want)
	}
}

func TestExplainStoredDiffers(t *testing.T) {
	t.Parallel()
	url := matchedLamps(t)
	conn := postgrestest.Conn(t, url)
	for _, tc := range []struct{ sql, want string }{
		{"UPDATE match_suggestion SET score = 0.51 WHERE document_b_id = '" + lampInvoice + "'",
			"Stored by another version. This version's rules decide: undecided, 0.47"},
		{"DELETE FROM match_suggestion WHERE document_b_id = '" + lampInvoice + "'", "Not stored. This version's rules decide: undecided, 0.47"},
		{"INSERT INTO document_match SELECT tenant_id, document_a_id, document_b_id, 0.9, 'high', 'model', 'It says so.', '[]' FROM match_pair WHERE document_b_id = '" + lampInvoice + "'", "It says so."},
		{"DELETE FROM match_pair", "This version's rules don't compare the two"},
	} {
		postgrestest.Exec(t, conn, tc.sql)
		wantIn(t, strings.Join(strings.Fields(printed(t, url, "explain", lampOrder)), " "), tc.want)
	}
}

func TestSessionErrors(t *testing.T) {
	t.Parallel()
	url, empty := storedSample(t), postgrestest.EmptyURL(t)
	unknown := uuid.NewString()
	for database, list := range map[string]clitest.Refusals{
		"": {{[]string{"explain", lampOrder}, `set DATABASE_URL, or use --keep`},
			{[]string{"reject", lampOrder, lampInvoice, "--keep=/nowhere"}, "database not found in /nowhere"}},
		"nonsense": {{[]string{"explain", lampOrder}, "invalid PostgreSQL URL"}},
		empty:      {{[]string{"explain", lampOrder}, "run matchbook migrate up"}, {[]string{"explain", "L-7001"}, "run matchbook migrate up"}},
	} {
		wantRefused(t, database, "", list)
	}
	wantRefused(t, url, "", clitest.Refusals{
		{[]string{"explain"}, "missing DOC: run matchbook explain DOC [DOC]"},
		{[]string{"confirm", lampOrder}, "missing DOC"},
		{[]string{"explain", lampOrder, "--keep"}, "unset DATABASE_URL"},
		{[]string{"explain", unknown}, "document not found: " + unknown},
		{[]string{"explain", "L-7002"}, `document not found: no ID, number or file name "L-7002"`},
		{[]string{"explain", "\xff"}, "document not found: no ID, number or file name"},
		{[]string{"explain", ""}, "document not found: no ID, number or file name"},
		{[]string{"explain", lampOrder, "L-7001"}, "duplicate document: both are purchase order L-7001, ID " + lampOrder},
		{[]string{"explain", "2026-014"}, "ambiguous number or name: 3 documents have \"2026-014\"; use an ID\n" +
			"  10000000-0000-4000-8000-000000000601  tenant 10000000-0000-4000-8000-000000000001  purchase order of Kartonagen Faltenreich GmbH\n" +
			"  10000000-0000-4000-8000-000000000602  tenant 10000000-0000-4000-8000-000000000001  purchase order of Lackfabrik Schimmerlos GmbH\n" +
			"  20000000-0000-4000-8000-000000000705  tenant 20000000-0000-4000-8000-000000000001  purchase order of Kartonagen Faltenreich GmbH\n"},
		{[]string{"confirm", lampOrder, "RE-2026/0042"}, "purchase order L-7001 belongs to tenant " + lampTenant + " and invoice RE-2026/0042 to tenant 1"},
		{[]string{"reject", lampInvoice, lampOther}, "unsupported pair: invoices match only purchase orders, delivery notes, goods receipts, credit notes, contracts, not invoices"},
		{[]string{"confirm", lampOrder, lampOrder}, "duplicate document"},
	})
	const tablesSQL = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
	if tables := postgrestest.Value[int](t, postgrestest.Conn(t, empty), tablesSQL); tables != 0 {
		t.Errorf("%d tables in a database that was only looked at", tables)
	}
}

// storedSample has the sample and the lamps in a database, unpublished.
func storedSample(t *testing.T) (url string) {
	t.Helper()
	url = postgrestest.URL(t)
	for _, folder := range []string{samples, lampFolder(t)} {
		in := must.Get(corpus.ReadFolder(folder))(t)
		add(t, postgrestest.Open(t, url), importer.Rows(in.Documents)...)
	}
	return url
}

// add stores documents.
func add(t *testing.T, db *postgres.DB, docs ...postgres.Imported) {
	t.Helper()
	must.Get(db.Add(t.Context(), docs, postgres.AddOptions{Replace: true, Send: true}))(t)
}

func TestExplainStuckDocument(t *testing.T) {
	t.Parallel()
	url := storedSample(t)
	conn := postgrestest.Conn(t, url)
	for _, tc := range []struct{ set, want string }{
		{"matching_status = 'pending', matching_due_at = now() + interval '90 seconds'", `for its message, due 2.* \(in 1m\d+s\) cluster`},
		{"matching_status = 'pending', matching_due_at = now() - interval '2 hours'", `for its message, due 2.* \(2h0m\d+s ago\); if lost, the sweep`},
		{"matching_status = 'in-progress', matching_lease_until = now() + interval '90 seconds'", `for its worker, with a lease until 2.* \(in 1m\d+s\) cluster`},
		{"matching_status = 'in-progress', matching_lease_until = now() - interval '2 hours'", `for the next delivery or the sweep: its worker's lease ended 2`},
		{"matching_status = 'failed', matching_failed_at = now()", `for a person to fix the cause and publish it: it failed 2`},
	} {
		postgrestest.Exec(t, conn, "UPDATE document SET "+tc.set+" WHERE id = '"+lampOrder+"'")
		if out := printed(t, url, "explain", lampOrder); !regexp.MustCompile("waits " + tc.want).MatchString(strings.Join(strings.Fields(out), " ")) {
			t.Errorf("want %q in\n%s", tc.want, out)
		}
	}
}
