package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// times replaces what differs from run to run.
func times(text string) string {
	for pattern, with := range map[string]string{`\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?Z`: "T", `\d{4}-\d\d-\d\d \d\d:\d\d UTC`: "T", `\(\S+ ago\)`: "(ago)"} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, with)
	}
	return text
}

// status wants a status with findings.
func (r *failedRig) status(want string, args ...string) {
	r.t.Helper()
	code, out, errOut := r.command(r.t.Context(), append([]string{"status"}, args...)...)
	if got := times(out); code != cli.ExitFindings || errOut != "" || got != want {
		r.t.Errorf("%v: exit status %d, %s\ngot\n%s\nwant\n%s", args, code, errOut, got, want)
	}
}

//nolint:paralleltest // it sets the environment
func TestStatus(t *testing.T) {
	r := newDLQRig(t)
	postgrestest.Exec(t, r.conn, "UPDATE document SET matching_due_at = now() - interval '5 minutes' WHERE matching_status = 'pending'")
	postgrestest.Exec(t, r.conn, `UPDATE document SET matching_due_at = now() + interval '5 minutes', matching_parked_for = 'gpt-4.1-mini',
		matching_error = 'model provider failed (HTTP 503)' WHERE id = $1`, deadPending)
	postgrestest.Exec(t, r.conn, `INSERT INTO service_breaker (service, state, changed_at, outage_id, outage_since, error)
		VALUES ('gpt-4.1-mini', 'open', now(), gen_random_uuid(), now(), 'HTTP 503')`)
	postgrestest.Exec(t, r.conn, `INSERT INTO attempt (tenant_id, row_id, subject, number, claimed_at, lease_until, worker, request)
		VALUES ($1, $2, 'document', 3, now(), now(), '', '')`, oneTenant, deadTransient)
	r.status(`T, all tenants

          waiting  in work  parked  overdue  failed  oldest     messages  dead letters
match           1        0       1        0       2  5 min             0             6
ingest          0        0       0        0       0  -                 0             0
inbox           0        0       0        0       0  -                 0             1
review          0        0       0        0       0  -                 0             0
offer           0        0       0        0       0  -                 0             0

outage  gpt-4.1-mini is away since T (HTTP 503): 1 document waiting; the sweep
        goes on with them by itself
errors  2 documents failed: storage is away (matchbook status 10000000-0000-4000-8000-000000000931)
people  2 failed
events  0 not accepted yet, 0 given up
spent   0.0048 USD today (UTC) in 1 call

NEXT
  2 failed rows: matchbook status --failed
  7 dead letters: matchbook dlq list
`)
	r.status(`match, 1 failed document
  10000000-0000-4000-8000-000000000932  permanent, 3 attempts  tenant 20000000-0000-4000-8000-000000000001
      storage is away
      waits for a person to fix the cause and publish it: it failed T (ago)
  more: matchbook status ID
  do:   once the cause is fixed, publish the documents again: matchbook publish --failed
`, "--failed", "--tenant", anotherTenant)
	postgrestest.Exec(t, r.conn, "UPDATE document SET matching_due_at = now() - interval '2 hours', matching_error = NULL WHERE id = $1", deadPublished)
	r.status(`match, 1 stuck document
  10000000-0000-4000-8000-000000000934  pending, 3 attempts  tenant 10000000-0000-4000-8000-000000000001
      waits for its message, due T (ago); if lost, the sweep publishes it
      again
  more: matchbook status ID
  do:   check that the sweep runs, because it publishes them again: matchbook doctor --stack STACK,
        or once by matchbook sweep; with matchbook serve, that its process runs
`, "--stuck")
}

