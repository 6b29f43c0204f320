package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/jackc/pgx/v5"
)

// failedRig is a database with failed documents, and queues.
type failedRig struct {
	t        *testing.T
	conn     *pgx.Conn
	client   *awssqs.Client
	queueURL string // of the first
	env      map[string]string
}

func always() bool { return true }

// newFailedRig has the queues of these functions, or of match; sends is called before
// each request that sends, and says whether it gets through.
func newFailedRig(t *testing.T, sends func() bool, functions ...manifest.Function) *failedRig {
	t.Helper()
	queues := sqs.New(clock.New())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".SendMessageBatch") && !sends() {
			http.Error(w, "{}", http.StatusForbidden)
			return
		}
		queues.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_SQS": server.URL, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"} {
		t.Setenv(name, value)
	}
	r := &failedRig{t: t, env: map[string]string{variable.DatabaseURL: postgrestest.URL(t)}}
	r.conn = postgrestest.Conn(t, r.env[variable.DatabaseURL])
	r.client = awssqs.New(awssqs.Options{Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("x", "x", "")})
	if len(functions) == 0 {
		functions = append(functions, manifest.Match)
	}
	for _, f := range functions {
		r.env[f.QueueEnv()] = must.Get(local.CreateQueueWith(t.Context(), r.client, f.Name, f))(t).Queue
	}
	r.queueURL = r.env[functions[0].QueueEnv()]
	return r
}

const (
	oneTenant     = "10000000-0000-4000-8000-000000000001"
	anotherTenant = "20000000-0000-4000-8000-000000000001"
)

