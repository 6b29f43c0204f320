package main

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

// offerJob is the id of the nth job of insertOfferJobs.
func offerJob(n int) string { return fmt.Sprintf("60000000-0000-5000-8000-%012d", n) }

// insertOfferJobs stores users in Berlin, each with a job of 2026-03-29 in the
// state of its place in the list, as the runtime names it.
func insertOfferJobs(t *testing.T, conn *pgx.Conn, states ...string) {
	t.Helper()
	postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ($1, 'one'), ($3, 'another') ON CONFLICT DO NOTHING)
		INSERT INTO offer_user (id, tenant_id, timezone, profile)
		SELECT ('50000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'Europe/Berlin', '{"name": "Ada"}'
		FROM generate_series(1, cardinality($2::text[])) AS n`, oneTenant, states, anotherTenant)
	for i, state := range states {
		postgrestest.Exec(t, conn, `INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, job_status, error,
				attempts, failed_at, lease_until, input_digest, algorithm_version, offered_at, expires_at)
			VALUES ($1, $2, '2026-03-29', 'Europe/Berlin', $3, $4, CASE $4 WHEN 'failed' THEN 'profile: born is no year'
				WHEN 'cancelled' THEN 'nobody was there' END, 2, now(), now() + interval '1 minute', '\x00', 1,
				'2026-03-29 07:00Z', '2026-03-30 07:00Z')`,
			offerJob(i+1), oneTenant, fmt.Sprintf("50000000-0000-4000-8000-%012d", i+1), state)
	}
}

func TestOffersStatus(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	insertOfferJobs(t, conn, "succeeded", "succeeded", "failed", "cancelled", "pending")
	postgrestest.Exec(t, conn, `INSERT INTO offer_delivery (job_id) VALUES ($1), ($2)`, offerJob(1), offerJob(2))
	postgrestest.Exec(t, conn, `UPDATE offer_delivery SET delivered_at = now() WHERE job_id = $1`, offerJob(1))
	postgrestest.Exec(t, conn, `ALTER TABLE matchmaking_job DISABLE TRIGGER matchmaking_job_state`)
	// Of 3 and 8 seconds, 95 % are within 3 + 0.95 * 5.
	postgrestest.Exec(t, conn, `UPDATE matchmaking_job SET started_at = now(), completed_at = now()
		+ CASE id WHEN $1::uuid THEN interval '3 s' ELSE interval '8 s' END WHERE status = 'completed'`, offerJob(1))
	const want = `
JOBS of 2026-03-29
  time zone                        pending   running completed    failed   skipped   late  undelivered
  Europe/Berlin                          1         0         2         1         1      4            1
  all                                    1         0         2         1         1      4            1
REASONS
  failed, Europe/Berlin, 1: profile: born is no year
  skipped, Europe/Berlin, 1: nobody was there