// What no row's state shows: errors of rows that are tried again, a receiver that is away, and a clock.
func TestStatusNamesCauses(t *testing.T) {
	t.Parallel()
	_, url := postgrestest.WithClock(t, postgrestest.URL(t), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	conn := postgrestest.Conn(t, url)
	insertOfferJobs(t, conn, "succeeded")
	postgrestest.Exec(t, conn, `INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_error, matching_due_at)
		SELECT lpad(n::text, 32, '0')::uuid, $1, 'invoice', '{}', 'pending', 'write matches: the database''s disk is full (SQLSTATE 53100)', now()
		FROM generate_series(1, 12) AS n`, oneTenant)
	postgrestest.Exec(t, conn, `INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_error, matching_failed_at)
		VALUES (lpad('13', 32, '0')::uuid, $1, 'invoice', '{}', 'failed', 'claim: the database''s disk is full (SQLSTATE 53100)', now())`, oneTenant)
	postgrestest.Exec(t, conn, `INSERT INTO event (tenant_id, kind, document_a_id, data, created_at, error)
		VALUES ($1, 'match.created', gen_random_uuid(), '{}', now() - interval '2 hours', E'refused\t(HTTP 500)')`, oneTenant)
	postgrestest.Exec(t, conn, "INSERT INTO offer_delivery (job_id, created_at, error) VALUES ($1, now() - interval '3 hours', 'refused (HTTP 503)')", offerJob(1))
	for _, args := range [][]string{{"status"}, {"status", "--tenant", oneTenant}} {
		code, out, errOut := matchbook(t, url, args...)
		if code != cli.ExitFindings || errOut != "" {
			t.Errorf("exit status %d, %s", code, errOut)
		}
		wantIn(t, regexp.MustCompile(`clock is .* (behind|ahead of) this`).ReplaceAllString(strings.Join(strings.Fields(out), " "), "clock is D off this"),
			"errors 12 documents waiting for another try: write matches: the database's disk is full (SQLSTATE "+
				"53100) (matchbook status 00000000-0000-0000-0000-000000000001) errors 1 document failed: claim: the database's disk is full (SQLSTATE "+
				"53100) (matchbook status 00000000-0000-0000-0000-000000000013) people", "events 1 not accepted yet, 0 given up: refused (HTTP 500) sets",
			"sets 1 set of match offers not accepted yet: refused (HTTP 503) spent",
			"NEXT the database's clock is D off this machine's: synchronize both with NTP",
			"the database's disk is full (nothing more can be stored): make room on the database's disk, or enlarge it; then publish the failed "+
				"rows again: matchbook publish --failed 1 failed row: matchbook status --failed an event has waited for 2 h 0 min: repair the receiver,",
			"matchbook events requeue", "a set of match offers has waited for 3 h 0 min: repair", "matchbook status "+offerJob(1))
	}
	_, out, _ := matchbook(t, url, "status", "--tenant", anotherTenant, "--json")
	o := decode[struct {
		Errors       []any
		Events, Sets struct{ Waiting int }
	}](t, out)
	if len(o.Errors) != 0 || o.Events.Waiting != 0 || o.Sets.Waiting != 0 {
		t.Errorf("of another tenant: %s", out)
	}
}

// A queue that is gone must not hide the rest of the page.
//
//nolint:paralleltest // it sets the environment
func TestStatusWithoutAnswer(t *testing.T) {
	r := newFailedRig(t, always)
	must.Get(r.client.DeleteQueue(t.Context(), &awssqs.DeleteQueueInput{QueueUrl: &r.queueURL}))(t)
	code, out, errOut := r.command(t.Context(), "status")
	if code != cli.ExitFindings || !strings.Contains(out, "queue unknown: ") || !strings.Contains(out, "the queue of match does not answer: matchbook doctor") {
		t.Errorf("exit status %d, %s%s", code, out, errOut)
	}
	r.env = map[string]string{variable.DatabaseURL: r.env[variable.DatabaseURL]}
	r.prints("no failed rows\n", "status", "--failed")
	clitest.WantRefused(t, func(args ...string) (code int, out, errOut string) { return r.command(t.Context(), args...) }, clitest.Refusals{
		{[]string{"status", "--failed", oneTenant}, "with an ID, only --json and --keep apply"},
		{[]string{"status", "--failed", "--stuck"}, "mutually exclusive"},
		{[]string{"status", oneTenant}, "document not found: " + oneTenant},
		{[]string{"status", "--tenant", "7"}, `invalid --tenant "7"`},
	})
}

// The whole story of a document, as far as it is stored.
//
//nolint:paralleltest // it sets the environment
func TestStatusOfDocument(t *testing.T) {
	r := newDLQRig(t)
	day := func(sql string, args ...any) { t.Helper(); postgrestest.Exec(t, r.conn, sql, args...) }
	day("UPDATE document SET received_at = '2026-03-02T11:59:00Z', matching_failed_at = '2026-03-02T12:40:00Z' WHERE id = $1", deadTransient)
	day("UPDATE model_answer SET asked_at = '2026-03-02T12:10:00Z', unusable = 'empty'")
	day("UPDATE notification SET created_at = '2026-03-02T12:40:01Z'")
	day(`UPDATE notification_delivery SET status = 'sent' WHERE channel = 'slack'`)
	day(`INSERT INTO ingestion (id, tenant_id, document_id, file_path, job_status, failed_at, error, attempts, published_at)
		VALUES ($1, $2, $1, 'a.pdf', 'failed', '2026-03-02T12:05:00Z', 'storage is away', 3, '2026-03-02T12:01:00Z')`, deadTransient, oneTenant)
	day(`INSERT INTO event (tenant_id, kind, document_a_id, data, created_at, tries, error)
		VALUES ($1, 'document.failed', $2, '{}', '2026-03-02T12:40:02Z', 2, 'HTTP 500')`, oneTenant, deadTransient)
	day(`INSERT INTO dead_letter_action (function, message_id, row_id, kind, acted_by, reason, acted_at)
		VALUES ('match', 'm', $1, 'drop', 'ada', 'sent by mail', '2026-03-02T13:00:00Z')`, deadTransient)
	day(`INSERT INTO document_action (id, tenant_id, document_id, kind, acted_by, reason, acted_at)
		VALUES (gen_random_uuid(), $1, $2, 'publish', 'bob', 'storage is back', '2026-03-02T12:20:00Z')`, oneTenant, deadTransient)
	_, out, errOut := r.command(t.Context(), "status", deadTransient)
	state, got, _ := strings.Cut(out, "\nTIMELINE\n")
	want := `  2026-03-02 11:59:00Z  received
  2026-03-02 12:00:00Z  published for matching (latest time)
  2026-03-02 12:01:00Z  file published for reading (latest time)
  2026-03-02 12:05:00Z  reading the file failed: storage is away
  2026-03-02 12:10:00Z  asked gpt-4.1-mini: 10000 and 500 tokens, 0.0048 USD; answer not used: empty
  2026-03-02 12:20:00Z  bob had it matched again: storage is back
  2026-03-02 12:40:00Z  failed on attempt 3: storage is away
  2026-03-02 12:40:01Z  notification about attempt 3, transient: sent to slack
  2026-03-02 12:40:02Z  event document.failed, 2 tries, not accepted by the receiver yet: HTTP 500
  2026-03-02 13:00:00Z  ada dropped its dead letter: sent by mail
`
	if got != want || !strings.Contains(state, "do        matchbook publish "+deadTransient+", once the cause is fixed") {
		t.Errorf("got\n%s\n%s%s\nwant\n%s", state, got, errOut, want)
	}
	_, byNumber, _ := r.command(t.Context(), "status", deadTransient, "--json")
	if story := decode[struct{ Timeline []struct{ What string } }](t, byNumber); len(story.Timeline) != 10 {
		t.Errorf("%d events in the JSON, want 10\n%s", len(story.Timeline), byNumber)
	}
}

// A review, found by its own id or a chunk's, with what it has paid.
func TestStatusOfReview(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	const review, chunk = "10000000-0000-4000-8000-000000000941", "10000000-0000-4000-8000-000000000942"
	postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ($3, 'one')),
			d AS (INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($1, $3, NULL)),
			j AS (INSERT INTO review_job (id, tenant_id, document_id, name, status, chunks, chunks_open, gaps, findings, calls, cost_usd, budget_usd, error,
				created_at, started_at, ended_at)
				VALUES ($1, $3, $1, 'lease.pdf', 'completed-with-gaps', 1, 0, 1, 2, 36, 0.0125, 0.02, 'part 1: away',
				'2026-03-02T12:00:00Z', '2026-03-02T12:01:00Z', '2026-03-02T12:30:00Z')),
			c AS (INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, status, failed_at, error, attempts, stage)
				VALUES ($2, $3, $1, 0, 0, 1, 'failed', '2026-03-02T12:29:00Z', 'the model is away', 3, 'payment'))
		INSERT INTO review_checkpoint (chunk_id, stage, job_id, claimed_by, finished_at, outcome, reason, cost_usd, calls)
		VALUES ($2, 'payment', $1, 3, '2026-03-02T12:28:00Z', 'failed', 'HTTP 503', 0.0125, 36)`, review, chunk, oneTenant)
	for _, id := range []string{review, chunk} {
		out := printed(t, url, "status", id)
		wantIn(t, out, "review of lease.pdf\n", "  paid    36 calls, 0.0125 USD of 0.0200\n", "do      matchbook review retry "+review,
			"\nchunk 1, "+chunk, `TIMELINE
  2026-03-02 12:00:00Z  review started: lease.pdf
  2026-03-02 12:01:00Z  first part begun
  2026-03-02 12:28:00Z  part 1, payment failed: 36 calls, 0.0125 USD: HTTP 503
  2026-03-02 12:29:00Z  part 1 failed on attempt 3: the model is away
  2026-03-02 12:30:00Z  ended, completed-with-gaps: 2 findings, 1 gap, 0.0125 USD: part 1: away
