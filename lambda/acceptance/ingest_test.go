package acceptance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/ingestions"

	"github.com/google/uuid"
)

// office is a stack with ingest and match, and a folder as the store of files.
type office struct {
	*line
	ingest *local.Consumer
	files  string
	// onReceive is called when a message was received; may be nil. It must be set
	// before the first message, and be quick.
	onReceive func(body string)
	// onSent is the same for a message that was sent to a queue.
	onSent func(queue string)
}

func (o *office) event(e sqs.Event) {
	o.add(e)
	if e.Kind == sqs.Received && o.onReceive != nil {
		o.onReceive(e.Body)
	}
	if e.Kind == sqs.Sent && o.onSent != nil {
		o.onSent(e.Queue)
	}
}

// officeWorkers are a function's invocations at once: each is a process that has to
// start.
const officeWorkers = 2

func newOffice(t *testing.T, env ...string) *office {
	t.Helper()
	return newOfficeWith(t, func(c *local.FunctionConfig) { c.Env = append(c.Env, env...) })
}

func newOfficeWith(t *testing.T, option func(ingest *local.FunctionConfig), more ...local.FunctionConfig) *office {
	t.Helper()
	o := &office{files: t.TempDir()}
	o.line = newStage(t)
	functions := append([]local.FunctionConfig{{Row: manifest.Match}, {Row: manifest.Ingest}}, more...)
	for i := range functions {
		c := &functions[i]
		c.Bootstrap, c.Concurrency, c.Logs = bootstrap(t, c.Row.Package), officeWorkers, o.output()
		c.Env = append([]string{"MATCH_MODE=rules", "BLOB_URL=" + blob.FolderURL(o.files)}, c.Env...)
	}
	option(&functions[1])
	o.start(local.StackConfig{FrozenAt: testStart, OnEvent: o.event, Functions: functions})
	o.ingest = o.Consumers[1]
	return o
}

// again sends the message of an ingestion once more.
func (o *office) again(id uuid.UUID) {
	o.t.Helper()
	published := query[time.Time](o.line, "SELECT published_at FROM ingestion WHERE id = $1", id)
	must.Get(o.ingest.Queue.Send(o.t.Context(), []job.Stamped{{ID: id, PublishedAt: published, Tenant: testTenant}}))(o.t)
}

// lay puts a file into storage and publishes its ingestion.
func (o *office) lay(name string, content []byte) ingestion.Row {
	o.t.Helper()
	in, stamped := o.keep(name, content)
	must.Get(o.ingest.Queue.Send(o.t.Context(), stamped))(o.t)
	return in
}

// keep puts a file into storage, and its ingestion into the table.
func (o *office) keep(name string, content []byte) (ingestion.Row, []job.Stamped) {
	o.t.Helper()
	in := ingestion.Row{ID: uuid.New(), TenantID: testTenant, DocumentID: uuid.New()}
	in.FilePath = "documents/" + in.DocumentID.String() + filepath.Ext(name)
	must.OK(o.t, os.MkdirAll(filepath.Join(o.files, "documents"), 0o700))
	must.OK(o.t, os.WriteFile(filepath.Join(o.files, filepath.FromSlash(in.FilePath)), content, 0o600))
	stamped := must.Get(ingestions.New(o.DB).AddFile(o.t.Context(), in))(o.t)
	return in, stamped
}

// The files of testdata in, matches out: through both bootstraps, both queues
// and the store of files. Written by hand: each invoice belongs to the order that
// it cites, but the second of two-invoices.pdf, whose order is not there.
func TestIngestAndMatch(t *testing.T) {
	t.Parallel()
	ocr, want := "none", "G-501 PO-2026-4740, BW-90017 PO-2026-4720, RE-2026-118 PO-2026-4711"
	if _, err := exec.LookPath("tesseract"); err == nil {
		ocr, want = "tesseract", "4402 PO-2026-4731, "+want
	} else {
		t.Log("tesseract is not installed: the scan is not read")
	}
	o := newOffice(t, "OCR="+ocr)
	files := must.Get(filepath.Glob(filepath.Join("..", "..", "testdata", "files", "*")))(t)
	laid := map[string]uuid.UUID{}
	for _, file := range files {
		content := must.Get(os.ReadFile(file))(t)
		laid[filepath.Base(file)] = o.lay(file, content).ID
	}
	o.finish()
	got := query[string](o.line, `SELECT coalesce(string_agg(concat_ws(' ', i.structured_data ->> 'number', o.structured_data ->> 'number'), ', '
		ORDER BY length(i.structured_data ->> 'number'), i.structured_data ->> 'number'), '') FROM document_match
		JOIN document AS i ON i.id IN (document_a_id, document_b_id) AND i.type = 'invoice'
		JOIN document AS o ON o.id IN (document_a_id, document_b_id) AND o.type = 'purchase-order'`)
	if got != want {
		t.Errorf("matches: %s; want %s", got, want)
	}
	for name, id := range laid {
		state := query[string](o.line, "SELECT status || ' ' || attempts || ' ' || needs_human_review FROM ingestion WHERE id = $1", id)
		want := "completed 1 false"
		if name == "broken.pdf" || name == "scan.jpg" && ocr == "none" {
			want = "failed 1 true"
		}
		if state != want {
			t.Errorf("%s: %s, want %s: %s", name, state, want, query[string](o.line, "SELECT coalesce(error, array_to_string(review_reasons, '; ')) FROM ingestion WHERE id = $1", id))
		}
	}
	if n := query[int](o.line, "SELECT count(*) FROM notification WHERE subject = 'ingestion' AND kind = 'permanent'"); n < 1 {
		t.Errorf("%d notifications about files that cannot be read", n)
	}
}

// A program may add the row before its upload ends. The next attempt reads the file.
func TestFileComesLate(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "OCR=none")
	in, stamped := o.keep("invoice.pdf", []byte(sampleFile(t, "invoice.pdf")))
	path := filepath.Join(o.files, filepath.FromSlash(in.FilePath))
	must.OK(t, os.Rename(path, path+".part"))
	must.Get(o.ingest.Queue.Send(t.Context(), stamped))(t)
	state := func() string {
		return query[string](o.line, "SELECT concat_ws(' ', job_status, attempts, error) FROM ingestion WHERE id = $1", in.ID)
	}
	want := "pending 1 file " + in.FilePath + " not found in storage; upload it and publish the ingestion again"
	waitFor(t, "the file is missing", func() bool { return state() == want })
	must.OK(t, os.Rename(path+".part", path))
	o.finish()
	if got := state(); got != "succeeded 2" {
		t.Errorf("got %s", got)
	}
}