`
	code, out, errOut := matchbook(t, url, "offers", "status", "--date", "2026-03-29")
	if code != cli.ExitFindings {
		t.Errorf("exit status %d, %s", code, errOut)
	}
	wantText(t, out, want)
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--date", "2026-03-29", "--json"}, cli.ExitFindings, `"reason": "nobody was there"`},
		{[]string{"--month", "2026-03"}, cli.ExitFindings, "JOBS of 2026-03: 2 of 4 completed, 50.00 %, at least 99.9 % wanted\n" +
			"  1 failed, 1 skipped, 1 open; 95 % took 7.75 s or less, less than 30 s wanted\n"},
		{[]string{"--month", "2026-03", "--json"}, cli.ExitFindings, `"completed_share": 0.5`},
		{[]string{"--month", "2026-04"}, cli.ExitOK, "0 of 0 completed, 100.00 %"},
		{[]string{"--month", "2026-03", "--tenant", anotherTenant}, cli.ExitOK, "0 of 0 completed"},
		{[]string{"--month", "2026-13"}, cli.ExitError, `--month: invalid month "2026-13"`},
		{[]string{"--month", "2026-03", "--date", "2026-03-29"}, cli.ExitError, "not both"},
		{[]string{"--date", "2026-03-30"}, cli.ExitOK, "no jobs for 2026-03-30\n"},
		{[]string{"--date", "2026-03-29", "--tenant", anotherTenant}, cli.ExitOK, "no jobs for"},
		{[]string{"--date", "29.3.2026"}, cli.ExitError, `--date: invalid date "29.3.2026"`},
		{[]string{"--tenant", "x"}, cli.ExitError, `--tenant: invalid id "x": not a UUID`},
	} {
		code, out, errOut := matchbook(t, url, append([]string{"offers", "status"}, tc.args...)...)
		if code != tc.code || !strings.Contains(out+errOut, tc.want) {
			t.Errorf("%v: exit status %d, want %d with %q\n%s%s", tc.args, code, tc.code, tc.want, out, errOut)
		}
	}
}

// The id of a job is explained with those of documents, files and reviews.
func TestExplainOfferJob(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	insertOfferJobs(t, postgrestest.Conn(t, url), "failed", "cancelled")
	for n, want := range map[int]string{
		1: "  status  failed, 2 attempts\n  error   profile: born is no year\n  waits   for a person to fix the cause",
		2: "  status  skipped, 2 attempts\n  error   nobody was there\n  more    \"matchbook offers explain " + offerJob(2) + "\"",
	} {
		out := printed(t, url, "explain", offerJob(n))
		head := fmt.Sprintf("offers of 2026-03-29 for the user 50000000-0000-4000-8000-%012d (Ada)\n", n)
		if !strings.HasPrefix(out, head) || !strings.Contains(out, "due     2026-03-29 07:00Z in Europe/Berlin\n"+want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
}

//nolint:paralleltest // it sets the environment
func TestOffersRequeue(t *testing.T) {
	r := newFailedRig(t, always, manifest.Offer)
	conn, url := r.conn, r.env[variable.DatabaseURL]
	insertOfferJobs(t, conn, "failed", "succeeded", "cancelled", "pending", "in-progress", "failed", "failed")
	for _, tc := range []struct {
		args []string
		code int
		want string // parts, with | between them
	}{
		{nil, cli.ExitError, "expected JOB IDs"},
		{[]string{offerJob(1), "--date", "2026-03-29"}, cli.ExitError, "expected JOB IDs"},
		{[]string{"x"}, cli.ExitError, `invalid job id "x"`},
		{[]string{offerJob(1), offerJob(99)}, cli.ExitError, "job " + offerJob(99)}, // and nothing is published
		{[]string{offerJob(1), offerJob(2), offerJob(3), offerJob(4), offerJob(5)}, cli.ExitOK,
			"failed jobs: published 1, unsent 0, skipped 0, left 0\nthe roster of a date is frozen: |" + offerJob(2) + ", completed: its set stays|" +
				offerJob(3) + ", skipped: skipped dates|" + offerJob(4) + ", pending: waiting|" +
				offerJob(5) + ", running: a worker is running it"},
		{[]string{"--tenant", anotherTenant}, cli.ExitOK, "published 0,"},
		{[]string{"--date", "2026-03-28"}, cli.ExitOK, "published 0,"},
		{[]string{"--date", "2026-03-29", "--json"}, cli.ExitOK, `"published": 2,|"left_alone": []`},
		{[]string{"--date", "2026-03-29"}, cli.ExitOK, "published 0,"},
	} {
		code, out, errOut := r.command(t.Context(), append([]string{"offers", "requeue"}, tc.args...)...)
		for part := range strings.SplitSeq(tc.want, "|") {
			if code != tc.code || !strings.Contains(out+errOut, part) {
				t.Errorf("%v: exit status %d, want %d with %q\n%s%s", tc.args, code, tc.code, part, out, errOut)
			}
		}
	}
	states := postgrestest.Value[string](t, conn, `SELECT string_agg(status, ' ' ORDER BY id) FROM matchmaking_job`)
	if want := "pending completed skipped pending running pending pending"; states != want {
		t.Errorf("got %s, want %s", states, want)
	}
	if code, _, errOut := matchbook(t, url, "offers", "requeue", offerJob(1)); code != cli.ExitOK || !strings.Contains(errOut, "no OFFER_QUEUE_URL") {
		t.Errorf("without a queue: exit status %d, %s", code, errOut)
	}
}
