package acceptance_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/reviews"

	"github.com/google/uuid"
)

// A contract goes through the real ingest function, and its review through the
// real review function, also where the process of ingest is killed between its
// commit and the sending of the chunks.
func TestIngestedContract(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		t.Run(map[bool]string{false: "", true: "killed after its commit"}[killed], func(t *testing.T) {
			t.Parallel()
			o := newOfficeWith(t, func(c *local.FunctionConfig) { c.Env = append(c.Env, "OCR=none") },
				local.FunctionConfig{Row: manifest.Review})
			var kills atomic.Int32
			o.onSent = func(queue string) { // ingest sends to match first
				if killed && queue == manifest.Match.Name && kills.Load() == 0 && o.ingest.Function.Kill(nil) {
					kills.Add(1)
				}
			}
			o.reviewsContract(t)
			if (kills.Load() == 1) != killed {
				t.Errorf("killed %d processes", kills.Load())
			}
		})
	}
}

func (o *office) reviewsContract(t *testing.T) {
	t.Helper()
	in := o.lay("contract.txt", []byte(testdata(t, "contracts/wartungsvertrag.txt")))
	o.finish()
	state := query[string](o.line, `SELECT concat_ws(', ', i.status, d.type, (SELECT count(*) FROM review_job WHERE document_id = d.id))
		FROM ingestion AS i JOIN document AS d ON d.id = i.document_id WHERE i.id = $1`, in.ID)
	if state != "completed, contract, 1" {
		t.Fatalf("the ingestion: %s", state)
	}
	id := query[uuid.UUID](o.line, "SELECT id FROM review_job WHERE document_id = $1", in.DocumentID)
	review, err := reviews.New(o.DB).Job(t.Context(), id)
	if err != nil || review.Status != "completed" || review.TenantID != testTenant || review.Gaps != 0 {
		t.Errorf("the review: %+v, %v", review, err)
	}
	check(t, "findings", review.Findings, 9) // byRules
	text, err := reviews.New(o.DB).Text(t.Context(), id)
	if err != nil || !strings.Contains(text, "Zargenwerk haftet unbeschränkt") {
		t.Errorf("its text: %.300q, %v", text, err)
	}
	// The message of the ingestion once more starts nothing.
	o.again(in.ID)
	o.finish()
	check(t, "reviews after a duplicate", query[int](o.line, "SELECT count(*) FROM review_job"), 1)
}

// Where contracts are not reviewed, they are ingested all the same.
func TestIngestWithoutReview(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "OCR=none")
	in := o.lay("contract.txt", []byte("Mietvertrag\nVertragsnummer: V-7\nDie Miete ist am Ersten fällig.\n"))
	o.finish()
	state := query[string](o.line, "SELECT status || ', ' || (SELECT count(*) FROM review_job) FROM ingestion WHERE id = $1", in.ID)
	if state != "completed, 0" {
		t.Errorf("the ingestion: %s", state)
	}
}

// The real web function reviews a document that was ingested, by its id.
func TestReviewDocumentByURL(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	read := transcript.Transcription{Engine: "text", Version: "1", Pages: []transcript.Page{
		{Number: 1, Quality: 1, Lines: []transcript.Line{{Text: "Invoice 7", Confidence: 1}}},
		{Number: 2, Quality: 1, Lines: []transcript.Line{{Text: "The Supplier is liable without limit.", Confidence: 1}}}}}
	encoded := must.Get(read.Encode())(t)
	const key = "ingestions/7/transcription.json"
	must.OK(t, os.MkdirAll(filepath.Join(c.files, filepath.Dir(key)), 0o700))
	must.OK(t, os.WriteFile(filepath.Join(c.files, key), encoded, 0o600))
	document, unread, foreign, other := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	c.exec("INSERT INTO tenant VALUES ($1, 'A'), ($2, 'B')", testTenant, other)
	for id, tenant := range map[uuid.UUID]uuid.UUID{document: testTenant, unread: testTenant, foreign: other} {
		c.exec("INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($1, $2, NULL)", id, tenant)
	}
	for id, tenant := range map[uuid.UUID]uuid.UUID{document: testTenant, foreign: other} {
		c.exec(`INSERT INTO ingestion (id, tenant_id, document_id, pages, job_status, completed_at, transcription_file_path)
			VALUES ($1, $2, $3, '{2}', 'succeeded', $4, $5)`, uuid.New(), tenant, id, time.Now(), key)
	}
	post := func(to any, want int, id uuid.UUID) {
		t.Helper()
		c.json(to, want, c.token, "POST", "/reviews", `{"document_id":"`+id.String()+`"}`)
	}
	var started struct{ ID uuid.UUID }
	post(&started, http.StatusAccepted, document)
	review, err := reviews.New(c.DB).Job(t.Context(), started.ID)
	if err != nil || review.DocumentID != document || review.Chunks != 1 {
		t.Errorf("the review: %+v, %v", review, err)
	}
	if text, err := reviews.New(c.DB).Text(t.Context(), started.ID); err != nil || text != "The Supplier is liable without limit." {
		t.Errorf("its text: %q, %v", text, err)
	}
	var unknown, others, early json.RawMessage
	post(&unknown, http.StatusNotFound, uuid.New())
	if post(&others, http.StatusNotFound, foreign); string(unknown) != string(others) {
		t.Errorf("another tenant's document: %s, an unknown one: %s", others, unknown)
	}
	if post(&early, http.StatusUnprocessableEntity, unread); !strings.Contains(string(early), "document_id: document not transcribed yet") {
		t.Errorf("a document that was not read: %s", early)
	}
}
