package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/importer"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

// imported runs import --json.
func imported(t *testing.T, url string, wantCode int, args ...string) importer.Report {
	t.Helper()
	return decode[importer.Report](t, ends(t, url, wantCode, append([]string{"import", "--json"}, args...)...))
}

// write writes a file of documents, one a line.
func write(t *testing.T, lines ...string) (file string) {
	t.Helper()
	return clitest.File(t, "documents.jsonl", strings.Join(lines, "\n")+"\n")
}

// invoiceLine is an invoice without an id.
func invoiceLine(number int) string {
	return fmt.Sprintf(`{"type":"invoice","structured_data":{"number":"%d"}}`, number)
}

func TestImportStoresOnce(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	file := write(t, "\uFEFF"+invoiceLine(1), `{"type":"letter","structured_data":{}}`, invoiceLine(2), invoiceLine(1), `{"type":`)
	for _, stored := range []int{2, 0} {
		r := imported(t, url, cli.ExitFindings, file, "--tenant", oneTenant)
		if r.Read != 2 || r.Stored != stored || r.Same != 2-stored || r.Left != 0 || len(r.Problems) != 3 {
			t.Errorf("got %+v, want %d stored", r, stored)
		}
		for i, want := range []corpus.Problem{{File: file, Line: 2, What: `unknown document type "letter"`},
			{File: file, Line: 4, What: "duplicate of the document in " + file + ":1"},
			{File: file, Line: 5, What: "invalid JSON: unexpected end of JSON input"}} {
			if r.Problems[i] != want {
				t.Errorf("got %+v, want %+v", r.Problems[i], want)
			}
		}
	}
	transcript(t, "import", url, "import "+file+" --tenant "+oneTenant, "import "+file+" --json --tenant "+oneTenant,
		"import "+write(t, invoiceLine(3))+" --tenant "+oneTenant)
	if n := postgrestest.Value[int](t, postgrestest.Conn(t, url), `SELECT count(*) - 1 FROM document
		WHERE tenant_id = $1 AND matching_status = 'pending' AND matching_published_at IS NULL`, oneTenant); n != 2 {
		t.Errorf("%d documents wait for the sweep", n)
	}
}

// A document without a tenant is not given to one that nobody named.
func TestImportNeedsATenant(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	r := imported(t, url, cli.ExitFindings, write(t, invoiceLine(1)))
	if r.Stored != 0 || len(r.Problems) != 1 || r.Problems[0].What != "missing tenant_id; add it, or use --tenant" {
		t.Errorf("got %+v", r)
	}
	wantRefused(t, url, "import", clitest.Refusals{{[]string{samples, "--tenant", "Example"}, "UUID"}})
}

func TestImportReplace(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	const document = `{"id":"10000000-0000-4000-8000-000000000777","type":"invoice","structured_data":{"number":"%d"}}`
	imported(t, url, cli.ExitOK, write(t, fmt.Sprintf(document, 1)), "--tenant", oneTenant)
	changed := write(t, fmt.Sprintf(document, 2))
	code, out, _ := matchbook(t, url, "import", changed, "--tenant", oneTenant)
	if want := "CHANGED   " + changed + ":1: document 10000000-0000-4000-8000-000000000777 is stored with other content; use --replace\n" +
		"read 1 = stored 0 + replaced 0 + the same 0 + changed 1 + refused 0 + left 0; malformed 0\n"; code != cli.ExitFindings || !strings.HasPrefix(out, want) {
		t.Errorf("exit status %d, got\n%s\nwant\n%s", code, out, want)
	}
	if r := imported(t, url, cli.ExitOK, changed, "--tenant", oneTenant, "--replace"); r.Replaced != 1 {
		t.Errorf("got %+v", r)
	}
	if r := imported(t, url, cli.ExitFindings, changed, "--tenant", anotherTenant, "--replace"); r.Replaced != 0 || len(r.Problems) != 1 ||
		!strings.Contains(r.Problems[0].What, "another tenant") {
		t.Errorf("got %+v", r)
	}
}

