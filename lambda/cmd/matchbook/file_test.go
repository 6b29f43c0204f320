package main

import (
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

const fileOfCorrected = "10000000-0000-4000-8000-000000000502"

// What the console does about files, by commands: each has its row, its message, and its refusals.
//
//nolint:paralleltest // the SDK reads the process's own environment
func TestFileCommands(t *testing.T) {
	r := newFailedRig(t, always, manifest.Match, manifest.Ingest)
	postgrestest.Exec(t, r.conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ($2, 'one')), d AS (
			INSERT INTO document (id, tenant_id, type, structured_data, matching_due_at, matching_status)
			VALUES ($1, $2, 'invoice', '{"number": "R-1", "total": "118.00"}', NULL, 'succeeded'))
		INSERT INTO ingestion (id, tenant_id, document_id, file_path, job_status, needs_human_review, page_account, structured_data)
		VALUES ($3, $2, $1, 'documents/a.pdf', 'succeeded', true, '{"pages": 3}', '{"number": "R-1", "total": "118.00"}')`,
		correctedID, oneTenant, fileOfCorrected)
	waits := func(want bool) {
		t.Helper()
		if got := postgrestest.Value[bool](t, r.conn, "SELECT needs_human_review FROM ingestion"); got != want {
			t.Errorf("waits: %v", got)
		}
	}
	r.command(t.Context(), "correct", "R-1", "total=119.00")
	waits(true)
	r.prints("invoice R-1  "+correctedID+"\ndone: it needs nobody any more\n", "correct", "R-1", "--done")
	waits(false)
	r.prints("published its file "+correctedID+"\n", "pages", "R-1", "3")
	if got := postgrestest.Value[string](t, r.conn, "SELECT begins::text || job_status FROM ingestion"); got != "{1,3}pending" {
		t.Errorf("pages: %s", got)
	}
	if got := clitest.Receive(t, r.client, r.env[manifest.Ingest.QueueEnv()]); len(got) != 1 || got[0] != fileOfCorrected {
		t.Errorf("received %v, want the file's id", got)
	}
	r.prints("dismissed "+correctedID+"\n", "dismiss", "R-1", "--reason", "an advert", "--by", "anna")
	if got := postgrestest.Value[string](t, r.conn, `SELECT structured_data::text || (SELECT string_agg(kind || ' ' || reason, ',' ORDER BY acted_at DESC)
		FROM file_action WHERE acted_by = 'anna') FROM document`); got != "{}dismiss an advert" {
		t.Errorf("dismissed: %s", got)
	}
	for command, refusals := range map[string]clitest.Refusals{
		"dismiss": {{[]string{correctedID}, "missing --reason"}, {[]string{fileOfCorrected[:35] + "9", "--reason", "x"}, "not found"}},
		"pages":   {{[]string{correctedID, "x"}, `invalid PAGE "x": expected a number from 1`}, {[]string{correctedID, "0"}, `invalid PAGE "0"`}, {[]string{correctedID, "4"}, "unknown page of the file"}},
	} {
		clitest.WantRefused(t, func(args ...string) (int, string, string) {
			return r.command(t.Context(), append([]string{command}, args...)...)
		}, refusals)
	}
}
