package main

import (
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// deadLetter puts a message into a function's dead-letter queue. stamp is its publish stamp, if any.
func (r *failedRig) deadLetter(f manifest.Function, body, stamp string) {
	r.t.Helper()
	in := &awssqs.SendMessageInput{QueueUrl: aws.String(r.env[f.QueueEnv()] + "-dlq"), MessageBody: &body}
	if stamp != "" {
		in.MessageAttributes = map[string]types.MessageAttributeValue{manifest.PublishedAt: {DataType: aws.String("String"), StringValue: &stamp}}
	}
	must.Get(r.client.SendMessage(r.t.Context(), in))(r.t)
}

// inDLQ counts the messages in a function's dead-letter queue.
func (r *failedRig) inDLQ(f manifest.Function, want string) {
	r.t.Helper()
	out := must.Get(r.client.GetQueueAttributes(r.t.Context(), &awssqs.GetQueueAttributesInput{QueueUrl: aws.String(r.env[f.QueueEnv()] + "-dlq"),
		AttributeNames: []types.QueueAttributeName{"ApproximateNumberOfMessages"}}))(r.t)
	if got := out.Attributes["ApproximateNumberOfMessages"]; got != want {
		r.t.Errorf("%s messages in the dead-letter queue of %s, want %s", got, f.Name, want)
	}
}

// Documents of the dead letters.
const (
	deadTransient = "10000000-0000-4000-8000-000000000931"
	deadPermanent = "10000000-0000-4000-8000-000000000932"
	deadSucceeded = "10000000-0000-4000-8000-000000000933"
	deadPublished = "10000000-0000-4000-8000-000000000934"
	deadPending   = "10000000-0000-4000-8000-000000000935"
	deadDeleted   = "10000000-0000-4000-8000-000000000936"

	deadStamp  = "2026-03-02T12:00:00.000000Z"
	laterStamp = "2026-03-02T12:30:00.000000Z"
)

// newDLQRig has a dead letter in each state, and one of the inbox.
func newDLQRig(t *testing.T) *failedRig {
	t.Helper()
	r := newFailedRig(t, always, manifest.Functions()...)
	postgrestest.Exec(t, r.conn, "INSERT INTO tenant (id, name) VALUES ($1, 'one'), ($2, 'another')", oneTenant, anotherTenant)
	for _, d := range []struct{ id, tenant, status, stamp string }{
		{deadTransient, oneTenant, "failed", deadStamp},
		{deadPermanent, anotherTenant, "failed", deadStamp},
		{deadSucceeded, oneTenant, "succeeded", deadStamp},
		{deadPublished, oneTenant, "pending", laterStamp},
		{deadPending, oneTenant, "pending", deadStamp},
	} {
		postgrestest.Exec(t, r.conn, `INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_failed_at,
				matching_error, matching_attempts, matching_published_at)
			VALUES ($1, $2, 'invoice', '{}', $3, CASE $3 WHEN 'failed' THEN now() END, CASE $3 WHEN 'failed' THEN 'storage is away' END, 3, $4)`,
			d.id, d.tenant, d.status, d.stamp)
		r.deadLetter(manifest.Match, d.id, deadStamp)
	}
	r.deadLetter(manifest.Match, deadDeleted, deadStamp)
	r.deadLetter(manifest.Inbox, `{"Records":[{}]}`, "")
	for id, kind := range map[string]string{deadTransient: "transient", deadPermanent: "permanent"} {
		postgrestest.Exec(t, r.conn, `INSERT INTO notification (tenant_id, document_id, kind, attempt, payload)
			SELECT tenant_id, id, $2, 3, '{}' FROM document WHERE id = $1`, id, kind)
	}
	postgrestest.Exec(t, r.conn, `INSERT INTO model_answer (tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens)
		VALUES ($1, 'gpt-4.1-mini', 'q', $2, '{}', 10000, 500)`, oneTenant, deadTransient) // 0.4 and 1.6 USD per million
	return r
}

// recorded compares the record of what people did to dead letters.
func (r *failedRig) recorded(want string) {
	r.t.Helper()
	got := postgrestest.Value[string](r.t, r.conn, `SELECT coalesce(string_agg(concat_ws(' ', kind, function, right(row_id::text, 3), acted_by, reason),
		', ' ORDER BY id), '') FROM dead_letter_action WHERE message_id <> '' OR kind = 'redrive'`)
	if got != want {
		r.t.Errorf("recorded %q, want %q", got, want)
	}
}

//nolint:paralleltest // it sets the environment
func TestDLQList(t *testing.T) {
	r := newDLQRig(t)
	for range 2 { // reading leaves them there
		code, out, errOut := r.command(t.Context(), "dlq", "list")
		got := regexp.MustCompile(`expires \S+ \S+Z`).ReplaceAllString(out, "expires T")
		got = regexp.MustCompile(`message [^ ,]+`).ReplaceAllString(got, "message M")
		want := `match: 2 failed, 0 without a row, 1 waiting, 3 done
  failed   10000000-0000-4000-8000-000000000932  permanent, 3 attempts, expires T
           storage is away
  failed   10000000-0000-4000-8000-000000000931  transient, 3 attempts, 0.0048 USD, expires T
           storage is away
  waiting  10000000-0000-4000-8000-000000000935, expires T
           its row is pending; the sweep goes on with it
  done     10000000-0000-4000-8000-000000000933, expires T
           its row has succeeded
  done     10000000-0000-4000-8000-000000000934, expires T
           its row was published again, and is pending
  done     10000000-0000-4000-8000-000000000936, expires T
           its row was deleted
inbox: 0 failed, 1 without a row, 0 waiting, 0 done
  no-row   message M, expires T
           it names no row

Once the cause is fixed: matchbook dlq redrive --dry-run

The sweep drops the done ones within ten minutes. To end their alarm now: matchbook dlq drop
`
		if code != cli.ExitFindings || got != want || errOut != "" {
			t.Fatalf("exit status %d, %s\ngot\n%s\nwant\n%s", code, errOut, got, want)
		}
	}
	r.inDLQ(manifest.Match, "6")
	for args, want := range map[string]string{
		"--kind transient": `"letters": 1`, "--tenant " + anotherTenant: `"letters": 1`, "--function inbox": `"letters": 1`,
		"--function review": `"letters": 0`, deadDeleted: `"letters": 1`} {
		_, out, errOut := r.command(t.Context(), append([]string{"dlq", "list", "--json"}, strings.Fields(args)...)...)
		if n := strings.Count(out, `"message_id"`); `"letters": `+itoa(n) != want {
			t.Errorf("%s: %d letters, want %s\n%s%s", args, n, want, out, errOut)
		}
	}
}

//nolint:paralleltest // it sets the environment
func TestDLQDrop(t *testing.T) {
	r := newDLQRig(t)
	r.prints("would drop 3 dead letters, kept 4 that need work\n", "dlq", "drop", "--dry-run")
	r.inDLQ(manifest.Match, "6")
	r.prints("dropped 3 dead letters, kept 4 that need work\n", "dlq", "drop", "--by", "ada")
	r.inDLQ(manifest.Match, "3")
	r.prints("dropped 1 dead letter, kept 0 that need work\n", "dlq", "drop", deadPermanent, "--by", "ada", "--reason", "sent by mail")
	r.inDLQ(manifest.Match, "2")
	r.left("failed 2, pending 2, succeeded 1, messages 0") // no row changed
	r.recorded("drop match 933 ada , drop match 934 ada , drop match ada , drop match 932 ada sent by mail")
}

// The alarm about what is done ends without a person.
//
//nolint:paralleltest // it sets the environment
func TestSweepDropsDone(t *testing.T) {
	r := newDLQRig(t)
	_, out, errOut := r.command(t.Context(), "sweep")
	wantIn(t, out, "\ndropped 3 dead letters with nothing left to do\n")
	r.inDLQ(manifest.Match, "3") // failed and waiting ones stay, visible
	r.inDLQ(manifest.Inbox, "1")
	if errOut != "" && strings.Contains(errOut, "level=WARN msg=\"settling") {
		t.Error(errOut)
	}
	r.recorded("drop match 933 sweep nothing is left to do, drop match 934 sweep nothing is left to do, drop match sweep nothing is left to do")
	postgrestest.Exec(t, r.conn, "UPDATE document SET matching_status = 'succeeded', matching_due_at = NULL, matching_failed_at = NULL, matching_error = NULL")
	r.command(t.Context(), "sweep")
	r.inDLQ(manifest.Match, "0")
}

//nolint:paralleltest // it sets the environment
func TestDLQRedrive(t *testing.T) {
	r := newDLQRig(t)
	r.prints("3 dead letters would be redriven\n      1  permanent\n      1  transient\n      1  unknown\n4 others not failed: matchbook dlq list\n",
		"dlq", "redrive", "--dry-run")
	r.left("failed 2, pending 2, succeeded 1, messages 0")
	r.prints("1 dead letter: redriven 1, failed again so far 0, left 0\n", "dlq", "redrive", "--kind", "transient", "--rate", "2", "--by", "ada")
	r.left("failed 1, pending 3, succeeded 1, messages 1")
	r.inDLQ(manifest.Match, "5")
	if got := clitest.Receive(t, r.client, r.queueURL); len(got) != 1 || got[0] != deadTransient {
		t.Errorf("received %v, want the redriven document", got)
	}
	r.prints("1 dead letter: redriven 1, failed again so far 0, left 0\n", "dlq", "redrive", "--function", "inbox", "--by", "ada")
	r.inDLQ(manifest.Inbox, "0")
	if got := clitest.Receive(t, r.client, r.env[manifest.Inbox.QueueEnv()]); len(got) != 1 || got[0] != `{"Records":[{}]}` {
		t.Errorf("received %v, want the event as it was", got)
	}
	r.recorded("redrive match 931 ada , redrive inbox ada ")
}

// As if the cause were not fixed: each published document has an error at once.
//
//nolint:paralleltest // it sets the environment
func TestRedriveStops(t *testing.T) {
	r := newDLQRig(t)
	postgrestest.Exec(t, r.conn, `CREATE FUNCTION fails_again() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN NEW.matching_error = 'storage is away'; RETURN NEW; END $$`)
	postgrestest.Exec(t, r.conn, `CREATE TRIGGER fails_again BEFORE UPDATE ON document FOR EACH ROW
		WHEN (NEW.matching_status = 'pending') EXECUTE FUNCTION fails_again()`)
	code, out, _ := r.command(t.Context(), "dlq", "redrive", "--rate", "1")
	want := "2 dead letters: redriven 1, failed again so far 1, left 1\n4 others not failed: matchbook dlq list\n" +
		"stopped: 1 of 1 redriven document failed again; see matchbook dlq list, or matchbook explain ID\n"
	if code != cli.ExitFindings || out != want {
		t.Errorf("exit status %d, got\n%s\nwant\n%s", code, out, want)
	}
	r.inDLQ(manifest.Match, "5") // what was not reached stays, visible
}

// With matchbook serve, whose queues are in its memory, failed rows stand for dead letters.
//
//nolint:paralleltest // it sets the environment
func TestDLQWithoutQueues(t *testing.T) {
	r := newDLQRig(t)
	env := map[string]string{variable.DatabaseURL: r.env[variable.DatabaseURL]}
	r.env = env
	code, out, errOut := r.command(t.Context(), "dlq", "list")
	if code != cli.ExitFindings || !strings.HasPrefix(out, "match: 2 failed,") || !strings.Contains(errOut, "no queue is set") {
		t.Errorf("exit status %d, %s%s", code, out, errOut)
	}
	r.prints("2 dead letters: redriven 2, failed again so far 0, left 0\n", "dlq", "redrive")
	if got, want := r.statuses(), "pending 4, succeeded 1"; got != want {
		t.Errorf("it left %s, want %s", got, want)
	}
	r.prints("dropped 0 dead letters, kept 0 that need work\n", "dlq", "drop")
}

// A deleted tenant leaves no id in a dead-letter queue, nor in the record of what was dropped.
//
//nolint:paralleltest // it sets the environment
func TestDeleteDropsLetters(t *testing.T) {
	r := newDLQRig(t)
	r.deadLetter(manifest.Inbox, `{"Records":[{"s3":{"object":{"key":"inbox/`+oneTenant+`/a.pdf"}}}]}`, "")
	code, out, errOut := r.command(t.Context(), "delete", "--tenant", oneTenant, "--confirm", oneTenant)
	if code != cli.ExitOK || errOut != "" || !strings.Contains(out, "\n6 dead letters deleted\n") {
		t.Errorf("exit status %d, got %s%s", code, out, errOut)
	}
	r.inDLQ(manifest.Match, "1") // of the other tenant
	r.inDLQ(manifest.Inbox, "1")
	var records, named int
	must.OK(t, r.conn.QueryRow(t.Context(), "SELECT count(*), count(row_id) + count(tenant_id) FROM dead_letter_action").Scan(&records, &named))
	if records != 6 || named != 0 {
		t.Errorf("%d records with %d ids, want 6 without", records, named)
	}
}

//nolint:paralleltest // it sets the environment
func TestDLQOfStack(t *testing.T) {
	r := newFailedRig(t, always)
	must.Get(r.client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: aws.String("matchbook-dev-match")}))(t)
	r.prints("no failed rows\n", "status", "--failed", "--stack", "matchbook-dev")
	code, out, errOut := r.command(t.Context(), "dlq", "list", "--stack", "matchbook-dev")
	if want := "ingest: not read, because its queue is not set\n"; code != cli.ExitOK || !strings.Contains(out, want) {
		t.Errorf("exit status %d, %s%s, want %q", code, out, errOut, want)
	}
	clitest.WantRefused(t, func(args ...string) (code int, out, errOut string) { return r.command(t.Context(), args...) }, clitest.Refusals{
		{[]string{"dlq", "list", "--stack", "matchbook-prod"}, `unknown stack "matchbook-prod": missing queue matchbook-prod-match`},
		{[]string{"dlq", "list", "--function", "mail"}, `unknown --function "mail"`},
		{[]string{"dlq", "redrive", "--rate", "0"}, "invalid --rate 0"},
		{[]string{"dlq", "drop", "7"}, `invalid ID "7"`},
	})
}