// fail stores n documents of a tenant that failed so, so long ago. Each failed
// another way before.
func (r *failedRig) fail(n int, tenant, kind, ago string) {
	r.t.Helper()
	postgrestest.Exec(r.t, r.conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ($1, 'one') ON CONFLICT DO NOTHING), d AS (
			INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_failed_at, matching_error, matching_attempts)
			SELECT gen_random_uuid(), $1, 'invoice', '{}', 'failed', now() - $4::text::interval, 'the cause of ' || $3::text, 2 FROM generate_series(1, $2) RETURNING id
		)
		INSERT INTO notification (tenant_id, document_id, kind, attempt, payload, created_at)
		SELECT $1, id, k.kind, k.attempt, '{}', now() FROM d, (VALUES ('other', 1), ($3::text, 2)) AS k (kind, attempt)`, tenant, n, kind, ago)
}

// run publishes what failed.
func (r *failedRig) run(ctx context.Context, args ...string) (code int, out, errOut string) {
	return r.command(ctx, append([]string{"publish", "--failed"}, args...)...)
}

// command runs a command; its environment names the database and the queues.
func (r *failedRig) command(ctx context.Context, args ...string) (code int, out, errOut string) {
	return clitest.RunIn(ctx, run, r.env, args...)
}

// prints wants a command to succeed, and to print this.
func (r *failedRig) prints(want string, args ...string) {
	r.t.Helper()
	if code, out, errOut := r.command(r.t.Context(), args...); code != cli.ExitOK || out != want {
		r.t.Errorf("%q: exit status %d, %q %q, want %q", args, code, out, errOut, want)
	}
}

// left compares the documents and messages that there are.
func (r *failedRig) left(want string) {
	r.t.Helper()
	if got := r.statuses() + ", messages " + r.messages(); got != want {
		r.t.Errorf("it left %s, want %s", got, want)
	}
}

// statuses counts the documents by status, and messages the messages that wait.
func (r *failedRig) statuses() (list string) {
	r.t.Helper()
	return postgrestest.Value[string](r.t, r.conn, `SELECT string_agg(matching_status || ' ' || n, ', ' ORDER BY matching_status)
		FROM (SELECT matching_status, count(*) AS n FROM document GROUP BY 1) AS s`)
}

func (r *failedRig) messages() string {
	r.t.Helper()
	out := must.Get(r.client.GetQueueAttributes(r.t.Context(), &awssqs.GetQueueAttributesInput{QueueUrl: &r.queueURL, AttributeNames: []types.QueueAttributeName{"ApproximateNumberOfMessages"}}))(r.t)
	return out.Attributes["ApproximateNumberOfMessages"]
}

//nolint:paralleltest // it sets the environment
func TestPublishFailed(t *testing.T) {
	r := newFailedRig(t, always)
	r.fail(5, oneTenant, "permanent", "1 hour")
	r.fail(4, oneTenant, "lost", "1 hour")
	r.fail(3, anotherTenant, "permanent", "1 hour")
	r.fail(2, oneTenant, "permanent", "10 days")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, `"selected":14,"kinds":{"lost":4,"permanent":10}`},
		{[]string{"--kind", "lost"}, `"selected":4,"kinds":{"lost":4}`},
		{[]string{"--kind", "crashed"}, `"selected":0,"kinds":{}`},
		{[]string{"--since", "2h"}, `"selected":12,"kinds":{"lost":4,"permanent":8}`},
		{[]string{"--since", "2000-01-01T00:00:00Z"}, `"selected":14,`},
		{[]string{"--since", "2999-01-01T00:00:00+01:00"}, `"selected":0,`},
		{[]string{"--tenant", anotherTenant, "--kind", "permanent"}, `"selected":3,"kinds":{"permanent":3}`},
	} {
		code, out, errOut := r.run(t.Context(), append(tc.args, "--dry-run", "--json")...)
		if code != cli.ExitOK || !strings.Contains(out, `{"dry_run":true,`+tc.want) {
			t.Errorf("%q: exit status %d, %q %q, want %q", tc.args, code, out, errOut, tc.want)
		}
	}
	code, out, _ := r.run(t.Context(), "--dry-run")
	if code != cli.ExitOK || !strings.HasPrefix(out, "14 failed documents would be published:\n      4  lost\n") || strings.Count(out, "the cause of permanent") != republish.Shown {
		t.Errorf("exit status %d,\n%s", code, out)
	}
	r.left("failed 14, messages 0")

	for _, want := range []string{"8 failed documents: published 8, unsent 0, skipped 0, left 0\n", "no failed document found\n"} {
		r.prints(want, "publish", "--failed", "--kind", "permanent", "--since", "2h")
		r.left("failed 6, pending 8, messages 8")
	}
}

// Ingestions go to the queue of the ingest function, and documents are left alone.
//
//nolint:paralleltest // it sets the environment
func TestPublishIngestions(t *testing.T) {
	r := newFailedRig(t, always, manifest.Ingest) // a queue of documents would be the wrong one
	r.fail(1, oneTenant, "transient", "1 hour")
	const broken, unread = "10000000-0000-4000-8000-000000000911", "10000000-0000-4000-8000-000000000912"
	for id, kind := range map[string]string{broken: "permanent", unread: "transient"} {
		postgrestest.Exec(t, r.conn, `WITH d AS (INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($1, $2, NULL)),
				i AS (INSERT INTO ingestion (id, tenant_id, document_id, file_path, job_status, failed_at, error, attempts)
					VALUES ($1, $2, $1, 'a.pdf', 'failed', now(), 'the cause of ' || $3::text, 3))
			INSERT INTO notification (tenant_id, subject, subject_id, kind, attempt, payload)
			VALUES ($2, 'ingestion', $1, $3, 3, '{}')`, id, oneTenant, kind)
	}
	publish := func(want string, args ...string) {
		t.Helper()
		r.prints(want, append([]string{"publish", "--ingestions"}, args...)...)
	}
	left := func(want string) {
		t.Helper()
		got := postgrestest.Value[string](t, r.conn, "SELECT string_agg(status || ' ' || coalesce(error, '-'), ', ' ORDER BY id) FROM ingestion")
		if got += "; documents " + r.statuses() + "; messages " + r.messages(); got != want {
			t.Errorf("it left %s, want %s", got, want)
		}
	}
	publish("2 failed ingestions would be published:\n      1  permanent\n         "+broken+"  the cause of permanent\n"+
		"      1  transient\n         "+unread+"  the cause of transient\n", "--failed", "--dry-run")
	left("failed the cause of permanent, failed the cause of transient; documents failed 1; messages 0")
	publish("1 failed ingestion: published 1, unsent 0, skipped 0, left 0\n", "--failed", "--kind", "transient")
	left("failed the cause of permanent, in-progress -; documents failed 1; messages 1")
	publish("published 1 ingestion\n", broken)
	left("in-progress -, in-progress -; documents failed 1; messages 2")
	publish("no failed ingestion found\n", "--failed")
}

// A failed chunk that is published opens its review again.
//
//nolint:paralleltest // it sets the environment
func TestPublishChunks(t *testing.T) {
	r := newFailedRig(t, always, manifest.Review)
	r.fail(1, oneTenant, "transient", "1 hour") // a document, which is left alone
	const chunk = "10000000-0000-4000-8000-000000000921"
	postgrestest.Exec(t, r.conn, `WITH d AS (INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($1, $2, NULL)),
			j AS (INSERT INTO review_job (id, tenant_id, document_id, status, chunks, chunks_open, gaps, ended_at)
				VALUES ($1, $2, $1, 'failed', 1, 0, 1, now())),
			c AS (INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, status, failed_at, error, attempts)
				VALUES ($1, $2, $1, 0, 0, 1, 'failed', now(), 'the model was away', 3))
		INSERT INTO notification (tenant_id, subject, subject_id, kind, attempt, payload)
		VALUES ($2, 'chunk', $1, 'transient', 3, '{}')`, chunk, oneTenant)
	publish := func(want string, args ...string) {
		t.Helper()
		r.prints(want, append([]string{"publish", "--chunks"}, args...)...)
	}
	publish("1 failed chunk would be published:\n      1  transient\n         "+chunk+"  the model was away\n", "--failed", "--dry-run")
	publish("1 failed chunk: published 1, unsent 0, skipped 0, left 0\n", "--failed", "--kind", "transient")
	got := postgrestest.Value[string](t, r.conn, `SELECT j.status || ', ' || chunks_open || ' open, ' || gaps || ' gaps, chunk ' || c.status
		FROM review_job AS j JOIN review_chunk AS c ON c.job_id = j.id`)
	if want := "running, 1 open, 0 gaps, chunk pending"; got != want || r.messages() != "1" {
		t.Errorf("got %s and %s messages, want %s and one", got, r.messages(), want)
	}
	publish("published 1 chunk\n", chunk)
}

// Interrupted, it finishes the batch that it has begun and says what is left;
// run again, it publishes the rest, and each document once.
//
//nolint:paralleltest // it sets the environment
func TestPublishInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	r := newFailedRig(t, func() bool { interrupt(); return true })
	const all = 2*republish.Batch + 7
	r.fail(all, oneTenant, "permanent", "1 hour")
	code, out, errOut := r.run(ctx, "--json")
	var report republish.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != cli.ExitError || !strings.Contains(errOut, "interrupted") {
		t.Fatalf("exit status %d, %q %q, %v", code, out, errOut, err)
	}
	if report.Published != republish.Batch || report.Left != all-republish.Batch || report.Unsent+report.Skipped != 0 {
		t.Errorf("got %+v", report)
	}
	r.left(fmt.Sprintf("failed %d, pending %d, messages %d", all-republish.Batch, republish.Batch, republish.Batch))
	if code, out, errOut := r.run(t.Context()); code != cli.ExitOK || !strings.HasPrefix(out, fmt.Sprintf("%d failed documents: published %[1]d,", all-republish.Batch)) {
		t.Errorf("the rest: exit status %d, %q %q", code, out, errOut)
	}
	r.left(fmt.Sprintf("pending %d, messages %[1]d", all))
}

// A queue that does not take messages ends it after a batch: the other
// documents stay failed, and the sweep sends what is pending.
//
//nolint:paralleltest // it sets the environment
func TestPublishQueueRefuses(t *testing.T) {
	r := newFailedRig(t, func() bool { return false })
	r.fail(republish.Batch+20, oneTenant, "permanent", "1 hour")
	code, out, errOut := r.run(t.Context())
	want := fmt.Sprintf("%d failed documents: published 0, unsent %d, skipped 0, left 20\n", republish.Batch+20, republish.Batch)
	if code != cli.ExitFindings || out != want || !strings.HasPrefix(errOut, "stopped: ") {
		t.Errorf("exit status %d, %q %q, want %q", code, out, errOut, want)
	}
	r.left(fmt.Sprintf("failed 20, pending %d, messages 0", republish.Batch))
}

// A database of a later version is refused before a document or the queue changes.
//
//nolint:paralleltest // it sets the environment
func TestPublishNewerSchema(t *testing.T) {
	r := newFailedRig(t, always)
	r.fail(3, oneTenant, "permanent", "1 hour")
	must.Get(r.conn.Exec(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"))(t)
	clitest.WantRefused(t, func(args ...string) (code int, out, errOut string) { return r.run(t.Context(), args...) },
		clitest.Refusals{{nil, "database schema version 99999"}})
	r.left("failed 3, messages 0")
}

func TestPublishFailedUsage(t *testing.T) {
	t.Parallel()
	wantRefused(t, "", "publish", clitest.Refusals{
		{[]string{"--failed", oneTenant}, "mutually exclusive"},
		{[]string{"--dry-run", oneTenant}, "--dry-run works only with it"},
		{[]string{}, "missing DOC"},
		{[]string{"--failed", "--kind", "bad"}, `--kind: unknown kind "bad"; expected one of transient, permanent, lost, crashed`},
		{[]string{"--failed", "--since", "yesterday"}, `--since: invalid value "yesterday"`},
		{[]string{"--failed", "--since", "-2h"}, `--since: invalid value "-2h"`},
		{[]string{"--failed", "--tenant", "7"}, `--tenant "7": not a UUID`},
		{[]string{"--failed"}, "missing database: set DATABASE_URL"},
	})
}
