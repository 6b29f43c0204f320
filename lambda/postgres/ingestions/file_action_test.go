package ingestions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// byAnna is an action at a document as it is now.
func (f *files) byAnna(doc uuid.UUID) postgres.Action {
	f.T.Helper()
	return postgres.Action{ID: uuid.New(), By: "Anna", Reason: "so", Seen: must.Get(ingestions.New(f.DB).FileVersion(f.T.Context(), doc))(f.T)}
}

// doubtful reads a file of n pages into a document a person must look at.
func (f *files) doubtful(n int) (file, doc uuid.UUID) {
	f.T.Helper()
	file = f.new()
	docs := f.read(file)
	docs[0].Valid, docs[0].Reasons, docs[0].Account = false, []string{"the date is missing"}, &ingestion.Account{Pages: n}
	f.complete(file, docs)
	return file, docs[0].DocumentID
}

// waiting counts the files that wait for a person.
func (f *files) waiting() int {
	f.T.Helper()
	return must.Get(report.From(f.DB).WaitingCounts(f.T.Context(), report.WaitingFilter{Tenant: tenant}))(f.T)[report.WaitingFile]
}

func (f *files) data(doc uuid.UUID) string {
	f.T.Helper()
	return postgrestest.Value[string](f.T, f.Conn, "SELECT structured_data ->> 'number' || ' ' || (structured_data ->> 'total') FROM document WHERE id = $1", doc)
}

func TestFinishSettlesReasons(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	_, doc := f.doubtful(1)
	postgrestest.Equal(t, "waiting", f.waiting(), 1)
	f.Exec("UPDATE document SET structured_data = structured_data || '{\"notes\":\"by another program\"}'")
	a := f.byAnna(doc)
	for range 2 { // a double click
		stamped, _, err := ingestions.New(f.DB).Finish(t.Context(), doc, a, map[string]json.RawMessage{"total": json.RawMessage(`"120.00"`)})
		must.OK(t, err)
		if len(stamped) == 1 && stamped[0].ID != doc {
			t.Errorf("published %v", stamped)
		}
	}
	postgrestest.Equal(t, "corrections", postgrestest.Value[int](t, f.Conn, "SELECT count(*) FROM document_correction"), 1)
	postgrestest.Equal(t, "values", f.data(doc), "7 120.00")
	postgrestest.Equal(t, "notes", postgrestest.Value[string](t, f.Conn, "SELECT structured_data ->> 'notes' FROM document"), "by another program")
	postgrestest.Equal(t, "waiting", f.waiting(), 0)
	late := postgres.Action{ID: uuid.New(), By: "Ben", Seen: a.Seen}
	if _, _, err := ingestions.New(f.DB).Finish(t.Context(), doc, late, nil); !errors.Is(err, postgres.ErrStale) {
		t.Errorf("a stale form: %v", err)
	}
	if _, _, err := ingestions.New(f.DB).Finish(t.Context(), uuid.New(), late, nil); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("an unknown document: %v", err)
	}
}

// What a person sees makes a form stale if it changes. An earlier reading of the file is nothing
// that they see.
func TestFileVersionChanges(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file, doc := f.doubtful(1)
	f.Exec(`INSERT INTO ingestion (id, tenant_id, document_id, file_path, created_at)
		SELECT $1, tenant_id, document_id, 'documents/old.pdf', created_at - interval '1 day' FROM ingestion`, num(9))
	was := map[string]bool{f.byAnna(doc).Seen: true}
	for _, change := range []string{
		"ingestion SET needs_human_review = false", "ingestion SET attempts = attempts + 1", "ingestion SET published_at = now() + interval '1 hour'",
		"ingestion SET job_status = 'pending'", "document SET type = 'credit-note'", "document SET structured_data = '{}'",
		"document SET matching_status = NULL", "document SET matching_error = 'out of time'", "document SET matching_attempts = 7",
		"document SET matching_published_at = now() + interval '1 hour'",
	} {
		f.Exec("UPDATE "+change+" WHERE id IN ($1, $2)", file, doc)
		if now := f.byAnna(doc).Seen; was[now] {
			t.Errorf("%s: the version is an old one", change)
		} else {
			was[now] = true
		}
	}
	f.Exec("UPDATE ingestion SET needs_human_review = true, attempts = 9 WHERE id = $1", num(9))
	if !was[f.byAnna(doc).Seen] {
		t.Error("an earlier reading changes the version")
	}
	postgrestest.Equal(t, "file", must.Get(report.From(f.DB).Sheet(t.Context(), doc))(t).File, file)
	postgrestest.Equal(t, "read again", must.Get(ingestions.New(f.DB).ReadAgain(t.Context(), doc, f.byAnna(doc), false))(t)[0].ID, file)
}