func TestImportSends(t *testing.T) { //nolint:paralleltest // it sets variables
	refused := false
	r := newFailedRig(t, func() bool { return !refused })
	code, out, errOut := r.command(t.Context(), "import", samples)
	if code != cli.ExitOK || !strings.Contains(out, "messages sent 63, left to the sweep 0") || r.messages() != "63" || r.statuses() != "pending 63" {
		t.Errorf("exit status %d, %s messages, %s\n%s%s", code, r.messages(), r.statuses(), out, errOut)
	}
	if code, out, _ := r.command(t.Context(), "import", samples); code != cli.ExitOK || !strings.Contains(out, "the same 63") || r.messages() != "63" {
		t.Errorf("exit status %d, %s messages\n%s", code, r.messages(), out)
	}
	refused = true
	code, out, _ = r.command(t.Context(), "import", write(t, invoiceLine(1)), "--tenant", oneTenant)
	if code != cli.ExitFindings || !strings.Contains(out, "stopped: ") || !strings.Contains(out, "left to the sweep 1") {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

// stuckAfter makes an import of these documents stop in the transaction with
// document n, which another one has just stored.
func stuckAfter(t *testing.T, url, line string) (release func()) {
	t.Helper()
	in := must.Get((&corpus.Reader{Tenant: corpus.DefaultTenant}).Read(write(t, line)))(t)
	conn := postgrestest.Conn(t, url)
	exec := func(sql string, args ...any) {
		t.Helper()
		must.Get(conn.Exec(context.WithoutCancel(t.Context()), sql, args...))(t)
	}
	exec("INSERT INTO tenant (id, name) VALUES ($1, 'Example') ON CONFLICT DO NOTHING", corpus.DefaultTenant)
	exec("BEGIN")
	exec("INSERT INTO document (id, tenant_id) VALUES ($1, $2)", in.Documents[0].ID, corpus.DefaultTenant)
	return func() { exec("ROLLBACK") }
}

// untilWaiting waits until a statement waits for another transaction.
func untilWaiting(t *testing.T, url string) {
	t.Helper()
	conn := postgrestest.Conn(t, url)
	for deadline := time.Now().Add(time.Minute); !postgrestest.Value[bool](t, conn, `SELECT EXISTS (SELECT FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event = 'transactionid')`); {
		if time.Now().After(deadline) {
			t.Fatal("the import did not come to the document that is locked")
		}
	}
}

// manyDocuments are more than three transactions of an import.
func manyDocuments() (lines []string) {
	for i := range 3500 {
		lines = append(lines, invoiceLine(i))
	}
	return lines
}

// The real process is killed in its third transaction. The first two are there, and
// the next run stores the rest.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	url, lines := postgrestest.URL(t), manyDocuments()
	file, release := write(t, lines...), stuckAfter(t, url, lines[2400])
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asMain+"=1", variable.DatabaseURL+"="+url, variable.MatchQueueURL+"=")
	cmd.Args = []string{"matchbook", "import", file, "--tenant", corpus.DefaultTenant.String()}
	must.OK(t, cmd.Start())
	untilWaiting(t, url)
	must.OK(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	release()
	r := imported(t, url, cli.ExitOK, file, "--tenant", corpus.DefaultTenant.String())
	if r.Same != 2000 || r.Stored != 1500 {
		t.Errorf("got %+v, want 2000 that were there and 1500 new ones", r)
	}
	if n := postgrestest.Value[int](t, postgrestest.Conn(t, url), "SELECT count(*) FROM document WHERE matching_status = 'pending'"); n != len(lines) {
		t.Errorf("%d documents; want %d", n, len(lines))
	}
}

// Ctrl-C ends an import after the transaction that has begun, with the report so far.
func TestImportInterrupted(t *testing.T) {
	t.Parallel()
	url, lines := postgrestest.URL(t), manyDocuments()
	file, release := write(t, lines...), stuckAfter(t, url, lines[1200])
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		untilWaiting(t, url)
		interrupt()
		release()
	}()
	code, out, errOut := clitest.RunIn(ctx, run, map[string]string{variable.DatabaseURL: url}, "import", file, "--tenant", corpus.DefaultTenant.String())
	if code != cli.ExitFindings || !strings.Contains(out, "stored 2000") || !strings.Contains(out, "left 1500") ||
		!strings.Contains(out, "interrupted: run the import again for the rest") {
		t.Errorf("exit status %d\n%s%s", code, out, errOut)
	}
	if r := imported(t, url, cli.ExitOK, file, "--tenant", corpus.DefaultTenant.String()); r.Same != 2000 || r.Stored != 1500 {
		t.Errorf("got %+v", r)
	}
}
