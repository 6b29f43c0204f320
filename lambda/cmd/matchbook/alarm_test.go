package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/status"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	aws "github.com/aws/aws-lambda-go/events"
)

// alarmRow is a row of the page's table of alarms.
type alarmRow struct{ alarms, command, shows string }

var alarmCells = regexp.MustCompile("(?m)^\\| (`.+?`) \\| [^|]+ \\| `([^|]+)` \\| `?([^|]+?)`? \\| [^|]+ \\|$")

func alarmRows(t *testing.T) (rows []alarmRow) {
	t.Helper()
	_, section, _ := strings.Cut(string(must.Get(os.ReadFile("../../OPERATE.md"))(t)), "\n## An alarm goes off\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, cells := range alarmCells.FindAllStringSubmatch(section, -1) {
		rows = append(rows, alarmRow{cells[1], cells[2], cells[3]})
	}
	if n := strings.Count(section, "\n| `"); n != len(rows) || n < 15 {
		t.Fatalf("%d of %d rows were understood", len(rows), n)
	}
	return rows
}

// matches reports whether a line is printed as the page has it; there N is a number.
func (r alarmRow) matches(out string) bool {
	out = strings.Join(strings.Fields(out), " ") // as if nothing were folded
	pattern := regexp.MustCompile(`\bN\b`).ReplaceAllString(regexp.QuoteMeta(strings.TrimSpace(r.shows)), `\d+`)
	return regexp.MustCompile(pattern).MatchString(out)
}

// A system with all causes at once: each command shows its line. Then each cause is mended, and
// what the alarms watch as a level is good again.
//
//nolint:paralleltest // it sets the environment
func TestAlarmRunbook(t *testing.T) {
	r := newDLQRig(t)
	r.breakAll()
	stack := &deployedStack{env: map[string]any{"DATABASE_URL": "mysql://x", "QUEUE_URL": r.queueURL}, queue: "match", reports: `"ReportBatchItemFailures"`,
		concurrency: `{"ReservedConcurrentExecutions": 2}`}
	for name, value := range stack.serve(t) {
		t.Setenv(name, value)
	}
	model := http.StatusServiceUnavailable
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(model) }))
	defer provider.Close()
	maps.Copy(r.env, map[string]string{variable.OpenAIKey: "k", variable.OpenAIBaseURL: provider.URL, variable.LLMRetryBase: "1ms",
		variable.SlackWebhookURL: provider.URL})
	for _, row := range alarmRows(t) {
		model = http.StatusServiceUnavailable
		if row.alarms == "`CredentialsRefused`" {
			model = http.StatusUnauthorized
		}
		if out := r.runs(row.command); !row.matches(out) {
			t.Errorf("%s: %s doesn't show %q\n%s", row.alarms, row.command, row.shows, out)
		}
	}
	if levels := r.levels(); strings.Contains(levels, " 0") {
		t.Errorf("not broken: %s", levels)
	}
	r.mendAll()
	if levels := r.levels(); levels != "letters 0, overdue 0, untold 0, events 0, dead events 0, sets 0, duplicates 0" {
		t.Errorf("alarms go on: %s", levels)
	}
}

