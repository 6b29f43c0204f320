package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

const (
	storedOrder   = "40000000-0000-4000-8000-000000000001"
	storedInvoice = "40000000-0000-4000-8000-000000000002"
)

// seedlings is a document of an order or its invoice.
func seedlings(id, kind, rest string) string {
	return `{"id":"` + id + `","type":"` + kind + `","structured_data":{"currency":"EUR","total":"317.40",` +
		`"supplier":{"name":"Gärtnerei Moosbach GmbH"},"buyer":{"name":"Hotel Lindenhof AG"},` + rest + `}}`
}

// One folder has the order, the next one the invoice that cites it. The report of
// the second names both.
func TestMatchNamesStored(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	matchJSON(t, url, cli.ExitOK, clitest.Folder(t, map[string]string{
		"order.json": seedlings(storedOrder, "purchase-order", `"number":"GM-7781"`)}))
	out := ends(t, url, cli.ExitOK, "match", clitest.Folder(t, map[string]string{
		"invoice.json": seedlings(storedInvoice, "invoice", `"number":"R-9034","references":[{"type":"purchase-order","number":"GM-7781"}]`)}))
	if n := strings.Count(out, "purchase order GM-7781 -- invoice R-9034"); n != 1 || strings.Contains(out, storedOrder) {
		t.Errorf("the match is named %d times; want once, and no id, in\n%s", n, out)
	}
	wantIn(t, out, "  - invoice R-9034, purchase order GM-7781", "Three-way match: 0 of 1 invoices agree with their orders and receipts\n  1 without any receipt; ")
}

// What matching ignores is counted by import, and named by explain.
func TestUnknownFieldsNamed(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	file := write(t, seedlings(storedOrder, "purchase-order", `"number":"1","kostenstelle":"12"`),
		seedlings(storedInvoice, "invoice", `"number":"2","kostenstelle":"12","line_items":[{"qty":"1"}]`))
	out := ends(t, url, cli.ExitOK, "import", file, "--tenant", oneTenant)
	wantIn(t, out, "CHECK     "+file+":1: unknown fields kostenstelle (2 times), qty; run `matchbook check` for suggestions\n")
	wantIn(t, ends(t, url, cli.ExitOK, "explain", storedInvoice), "ignored   unknown fields kostenstelle, line_items[0].qty\n")
	transcript(t, "unknown-fields", url, "explain "+storedInvoice, "explain --json "+storedInvoice, "status "+storedInvoice)
}

// A row that another program wrote as a JSON string says so.
func TestTwiceEncodedSaysSo(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	file := write(t, seedlings(storedOrder, "purchase-order", `"number":"GM-7781"`))
	ends(t, url, cli.ExitOK, "import", file, "--tenant", corpus.DefaultTenant.String())
	postgrestest.Exec(t, conn, "UPDATE document SET structured_data = to_jsonb(structured_data::text)")
	out := strings.Join(strings.Fields(ends(t, url, cli.ExitOK, "explain", storedOrder)), " ")
	wantIn(t, out, "structured data must be an object, not a string: it was encoded as JSON twice")
}