// A person types what could not be read: the failed file waits for nobody then.
func TestFailedFileIsTyped(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file := f.new()
	f.Exec("UPDATE ingestion SET job_status = 'failed', failed_at = now(), error = 'no text' WHERE id = $1", file)
	doc := f.documentOf(file)
	postgrestest.Equal(t, "waiting", f.waiting(), 1)
	_, _, err := ingestions.New(f.DB).Finish(t.Context(), doc, f.byAnna(doc), map[string]json.RawMessage{
		"type": json.RawMessage(`"invoice"`), "number": json.RawMessage(`"8"`), "total": json.RawMessage(`"1"`)})
	must.OK(t, err)
	postgrestest.Equal(t, "waiting", f.waiting(), 0)
	postgrestest.Equal(t, "values", f.data(doc), "8 1")
	postgrestest.Equal(t, "needs a person", postgrestest.Value[bool](t, f.Conn, "SELECT needs_human_review FROM document"), false)
	stamped := must.Get(ingestions.New(f.DB).ReadAgain(t.Context(), doc, f.byAnna(doc), false))(t)
	if len(stamped) != 1 || stamped[0].ID != file {
		t.Errorf("published %v, want the file", stamped)
	}
	postgrestest.Equal(t, "the file", string(f.state(file).Status), "pending")
}