// One command publishes what failed in all workloads, and their dead letters end with it.
//
//nolint:paralleltest // it sets the environment
func TestPublishAllFailed(t *testing.T) {
	r := newDLQRig(t)
	postgrestest.Exec(t, r.conn, `INSERT INTO ingestion (id, tenant_id, document_id, file_path, job_status, failed_at, error, attempts, published_at)
		VALUES ($1, $2, $1, 'a.pdf', 'failed', now(), 'the model is away', 3, $3)`, deadTransient, oneTenant, deadStamp)
	r.deadLetter(manifest.Ingest, deadTransient, deadStamp)
	r.prints("2 failed documents would be published:\n      1  permanent\n         "+deadPermanent+"  storage is away\n"+
		"      1  transient\n         "+deadTransient+"  storage is away\n"+
		"1 failed ingestion would be published:\n      1  unknown\n         "+deadTransient+"  the model is away\n"+
		"no failed chunk found\nno failed job found\n", "publish", "--failed", "--all", "--dry-run")
	r.inDLQ(manifest.Match, "6")
	r.prints("2 failed documents: published 2, unsent 0, skipped 0, left 0\ndropped 5 dead letters with nothing left to do\n"+
		"1 failed ingestion: published 1, unsent 0, skipped 0, left 0\ndropped 1 dead letter with nothing left to do\n"+
		"no failed chunk found\nno failed job found\n", "publish", "--failed", "--all")
	r.inDLQ(manifest.Match, "1") // of a row that is pending under the same message: the sweep's
	r.inDLQ(manifest.Ingest, "0")
	r.left("pending 4, succeeded 1, messages 2")
	r.prints(`[{"workload":"match","dry_run":false,"selected":0,"kinds":{},"published":0,"unsent":0,"skipped":0,"left":0},`+
		`{"workload":"ingest","dry_run":false,"selected":0,"kinds":{},"published":0,"unsent":0,"skipped":0,"left":0},`+
		`{"workload":"review","dry_run":false,"selected":0,"kinds":{},"published":0,"unsent":0,"skipped":0,"left":0},`+
		`{"workload":"offer","dry_run":false,"selected":0,"kinds":{},"published":0,"unsent":0,"skipped":0,"left":0}]`+"\n",
		"publish", "--failed", "--all", "--json")
}