// Explain and open name the same command, and doctor counts the failure.
func TestFailedHasRemedy(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	file := write(t, seedlings(storedOrder, "purchase-order", `"number":"GM-7781"`))
	ends(t, url, cli.ExitOK, "import", file, "--tenant", corpus.DefaultTenant.String())
	postgrestest.Exec(t, conn, `UPDATE document SET matching_status = 'in-progress', matching_attempts = 1, matching_lease_until = now()`)
	postgrestest.Exec(t, conn, `UPDATE document SET matching_status = 'failed', matching_error = 'unauthorized', matching_lease_until = NULL, matching_failed_at = now()`)
	const remedy = "matchbook publish " + storedOrder + ", once the cause is fixed"
	wantIn(t, ends(t, url, cli.ExitOK, "explain", "GM-7781"), remedy)
	wantIn(t, ends(t, url, cli.ExitOK, "open"), remedy)
	postgrestest.Exec(t, conn, "UPDATE document SET matching_error = 'ask the model: model provider denied access (HTTP 401)'")
	for _, args := range [][]string{{"explain", "GM-7781"}, {"open"}, {"status", "GM-7781"}} {
		out := strings.Join(strings.Fields(ends(t, url, cli.ExitOK, args...)), " ")
		wantIn(t, out, explain.RemedyOf("model provider denied access").Do+"; then: matchbook publish "+storedOrder)
	}
	code, out, _ := matchbook(t, url, "doctor")
	if code != cli.ExitOK { // a warning
		t.Errorf("exit status %d", code)
	}
	wantIn(t, out, "1 document failed", `matchbook status --failed`, "Errors 0, ")
	env := map[string]string{variable.DatabaseURL: url, variable.MatchQueueURL: "https://sqs.example.com/1/nowhere"}
	if _, out, _ := clitest.RunIn(t.Context(), run, env, "doctor"); strings.Contains(out, "QUEUE_URL is not set") {
		t.Errorf("doctor misses the queue of MATCH_QUEUE_URL\n%s", out)
	}
	ends(t, url, cli.ExitOK, "publish", "gm-7781")
	if s := postgrestest.Value[string](t, conn, "SELECT matching_status FROM document"); s != "pending" {
		t.Errorf("the document is %s after publish", s)
	}
	for _, flag := range []string{"all", "kind=lost", "since=2h", "tenant=" + oneTenant, "dry-run", "json"} {
		name, _, _ := strings.Cut(flag, "=")
		wantRefused(t, url, "publish", clitest.Refusals{{[]string{"GM-7781", "--" + flag}, "missing --failed: --" + name + " works only with it"}})
	}
	wantRefused(t, url, "publish", clitest.Refusals{{[]string{"GM-7781", "--failed"}, "mutually exclusive"}, {[]string{"GM-1"}, `document not found: no ID, number or file name "GM-1"`},
		{[]string{"--ingestions", "GM-7781"}, "ingestion not found: " + storedOrder + " came without a file"},
		{[]string{"--chunks", "GM-7781"}, `invalid ID "GM-7781"`}})
}

// A file that couldn't be read has no number, but a name.
func TestFileByName(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ('`+oneTenant+`', 'one')),
		d AS (INSERT INTO document (id, tenant_id, file_path, file_name, matching_due_at)
			VALUES ('10000000-0000-4000-8000-000000000901', '`+oneTenant+`', 'documents/a.pdf', 'Scan 12.pdf', NULL))
		INSERT INTO ingestion (id, tenant_id, document_id, file_path, job_status, error, failed_at)
		VALUES (gen_random_uuid(), '`+oneTenant+`', '10000000-0000-4000-8000-000000000901', 'documents/a.pdf', 'failed', 'the PDF is damaged', now())`)
	wantIn(t, ends(t, url, cli.ExitOK, "explain", "Scan 12.pdf"), "the PDF is damaged")
	ends(t, url, cli.ExitOK, "publish", "--ingestions", "Scan 12.pdf")
	if s := postgrestest.Value[string](t, conn, "SELECT job_status FROM ingestion"); s != "pending" {
		t.Errorf("the file is %s after publish", s)
	}
}

// A model that refuses the key leaves no answer to count, and the report says so.
func TestRefusedCallsTold(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer model.Close()
	env := map[string]string{variable.DatabaseURL: postgrestest.URL(t), variable.OpenAIKey: "wrong", variable.OpenAIBaseURL: model.URL}
	code, out, errOut := clitest.RunIn(t.Context(), run, env, "match", "--database", clitest.Ties(t, 1))
	if code != cli.ExitFindings {
		t.Errorf("exit status %d, %s", code, errOut)
	}
	wantIn(t, strings.Join(strings.Fields(out), " "), "in 0 calls, ",
		"calls without an answer, such as refused ones, are not counted: see FAILED below", " FAILED invoice R1-0000 ")
}

// Another program's lock, and a server that only reads, are told in plain words.
func TestBusyDatabaseWords(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	file := write(t, invoiceLine(1))
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, "BEGIN; LOCK TABLE document IN ACCESS EXCLUSIVE MODE")
	for _, tc := range [][2]string{
		{"lock_timeout=20", "another program holds a lock on the table or row: try again when it has finished (SQLSTATE 55P03)"},
		{"statement_timeout=20", "the database stopped a statement that took or waited too long: try again when it is less busy (SQLSTATE 57014)"},
		{"default_transaction_read_only=on", "the database is read-only, such as a replica: use the primary server in DATABASE_URL (SQLSTATE 25006)"},
	} {
		setting, want := tc[0], tc[1]
		if strings.Contains(setting, "read_only") {
			postgrestest.Exec(t, conn, "ROLLBACK")
		}
		env := map[string]string{variable.DatabaseURL: url + "&" + setting}
		code, out, errOut := clitest.RunIn(t.Context(), run, env, "import", file, "--tenant", oneTenant)
		if code != cli.ExitError || !strings.Contains(out+errOut, want) {
			t.Errorf("%s: exit status %d and %s%s, want %q", setting, code, out, errOut, want)
		}
	}
}