`)
	}
}

// A job of match offers, with what people and the receiver did.
func TestStatusOfJob(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	const job = "10000000-0000-4000-8000-000000000943"
	postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ($2, 'one')),
			u AS (INSERT INTO offer_user (id, tenant_id, timezone) VALUES ($1, $2, 'UTC')),
			j AS (INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at, created_at, published_at, started_at,
				job_status, failed_at, error, attempts)
				VALUES ($1, $2, '2026-03-02', 'UTC', $1, now(), now(), '2026-03-02T08:59:00Z', '2026-03-02T09:00:00Z', '2026-03-02T09:01:00Z',
				'failed', '2026-03-02T09:02:00Z', 'the profile lacks a city', 1)),
			n AS (INSERT INTO notification (tenant_id, subject, subject_id, kind, attempt, payload, created_at)
				VALUES ($2, 'job', $1, 'permanent', 1, '{}', '2026-03-02T09:02:01Z')),
			o AS (INSERT INTO offer_delivery (job_id, created_at, tries, error) VALUES ($1, '2026-03-02T10:01:00Z', 2, 'HTTP 500'))
		INSERT INTO offer_action (tenant_id, user_id, job_id, kind, acted_by, reason, status, after, acted_at) VALUES
			($2, $1, $1, 'requeue', 'ada', 'city added', 'failed', '', '2026-03-02T09:30:00Z'),
			($2, $1, $1, 'refreeze', 'bob', 'city added', 'failed', '', '2026-03-02T10:00:00Z')`, job, oneTenant)
	wantIn(t, printed(t, url, "status", job), "offers of 2026-03-02 for the user "+job, `TIMELINE
  2026-03-02 08:59:00Z  job queued
  2026-03-02 09:00:00Z  published (latest time)
  2026-03-02 09:01:00Z  attempt 1 began
  2026-03-02 09:02:00Z  failed on attempt 1: the profile lacks a city
  2026-03-02 09:02:01Z  notification about attempt 1, permanent: not sent yet
  2026-03-02 09:30:00Z  ada had it tried again: city added
  2026-03-02 10:00:00Z  bob had it composed with the profile as it was then: city added
  2026-03-02 10:01:00Z  set queued for the receiver, 2 tries so far: HTTP 500
`)
}

// If nothing is begun, a lock is named whatever its age, rather than a program that doesn't run.
func TestStatusNamesYoungLock(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	ends(t, url, cli.ExitOK, "import", write(t, seedlings(storedOrder, "purchase-order", `"number":"GM-7781"`)), "--tenant", oneTenant)
	postgrestest.Exec(t, conn, "UPDATE document SET matching_status = 'pending', matching_due_at = now() - interval '1 hour'")
	wantIn(t, ends(t, url, cli.ExitFindings, "status"), "nothing runs: ")
	postgrestest.Exec(t, conn, "BEGIN; LOCK TABLE document IN EXCLUSIVE MODE")
	out := ends(t, url, cli.ExitFindings, "status")
	wantIn(t, out, "has kept locks on document for ", "end the transaction of process ")
	if strings.Contains(out, "nothing runs") {
		t.Errorf("a lock explains it:\n%s", out)
	}
}