// breakAll adds the causes that the dead letters lack.
func (r *failedRig) breakAll() {
	r.t.Helper()
	exec := func(sql string, args ...any) { r.t.Helper(); postgrestest.Exec(r.t, r.conn, sql, args...) }
	exec(`UPDATE document SET matching_due_at = now() - interval '3 hours' WHERE id = $1`, deadPublished)
	exec(`UPDATE document SET matching_error = 'write matches: the database''s disk is full (SQLSTATE 53100)',
		matching_due_at = now() - interval '2 hours' WHERE id = $1`, deadPending)
	r.fail(1, oneTenant, "crashed", "1 hour")
	exec(`UPDATE notification SET created_at = now() - interval '40 minutes', payload = jsonb_build_object('kind', kind)`)
	exec(`UPDATE notification_delivery SET created_at = now() - interval '40 minutes'`)
	insertOfferJobs(r.t, r.conn, "succeeded", "failed")
	exec(`INSERT INTO offer_delivery (job_id, created_at, error) VALUES ($1, now() - interval '2 hours', 'refused (HTTP 500)')`, offerJob(1))
	exec(`INSERT INTO event (tenant_id, kind, document_a_id, data, created_at, refused_at, dead_at, error) VALUES
		($1, 'match.created', gen_random_uuid(), '{}', now() - interval '2 hours', NULL, NULL, 'refused (HTTP 400)'),
		($1, 'match.created', gen_random_uuid(), '{}', now() - interval '4 days', now(), now(), 'refused (HTTP 400)')`, oneTenant)
	exec(`INSERT INTO event_receiver (since) VALUES (now())`)
	exec(`INSERT INTO offer_roster SELECT DISTINCT tenant_id, date, ''::bytea, 1, 0, ''::bytea FROM matchmaking_job`)
	exec(`ALTER TABLE offer DROP CONSTRAINT offer_tenant_id_date_user_id_fkey`)
	exec(`ALTER TABLE matchmaking_job DROP CONSTRAINT matchmaking_job_tenant_id_date_user_id_key`)
	exec(`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, job_status, input_digest, algorithm_version, offered_at, expires_at)
		SELECT $2, tenant_id, date, timezone, user_id, job_status, input_digest, algorithm_version, offered_at, expires_at
		FROM matchmaking_job WHERE id = $1`, offerJob(1), offerJob(9))
}

// runs runs a command of the table, and returns what it prints.
func (r *failedRig) runs(command string) string {
	r.t.Helper()
	args := strings.Fields(command)
	switch args[0] {
	case "aws":
		return r.logged()
	case "psql":
		_, sql, _ := strings.Cut(command, `-c "`)
		return strings.Repeat("a row\n", postgrestest.Value[int](r.t, r.conn, "SELECT count(*) FROM ("+strings.TrimSuffix(sql, `"`)+") AS q"))
	}
	if args[1] != "doctor" { // queues of a stack by their names: see TestDLQOfStack
		command = strings.TrimSuffix(command, " --stack matchbook-dev")
	}
	_, out, errOut := r.command(r.t.Context(), strings.Fields(command)[1:]...)
	return out + errOut
}

// logged are the logs about a message without an id, and about a file in no tenant's folder.
func (r *failedRig) logged() string {
	r.t.Helper()
	var logs [2]bytes.Buffer
	queue := must.Get(sqsjob.NewQueue(r.client, r.queueURL))(r.t)
	h := &sqsjob.Handler{Queue: queue, Log: slog.New(slog.NewJSONHandler(&logs[0], nil)),
		Runner: func(*slog.Logger) sqsjob.Runner { return &job.Runtime{Log: slog.New(slog.DiscardHandler)} }}
	must.Get(h.Handle(r.t.Context(), aws.SQSEvent{Records: []aws.SQSMessage{{MessageId: "m", Body: "x", EventSource: "aws:sqs",
		EventSourceARN: queue.ARN}}}))(r.t)
	in := &inbox.Inbox{Log: slog.New(slog.NewJSONHandler(&logs[1], nil))}
	must.Get(in.Take(r.t.Context(), `{"Records":[{"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{"object":{"key":"inbox/a.pdf"}}}]}`))(r.t)
	for _, log := range logs {
		if !strings.Contains(log.String(), "ERROR") {
			return "not found: " + log.String()
		}
	}
	return logs[0].String()
}

