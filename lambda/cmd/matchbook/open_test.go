package main

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/postgres/postgrestest"
)

// Rows without a document are counted, with the command that lists them.
func TestOpenCountsOthers(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	wantIn(t, printed(t, url, "open"), "Nothing waits for people.")
	postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ($1, 'one') RETURNING id),
			d AS (INSERT INTO document (id, tenant_id, matching_due_at) SELECT id, id, NULL FROM t),
			j AS (INSERT INTO review_job (id, tenant_id, document_id, status, chunks, chunks_open, gaps, ended_at) SELECT id, id, id, 'failed', 1, 0, 1, now() FROM t)
		INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, status, failed_at, error)
			SELECT id, id, id, 0, 0, 1, 'failed', now(), 'the model is away' FROM t`, oneTenant)
	wantIn(t, printed(t, url, "open"), "Also failed: 1 part of a review: matchbook status --failed\n")
	wantIn(t, ends(t, url, cli.ExitFindings, "status", "--failed"), "review, 1 failed chunk\n", "matchbook publish --chunks --failed")
	postgrestest.Exec(t, conn, `INSERT INTO service_breaker (service, state, changed_at, outage_id, outage_since, error)
		VALUES ('gpt-test', 'open', now(), gen_random_uuid(), '2026-03-02T10:00:00Z', 'model provider failed (HTTP 503)')`)
	transcript(t, "open-others", url, "open", "open --json", "status --failed")
}

func TestOpen(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	open := func(args ...string) explain.Waiting {
		t.Helper()
		return decode[explain.Waiting](t, printed(t, url, append([]string{"open", "--json"}, args...)...))
	}
	conn := postgrestest.Conn(t, url)
	for _, sql := range []string{
		`UPDATE document SET matching_status = 'failed', matching_failed_at = now(), matching_error = E'out of\ttime'
			WHERE structured_data ->> 'number' = '4500000101'`,
		`INSERT INTO ingestion (id, tenant_id, document_id, needs_human_review, review_reasons)
			SELECT gen_random_uuid(), tenant_id, id, true, '{"the sums differ","no date"}'
			FROM document WHERE structured_data ->> 'number' = '4500000102'`,
		`UPDATE document SET structured_data = structured_data || '{"total": "a lot"}' WHERE structured_data ->> 'number' = '4500000102'`,
		"UPDATE match_suggestion SET created_at = now()", // at once, so that their ids order them
	} {
		postgrestest.Exec(t, conn, sql)
	}
	folded := open("--all")
	if folded.Counts["question"] != 11 || len(folded.Items) != 13 {
		t.Errorf("with --all: counts %v, %d items; want 11 questions", folded.Counts, len(folded.Items))
	}
	all := open()
	if all.Counts["question"] != 7 || all.Counts["failed"] != 1 || all.Counts["file"] != 1 || len(all.Items) != 9 {
		t.Errorf("counts %v, %d items; want 7 questions, a failed document and a file", all.Counts, len(all.Items))
	}
	var values []string
	for _, i := range all.Items {
		value := "-"
		if i.Value != nil {
			value = *i.Value
		}
		values = append(values, value)
	}
	slices.Sort(values[6:]) // worth nothing, in the order of their times
	if want := "1335.18 814.56 814.56 288.00 288.00 597.60 - 1240.00 822.29"; strings.Join(values, " ") != want {
		t.Errorf("values %v, want %s", values, want)
	}
	// One answer about the two orders of an invoice settles the other question: 814.56 x 0.613 x 2.
	if i := all.Items[1]; i.Worth != "998.65" || all.Items[2].Worth != "998.65" {
		t.Errorf("worth %s and %s, want 998.65", i.Worth, all.Items[2].Worth)
	}
	// The delivery and this invoice have each other matches of the kind.
	if have := func(w explain.Waiting) bool {
		return slices.ContainsFunc(w.Items, func(i explain.WaitingItem) bool {
			return i.Document.Number == "2603-417" && i.Other != nil && i.Other.Number == "F-30112"
		})
	}; have(all) || !have(folded) {
		t.Error("want a folded question with --all only")
	}
	if i := all.Items[0]; i.Kind != "failed" || i.Why != "out of time" || i.Document.Number != "4500000101" {
		t.Errorf("failed: %+v", i)
	}
	if i := open("--kind", "file").Items[0]; i.Why != "the sums differ; no date" || i.Other != nil {
		t.Errorf("file: %+v", i)
	}
	theirs := open("--tenant", "20000000-0000-4000-8000-000000000001", "--kind", "question,failed", "--limit", "2")
	if len(theirs.Items) != 2 || theirs.Counts["failed"] != 0 || slices.ContainsFunc(theirs.Items, func(i explain.WaitingItem) bool {
		return i.TenantID.String() != "20000000-0000-4000-8000-000000000001"
	}) {
		t.Errorf("of one tenant: %+v", theirs)
	}
	for _, tc := range []struct {
		args                    []string
		question, failed, files int
	}{
		{[]string{"--min-value", "597.60"}, 5, 1, 0},
		{[]string{"--min-value", "597.601"}, 4, 1, 0},
		{[]string{"--document", "contract"}, 0, 0, 0},
		{[]string{"--document", "purchase-order", "--kind", "failed,file"}, 0, 1, 1},
		{[]string{"--since", "2h"}, 7, 1, 1},
		{[]string{"--since", "2099-01-01T00:00:00Z"}, 0, 0, 0},
	} {
		some := open(append(tc.args, "--limit", "100")...)
		if n := tc.question + tc.failed + tc.files; some.Counts["question"] != tc.question || some.Counts["failed"] != tc.failed ||
			some.Counts["file"] != tc.files || len(some.Items) != n {
			t.Errorf("%q: counts %v, %d items, want %d, %d and %d", tc.args, some.Counts, len(some.Items), tc.question, tc.failed, tc.files)
		}
	}
	transcript(t, "open", url, "open", "open --all --kind question", "open --kind failed,file --json", "open --min-value 814.56 --json --limit 1",
		"open --tenant 20000000-0000-4000-8000-000000000001 --limit 2", "explain 4500000101", "explain 4500000102")
	wantRefused(t, url, "open", clitest.Refusals{
		{[]string{"--min-value", "1e3"}, `invalid --min-value "1e3"`},
		{[]string{"--since", "noon"}, "expected a duration like"},
		{[]string{"--document", "bill"}, "--document"},
		{[]string{"--kind", "x"}, "question, warning, failed, file, review"},
	})
	if out := printed(t, url, "open", "--kind", "file"); !strings.Contains(out, " FIELD=VALUE --done") {
		t.Errorf("a file read with doubts is to be corrected\n%s", out)
	}
	postgrestest.Exec(t, conn, `UPDATE ingestion SET job_status = 'failed', failed_at = now(), error = 'storage is away', review_reasons = '{}'`)
	transcript(t, "open-unread", url, "open --kind file", "explain 4500000102")
	unread := postgrestest.Value[string](t, conn, "SELECT id::text FROM ingestion")
	if out := printed(t, url, "open", "--kind", "file"); !strings.Contains(out, "matchbook publish --ingestions "+unread+", once the cause is fixed") {
		t.Errorf("an unread file is to be published again\n%s", out)
	}
	question := all.Items[slices.IndexFunc(all.Items, func(i explain.WaitingItem) bool { return i.Kind == "question" })]
	printed(t, url, "reject", question.Document.ID.String(), question.Other.ID.String())
	if left := open("--kind", "question"); slices.ContainsFunc(left.Items, func(i explain.WaitingItem) bool {
		return i.Document.ID == question.Document.ID && i.Other.ID == question.Other.ID
	}) {
		t.Error("a rejected pair still waits")
	}
	printed(t, url, "undecide", question.Document.ID.String(), question.Other.ID.String())
	if again := open("--kind", "question"); again.Counts["question"] != 7 {
		t.Errorf("withdrawn: %d questions wait, want 7", again.Counts["question"])
	}
	if a, b := open("--tenant", "10000000-0000-4000-8000-000000000001").Differ, open("--tenant", "20000000-0000-4000-8000-000000000001").Differ; a != 6 || b != 9 {
		t.Errorf("%d and %d invoices of the tenants are to be settled, want 6 and 9", a, b)
	}
	_, out, _ := matchbook(t, url, "open", "--limit", "1")
	wantIn(t, out, "Also to settle: 15 invoices that differ from what was ordered and received: ", "Waiting for people: 7 questions, 1 failed document, 1 file\n", "matchbook publish 10000000-0000-4000-8000-000000000101",
		"... and 8 more: --limit")
}

// A file names its document once, also without a number; a list that is cut says so.
func TestFailedAreNamed(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	postgrestest.Exec(t, conn, "INSERT INTO tenant (id, name) VALUES ($1, 'one')", oneTenant)
	postgrestest.Exec(t, conn, `INSERT INTO document (id, tenant_id, type, file_name, structured_data, matching_status, matching_error, matching_failed_at)
		SELECT gen_random_uuid(), $1, 'invoice', 'scan-' || n || '.pdf', CASE n WHEN 1 THEN '{"number":"R-1"}' ELSE '{}' END::jsonb, 'failed', 'broken',
			now() FROM generate_series(1, 21) AS n`, oneTenant)
	out := ends(t, url, cli.ExitOK, "open", "--limit", "30")
	wantIn(t, out, "invoice R-1", "file scan-1.pdf", "invoice scan-2.pdf")
	if n := strings.Count(out, "scan-2.pdf"); n != 1 {
		t.Errorf("the file is named %d times in\n%s", n, out)
	}
	wantIn(t, ends(t, url, cli.ExitFindings, "status", "--failed"), "match, the latest 20 failed documents\n")
	postgrestest.Exec(t, conn, "DELETE FROM document WHERE file_name = 'scan-1.pdf'")
	wantIn(t, ends(t, url, cli.ExitFindings, "status", "--failed"), "match, 20 failed documents\n")
}
