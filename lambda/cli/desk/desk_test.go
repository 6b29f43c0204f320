package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli/desk"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

func num(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012x", n)) }

func open(t *testing.T) *postgres.DB { return openAt(t, postgrestest.URL(t)) }

// openAt returns a database with three orders, each with two invoices that fit it
// equally well: six questions, the most valuable first.
func openAt(t *testing.T, url string) *postgres.DB {
	t.Helper()
	db := postgrestest.Open(t, url)
	var docs []postgres.Imported
	for i := range 3 {
		for n, typ := range []document.Type{document.PurchaseOrder, document.Invoice, document.Invoice} {
			data := fmt.Sprintf(`{"number":"%d-%d","date":"2026-03-%02d","total":"%d.37","supplier":{"name":"Lampenhaus Wittmann"},
				"line_items":[{"sku":"L-%d","quantity":"2%d","description":"a \u001b[31mlamp with a long description, so that it is folded"}]}`,
				4700+i, n, 2+5*(n+1)/2, 900-100*i, i, i)
			docs = append(docs, postgres.Imported{ID: num(3*i + n + 1), TenantID: num(99), Type: typ, Data: json.RawMessage(data)})
		}
	}
	if _, err := db.Add(t.Context(), docs, postgres.AddOptions{Replace: true, Send: true}); err != nil {
		t.Fatal(err)
	}
	m := &match.Matcher{Store: db, Log: slog.New(slog.DiscardHandler)}
	for _, d := range docs {
		claims, err := db.Claim(t.Context(), []job.Delivery{{ID: d.ID}}, time.Minute, false)
		if err == nil {
			err = m.Match(t.Context(), claims[0].Attempt)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// screen keeps what is printed, and calls shown with the number of each prompt.
type screen struct {
	strings.Builder
	prompts int
	shown   func(n int)
}

func (s *screen) Write(p []byte) (int, error) {
	if strings.HasSuffix(string(p), "> ") {
		s.shown(s.prompts)
		s.prompts++
	}
	return s.Builder.Write(p)
}

// walk presses keys, about questions.
func walk(t *testing.T, db *postgres.DB, keys string, shown func(n int)) string {
	t.Helper()
	return walkAs(t, &desk.Desk{DB: db, Filter: report.WaitingFilter{Kinds: []string{report.WaitingQuestion}}}, keys, shown)
}

func walkAs(t *testing.T, d *desk.Desk, keys string, shown func(n int)) string {
	t.Helper()
	out := &screen{shown: shown}
	pressed := make(chan rune, len(keys))
	for _, key := range keys {
		pressed <- key
	}
	close(pressed)
	d.By, d.Keys, d.Out = "anna", pressed, out
	if err := d.Walk(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestOneKeyDecides(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ keys, want string }{
		"each, with a match that appears at the end": {"crcrr", "2 confirmed, 3 rejected, 0 published again, 0 left for later."},
		"later":                {"llllll", "0 confirmed, 0 rejected, 0 published again, 6 left for later."},
		"undone":               {"ucuq", "0 confirmed, 0 rejected, 0 published again, 0 left for later."},
		"undone and otherwise": {"curq", "0 confirmed, 1 rejected, 0 published again, 0 left for later."},
		"the input ends":       {"?xl", "0 confirmed, 0 rejected, 0 published again, 1 left for later."},
		"nothing":              {"", "0 confirmed, 0 rejected, 0 published again, 0 left for later."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := walk(t, open(t), tc.keys, func(int) {})
			if !strings.HasSuffix(out, "\n"+tc.want+"\n") {
				t.Errorf("want %s\n%s", tc.want, out)
			}
			for line := range strings.Lines(out) {
				if term.Columns(strings.TrimSuffix(line, "\n")) > 80 || strings.Contains(line, "\x1b") {
					t.Errorf("%q", line)
				}
			}
		})
	}
}

// A pair that another person has decided, or whose document has changed, is shown again
// or passed, and not decided as it was shown.
func TestAPairThatChangedMeanwhileIsNotDecided(t *testing.T) {
	t.Parallel()
	db := open(t)
	out := walk(t, db, "ccq", func(n int) {
		if n == 0 {
			if _, err := db.Decide(t.Context(), num(1), num(3), postgres.Decision{Verdict: rules.Rejected, By: "bert", Origin: postgres.OriginConsole}); err != nil {
				t.Error(err)
			}
		}
	})
	if !strings.Contains(out, "not stored: the pair has changed since it was shown") {
		t.Errorf("it is decided\n%s", out)
	}
}

// openWithOthers returns a database with a question about 900.37, a failed document of
// 850.00, a warning about 800.37 and a file without a value.
func openWithOthers(t *testing.T) (*postgres.DB, *pgx.Conn) {
	t.Helper()
	url := postgrestest.URL(t)
	db, conn := openAt(t, url), postgrestest.Conn(t, url)
	if _, err := conn.Exec(t.Context(), fmt.Sprintf(`
		DELETE FROM document_warning;
		DELETE FROM match_suggestion WHERE document_a_id <> '%[1]s' OR document_b_id <> '%[2]s';
		INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_failed_at, matching_error) VALUES
			('%[3]s', '%[4]s', 'invoice', '{"number":"F-1","total":"850.00"}', 'failed', now(), 'the model refuses to answer (HTTP 401)'),
			('%[5]s', '%[4]s', 'invoice', '{"number":"U-1"}', NULL, NULL, NULL);
		INSERT INTO document_warning (tenant_id, document_id, kind, other_document_id, words)
			VALUES ('%[4]s', '%[6]s', 'billed-twice', '%[7]s', 'The order is billed twice');
		INSERT INTO ingestion (id, tenant_id, document_id, needs_human_review, review_reasons)
			VALUES (gen_random_uuid(), '%[4]s', '%[5]s', true, '{"no date"}')`,
		num(1), num(2), failedID, num(99), unread, num(5), num(4))); err != nil {
		t.Fatal(err)
	}
	return db, conn
}

var failedID, unread = num(41), num(42)

// The walk has what open lists, in its order, and names the command for what no key
// settles.
func TestTheWalkHasAllThatWaits(t *testing.T) {
	t.Parallel()
	db, _ := openWithOthers(t)
	out := walkAs(t, &desk.Desk{DB: db}, "lclxlxlq", func(int) {})
	rest := out
	for _, want := range []string{
		"\n4 open\n", "4700-0", "c r l u q ? > later\n",
		"\n3 open\n", "850.00  failed document", "invoice F-1", "the model refuses to answer (HTTP 401)", "p l u q ? > \n", "p  publish again", "later\n",
		"\n2 open\n", "800.37  warning", "The order is billed twice", "matchbook explain " + num(5).String(), "l u q ? > ",
		"\n1 open\n", "-  file", "no date", "matchbook correct " + unread.String() + " FIELD=VALUE", "l u q ? > ",
		"Nothing is left.\n\n0 confirmed, 0 rejected, 0 published again, 4 left for later.\n",
	} {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("no %q, in its order, in\n%s", want, out)
		}
		rest = after
	}
	for line := range strings.Lines(out) {
		if term.Columns(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("too long: %q", line)
		}
	}
}

// queue keeps the messages, or refuses them.
type queue struct {
	sent    []uuid.UUID
	refuses bool
}

func (q *queue) Send(_ context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	for _, m := range messages {
		if q.refuses {
			unsent, err = append(unsent, m.ID), errors.New("no access to the queue")
			continue
		}
		q.sent = append(q.sent, m.ID)
	}
	return unsent, err
}

// A failed document is published by one key, with its message and the person. A queue
// that refuses messages holds nobody up.
func TestAFailedDocumentIsPublishedAgain(t *testing.T) {
	t.Parallel()
	for _, refuses := range []bool{false, true} {
		db, conn := openWithOthers(t)
		q := &queue{refuses: refuses}
		d := &desk.Desk{DB: db, Sender: q, Filter: report.WaitingFilter{Kinds: []string{report.WaitingDocument}}}
		out := walkAs(t, d, "p", func(int) {})
		if !strings.HasSuffix(out, "Nothing is left.\n\n0 confirmed, 0 rejected, 1 published again, 0 left for later.\n") ||
			refuses != strings.Contains(out, "the sweep will publish them again") || refuses == slices.Contains(q.sent, failedID) {
			t.Errorf("refuses %t: sent %v\n%s", refuses, q.sent, out)
		}
		var status, by string
		if err := conn.QueryRow(t.Context(), `SELECT matching_status, acted_by FROM document JOIN document_action AS a ON document_id = document.id
			WHERE document.id = $1`, failedID).Scan(&status, &by); err != nil || status != "pending" || by != "anna" {
			t.Errorf("it is %q by %q, %v", status, by, err)
		}
	}
}

// A failed document that another person has published, and that has failed otherwise, is
// not published by the key for what was shown.
func TestAFailedDocumentThatChangedMeanwhileIsNotPublished(t *testing.T) {
	t.Parallel()
	db, conn := openWithOthers(t)
	q := &queue{}
	d := &desk.Desk{DB: db, Sender: q, Filter: report.WaitingFilter{Kinds: []string{report.WaitingDocument}}}
	out := walkAs(t, d, "pl", func(n int) {
		if n > 0 {
			return
		}
		if _, err := conn.Exec(t.Context(), "UPDATE document SET matching_error = 'out of time' WHERE id = $1", failedID); err != nil {
			t.Error(err)
		}
	})
	if !strings.Contains(out, "not published: the document has changed since it was shown") || len(q.sent) > 0 ||
		!strings.HasSuffix(out, "0 published again, 1 left for later.\n") || !strings.Contains(out, "out of time") {
		t.Errorf("sent %v\n%s", q.sent, out)
	}
}

// What was settled elsewhere since the list was read is passed without a word.
func TestWhatNoLongerWaitsIsNotShown(t *testing.T) {
	t.Parallel()
	db, conn := openWithOthers(t)
	out := walkAs(t, &desk.Desk{DB: db}, "llll", func(n int) {
		if n > 0 {
			return
		}
		if _, err := conn.Exec(t.Context(), "DELETE FROM document_warning; UPDATE document SET matching_status = 'pending' WHERE matching_status = 'failed'"); err != nil {
			t.Error(err)
		}
	})
	if strings.Contains(out, "failed document") || strings.Contains(out, "warning") || !strings.HasSuffix(out, "2 left for later.\n") {
		t.Errorf("got\n%s", out)
	}
}

// Ctrl-C, which ends the context, ends the walk with its summary. What is decided stays.
func TestAnInterruptedWalkEndsWithItsSummary(t *testing.T) {
	t.Parallel()
	db := open(t)
	ctx, stop := context.WithCancel(t.Context())
	keys := make(chan rune, 1)
	keys <- 'c'
	out := &screen{shown: func(n int) {
		if n == 1 {
			stop()
		}
	}}
	d := &desk.Desk{DB: db, By: "anna", Keys: keys, Out: out}
	if err := d.Walk(ctx); err != nil || !strings.HasSuffix(out.String(), "\n1 confirmed, 0 rejected, 0 published again, 0 left for later.\n") {
		t.Errorf("got %v\n%s", err, out)
	}
}

const envKeys = "MATCHBOOK_TEST_KEYS"

// TestKeysProcess is no test: it is what the process on the terminal runs.
func TestKeysProcess(t *testing.T) {
	t.Parallel()
	if os.Getenv(envKeys) == "" {
		return
	}
	keys, restore := desk.Keys(t.Context(), os.Stdin)
	defer restore()
	fmt.Println("READY")
	for key := range keys {
		fmt.Printf("<%c>\n", key)
		if key == 'q' {
			return
		}
	}
}

// On a terminal a key needs no return; of any other input each line has one.
func TestKeysOfATerminalAndOfLines(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(input string, command ...string) string {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Env = append(os.Environ(), envKeys+"=1")
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		buffer := make([]byte, 1024)
		for sent := false; ; {
			n, err := out.Read(buffer)
			text.Write(buffer[:n])
			if !sent && strings.Contains(text.String(), "READY") {
				sent = true
				if _, err := in.Write([]byte(input)); err != nil {
					t.Error(err)
				}
			}
			if err != nil {
				break
			}
		}
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return strings.ReplaceAll(text.String(), "\r", "")
	}
	const want = "<c>\n<r>\n<q>\n"
	for name, out := range map[string]string{
		"a terminal": run("crq", "script", "-qec", program+" -test.run=^TestKeysProcess$", "/dev/null"),
		"lines":      run("Confirm\n r\nquit\n", program, "-test.run=^TestKeysProcess$"),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s: got %q, want %q", name, out, want)
		}
	}
}
