package acceptance_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// command builds the command, once per test binary.
var command = built("matchbook/lambda/cmd/matchbook")

// matchbook runs the command as a person does, in a process of its own with
// these variables and no others.
func matchbook(t *testing.T, env []string, args ...string) (code int, out string) {
	t.Helper()
	file := must.Get(command())(t)
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Env = append(slices.Clone(env), "HOME="+t.TempDir(), "AWS_EC2_METADATA_DISABLED=true")
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), all.String()
}

// variableOf returns a variable of a function.
func variableOf(w *local.Consumer, name string) string {
	for _, v := range w.Env() {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return name + "=" + value
		}
	}
	return ""
}

// total returns that of the invoice's document.
func (o *office) total() string {
	o.t.Helper()
	return query[string](o.line, "SELECT structured_data ->> 'total' FROM document WHERE type = 'invoice'")
}

// A person uploads a folder, S3 sends its events, and the invoice is matched. To
// upload again changes nothing. What a person then corrects stays, whatever is
// read again.
func TestUploadAndCorrect(t *testing.T) {
	t.Parallel()
	bucket, folder := newBucket(t), t.TempDir()
	for _, name := range []string{"order-4711.xml", "invoice-with-xml.pdf"} {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(sampleFile(t, name)), 0o600))
	}
	o, inbox := newEntrance(t, bucket)
	bucket.Created = func(event string) {
		if err := inbox.Send(t.Context(), event); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		code, out := matchbook(t, bucket.Env(bucketOwner), "ingest", folder, "--bucket", bucketName, "--tenant", testTenant.String())
		want := "uploaded 2 of 2 files to s3://files/inbox/" + testTenant.String() + "/, 0 left out\n"
		if code != 0 || !strings.Contains(out, want) {
			t.Fatalf("exit status %d, got\n%s\nwant\n%s", code, out, want)
		}
		o.finish()
		check(t, "ingestions", o.numbers(), "PO-2026-4711 completed 1, RE-2026-118 completed 1")
		check(t, "matches", query[int](o.line, "SELECT count(*) FROM document_match"), 1)
		check(t, "messages to match", o.count(manifest.Match, sqs.Sent), 2)
	}
	check(t, "events", o.count(manifest.Inbox, sqs.Deleted), 4)

	o.correctsTotal()
	o.readsAgain()
	check(t, "the total after another run", o.total(), "1200")
	check(t, "matches", query[int](o.line, "SELECT count(*) FROM document_match"), 1)
}

func (o *office) correctsTotal() {
	o.t.Helper()
	check(o.t, "the total as it is read", o.total(), "1190")
	env := []string{variableOf(o.ingest, "DATABASE_URL"), variableOf(o.ingest, "MATCH_QUEUE_URL"),
		variableOf(o.ingest, "AWS_ENDPOINT_URL_SQS"), "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x"}
	code, out := matchbook(o.t, env, "correct", "RE-2026-118", "total=1200.00")
	if code != 0 || !strings.Contains(out, "stored, and published for matching") {
		o.t.Fatalf("exit status %d, %s", code, out)
	}
	o.finish()
	check(o.t, "the corrected total", o.total(), "1200")
	check(o.t, "messages to match", o.count(manifest.Match, sqs.Sent), 3)
}

// readsAgain publishes the ingestion of the invoice once more.
func (o *office) readsAgain() {
	o.t.Helper()
	id := query[uuid.UUID](o.line, "SELECT id FROM ingestion WHERE structured_data ->> 'number' = 'RE-2026-118'")
	publisher := &job.Publisher{Store: o.ingest.Jobs, Sender: o.ingest.Queue}
	must.OK(o.t, publisher.Publish(o.t.Context(), []uuid.UUID{id}))
	o.finish()
	check(o.t, "ingestions", o.numbers(), "PO-2026-4711 completed 1, RE-2026-118 completed 2")
	check(o.t, "the total that is printed", query[string](o.line,
		"SELECT structured_data ->> 'total' FROM ingestion WHERE structured_data ->> 'number' = 'RE-2026-118'"), "1190")
}

// What an upload lacks is named, and nothing of S3's text is shown.
func TestUploadErrors(t *testing.T) {
	t.Parallel()
	bucket := newBucket(t)
	owner := bucket.Env(bucketOwner)
	without := func(name string) []string {
		return slices.DeleteFunc(slices.Clone(owner), func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	for name, tc := range map[string]struct {
		env    []string
		bucket string
		want   string
	}{
		"no bucket":      {owner, "nowhere", "order-4711.xml: store the file: the bucket does not exist"},
		"no right":       {bucket.Env("stranger"), "files", "order-4711.xml: store the file: S3 denies access: these credentials lack a right"},
		"no region":      {without("AWS_REGION"), "files", "AWS_REGION is not set"},
		"no credentials": {without("AWS_ACCESS_KEY_ID"), "files", "missing AWS credentials: set AWS_PROFILE"},
		"no server":      {append(without("AWS_ENDPOINT_URL_S3"), "AWS_ENDPOINT_URL_S3=http://127.0.0.1:1"), "files", "store the file: file storage is away"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out := matchbook(t, tc.env, "ingest", filepath.Join("..", "..", "testdata", "files", "order-4711.xml"), "--bucket", tc.bucket,
				"--tenant", testTenant.String())
			if code != 2 || !strings.Contains(out, tc.want) || strings.Contains(out, "of the bucket") {
				t.Errorf("exit status %d, got\n%s\nwant 2 and %q", code, out, tc.want)
			}
		})
	}
	if keys := bucket.Keys(""); len(keys) > 0 {
		t.Errorf("stored %q", keys)
	}
}