// levels are the levels that alarms watch; the sweep and the schedule measure them by the same methods.
func (r *failedRig) levels() string {
	r.t.Helper()
	db := postgrestest.Open(r.t, r.env[variable.DatabaseURL])
	letters := 0
	for _, f := range manifest.Functions() {
		queue := must.Get(sqsjob.NewQueue(r.client, r.env[f.QueueEnv()]))(r.t)
		letters += must.Get(queue.DeadLetters(r.t.Context()))(r.t).Waiting()
	}
	g := must.Get(db.JobsOf(postgres.Tables[manifest.Match.Name]).Gauges(r.t.Context(), []string{"slack"}))(r.t)
	sent := must.Get(events.ReadGauges(r.t.Context(), db))(r.t)
	_, sets, err := offers.New(db).Undelivered(r.t.Context())
	must.OK(r.t, err)
	duplicates := must.Get(offers.New(db).DuplicateOffers(r.t.Context(), must.Get(day.Parse("2026-03-29"))(r.t)))(r.t)
	return fmt.Sprintf("letters %d, overdue %.0f, untold %d, events %.0f, dead events %d, sets %.0f, duplicates %d", letters,
		g.OldestDue.Seconds(), g.Unsent, sent.Oldest.Seconds(), sent.Dead, sets.Seconds(), duplicates)
}

// mendAll mends the causes, and does what the page's last column says.
func (r *failedRig) mendAll() {
	r.t.Helper()
	accepts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	r.t.Cleanup(accepts.Close)
	const secret = "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="
	maps.Copy(r.env, map[string]string{variable.SlackWebhookURL: accepts.URL, variable.EventsWebhookURL: accepts.URL, variable.EventsWebhookSecret: secret,
		variable.OffersWebhookURL: accepts.URL, variable.OffersWebhookSecret: secret})
	postgrestest.Exec(r.t, r.conn, "DELETE FROM matchmaking_job WHERE id = $1", offerJob(9))
	for _, command := range []string{"events requeue", "dlq redrive", "publish --failed --all", "sweep"} {
		if _, out, errOut := r.command(r.t.Context(), strings.Fields(command)...); strings.Contains(errOut, "matchbook:") {
			r.t.Errorf("%s: %s%s", command, out, errOut)
		}
	}
	postgrestest.Exec(r.t, r.conn, `UPDATE document SET matching_status = 'succeeded', matching_due_at = NULL, matching_error = NULL`)
	r.command(r.t.Context(), "sweep")
}

// The errors are the product's, and the page has their remedies.
func TestErrorsKnown(t *testing.T) {
	t.Parallel()
	page := plainPage(t)
	left := map[string]bool{}
	for _, r := range explain.Remedies {
		if row := "| " + r.Words + " | " + r.Cause + " | " + r.Do + " |"; !strings.Contains(page, row) {
			t.Errorf("the page lacks %s", row)
		}
		for part := range strings.SplitSeq(r.Words, "model provider") { // a value in failure.Unanswered
			left[strings.TrimSpace(part)] = true
		}
	}
	must.OK(t, filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") ||
			strings.HasSuffix(path, "explain/remedy.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for words := range left {
			if bytes.Contains(text, []byte(words)) {
				delete(left, words)
			}
		}
		return err
	}))
	if len(left) > 0 {
		t.Errorf("no program has %v", left)
	}
}

// plainPage is OPERATE.md without code marks.
func plainPage(t *testing.T) string {
	t.Helper()
	return strings.ReplaceAll(string(must.Get(os.ReadFile("../../OPERATE.md"))(t)), "`", "")
}

// The words of the status mean the same in the help and on the page; the console shows the list itself.
func TestLegendEverywhere(t *testing.T) {
	t.Parallel()
	_, help, _ := matchbook(t, "", "status", "--help")
	help = strings.Join(strings.Fields(help), " ")
	for _, l := range status.Legend {
		if row := "| " + l.Word + " | " + l.Meaning + " |"; !strings.Contains(plainPage(t), row) {
			t.Errorf("the page lacks %s", row)
		}
		if !strings.Contains(help, l.Word+" "+l.Meaning) {
			t.Errorf("the help lacks %s: %s", l.Word, l.Meaning)
		}
	}
}