func TestReadAgainFresh(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file, doc := f.doubtful(1)
	f.Exec("UPDATE ingestion SET transcription_file_path = 't', preprocessed_file_path = 'p'")
	for i, want := range []string{"tp", ""} {
		must.Get(ingestions.New(f.DB).ReadAgain(t.Context(), doc, f.byAnna(doc), i == 1))(t)
		in := must.Get(f.store.Ingestion(t.Context(), file))(t)
		postgrestest.Equal(t, "text and repaired page", in.Transcription+in.Preprocessed, want)
	}
	f.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_due_at)
		VALUES ($1, $2, 'invoice', '{"number":"1"}', now())`, num(1), tenant)
	if _, err := ingestions.New(f.DB).ReadAgain(t.Context(), num(1), f.byAnna(num(1)), true); !errors.Is(err, ingestions.ErrNoFile) {
		t.Errorf("without a file: %v", err)
	}
}

// What is no business document is matched no more; reading its file again takes that back.
func TestDismissedMatchesNothing(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file, doc := f.doubtful(1)
	stamped := must.Get(ingestions.New(f.DB).Dismiss(t.Context(), doc, f.byAnna(doc)))(t)
	if len(stamped) != 1 || stamped[0].ID != doc {
		t.Errorf("published %v", stamped)
	}
	postgrestest.Equal(t, "values", postgrestest.Value[string](t, f.Conn, "SELECT structured_data::text FROM document"), "{}")
	postgrestest.Equal(t, "waiting", f.waiting(), 0)
	for _, never := range []string{"type = NULL", "matching_status = NULL, type = 'invoice'"} {
		f.Exec(`UPDATE document SET structured_data = '{"number":"8"}', ` + never)
		if stamped := must.Get(ingestions.New(f.DB).Dismiss(t.Context(), doc, f.byAnna(doc)))(t); len(stamped) != 0 {
			t.Errorf("%s: published %v, which was never matched", never, stamped)
		}
	}
	must.Get(ingestions.New(f.DB).ReadAgain(t.Context(), doc, f.byAnna(doc), false))(t)
	f.complete(file, f.read(file))
	postgrestest.Equal(t, "values", f.data(doc), "7 119")
}

// Joined pages leave one document to match; corrections of the parts are dropped.
func TestDividePages(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file, doc := f.doubtful(2)
	part := ingestion.Extracted{ID: uuid.New(), DocumentID: uuid.New(), Valid: true, Extraction: invoice(t, `{"number":"8","total":"50.00"}`)}
	both := append(f.read(file), part)
	both[0].Account = &ingestion.Account{Pages: 2}
	f.Exec("UPDATE ingestion SET job_status = 'pending'")
	f.complete(file, both)
	for _, id := range []uuid.UUID{doc, part.DocumentID} {
		f.Exec("INSERT INTO document_correction (tenant_id, document_id, field, value) VALUES ($1, $2, 'total', '\"169.00\"')", tenant, id)
	}
	for _, begins := range [][]int{nil, {2}, {1, 1}, {1, 3}} {
		if _, err := ingestions.New(f.DB).Divide(t.Context(), doc, f.byAnna(doc), begins); !errors.Is(err, ingestions.ErrNoSuchPage) {
			t.Errorf("%v: %v", begins, err)
		}
	}
	f.Exec("UPDATE ingestion SET page_account = NULL, pages = CASE WHEN part_of IS NULL THEN '{1}' ELSE '{2,3}' END::integer[]")
	for _, id := range []uuid.UUID{doc, part.DocumentID} { // read before pages were counted
		s := must.Get(report.From(f.DB).Sheet(t.Context(), id))(t)
		postgrestest.Equal(t, "pages, and where documents begin", fmt.Sprint(s.File == file, s.Of, s.Begins), "true 3 [1 2]")
	}
	f.Exec("UPDATE ingestion SET page_account = '{\"pages\":2}', pages = NULL WHERE id = $1", file)
	f.Exec("UPDATE ingestion SET extraction_model = 'einvoice'")
	if _, err := ingestions.New(f.DB).Divide(t.Context(), doc, f.byAnna(doc), []int{1, 2}); !errors.Is(err, ingestions.ErrElectronic) {
		t.Errorf("an e-invoice: %v", err)
	}
	f.Exec("UPDATE ingestion SET extraction_model = 'rules'")
	stamped := must.Get(ingestions.New(f.DB).Divide(t.Context(), part.DocumentID, f.byAnna(part.DocumentID), []int{1}))(t)
	if len(stamped) != 1 || stamped[0].ID != file {
		t.Fatalf("published %v", stamped)
	}
	postgrestest.Equal(t, "corrections", postgrestest.Value[int](t, f.Conn, "SELECT count(*) FROM document_correction"), 0)
	if got := must.Get(f.store.Ingestion(t.Context(), file))(t).Begins; len(got) != 1 || got[0] != 1 {
		t.Errorf("begins %v", got)
	}
	var ids []string
	for _, s := range f.complete(file, f.read(file)) {
		ids = append(ids, s.ID.String())
	}
	if text := strings.Join(ids, " "); !strings.Contains(text, doc.String()) || !strings.Contains(text, part.DocumentID.String()) {
		t.Errorf("published %s", text)
	}
	if in := must.Get(f.store.Ingestion(t.Context(), file))(t); in.Pages != nil {
		t.Errorf("only pages %v are read again", in.Pages)
	}
	postgrestest.Equal(t, "the whole", f.data(doc), "7 119")
	postgrestest.Equal(t, "the part", postgrestest.Value[string](t, f.Conn, "SELECT structured_data::text FROM document WHERE id = $1", part.DocumentID), "{}")
	postgrestest.Equal(t, "waiting", f.waiting(), 0)
}
