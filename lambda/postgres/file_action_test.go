package postgres_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// byAnna is an action at a document as it is now.
func (f *files) byAnna(doc uuid.UUID) postgres.Action {
	f.t.Helper()
	return postgres.Action{ID: uuid.New(), By: "Anna", Reason: "so", Seen: must.Get(f.Ingestions().FileVersion(f.t.Context(), doc))(f.t)}
}

// doubtful reads a file of n pages into a document a person must look at.
func (f *files) doubtful(n int) (file, doc uuid.UUID) {
	f.t.Helper()
	file = f.new()
	docs := f.read(file)
	docs[0].Valid, docs[0].Reasons, docs[0].Account = false, []string{"the date is missing"}, &ingestion.Account{Pages: n}
	f.complete(file, docs)
	return file, docs[0].DocumentID
}

// waiting counts the files that wait for a person.
func (f *files) waiting() int {
	f.t.Helper()
	return must.Get(report.From(f.DB).WaitingCounts(f.t.Context(), report.WaitingFilter{Tenant: tenant}))(f.t)[report.WaitingFile]
}

func (f *files) data(doc uuid.UUID) string {
	f.t.Helper()
	return queryOne[string](f.t, f.conn, "SELECT structured_data ->> 'number' || ' ' || (structured_data ->> 'total') FROM document WHERE id = $1", doc)
}

func TestFinishSettlesReasons(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	_, doc := f.doubtful(1)
	equal(t, "waiting", f.waiting(), 1)
	f.exec("UPDATE document SET structured_data = structured_data || '{\"notes\":\"by another program\"}'")
	a := f.byAnna(doc)
	for range 2 { // a double click
		stamped, _, err := f.Ingestions().Finish(t.Context(), doc, a, map[string]json.RawMessage{"total": json.RawMessage(`"120.00"`)})
		must.OK(t, err)
		if len(stamped) == 1 && stamped[0].ID != doc {
			t.Errorf("published %v", stamped)
		}
	}
	equal(t, "corrections", queryOne[int](t, f.conn, "SELECT count(*) FROM document_correction"), 1)
	equal(t, "values", f.data(doc), "7 120.00")
	equal(t, "notes", queryOne[string](t, f.conn, "SELECT structured_data ->> 'notes' FROM document"), "by another program")
	equal(t, "waiting", f.waiting(), 0)
	late := postgres.Action{ID: uuid.New(), By: "Ben", Seen: a.Seen}
	if _, _, err := f.Ingestions().Finish(t.Context(), doc, late, nil); !errors.Is(err, postgres.ErrStale) {
		t.Errorf("a stale form: %v", err)
	}
	if _, _, err := f.Ingestions().Finish(t.Context(), uuid.New(), late, nil); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("an unknown document: %v", err)
	}
}

// A person types what could not be read: the failed file waits for nobody then.
func TestFailedFileIsTyped(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file := f.new()
	f.exec("UPDATE ingestion SET job_status = 'failed', failed_at = now(), error = 'no text' WHERE id = $1", file)
	doc := f.documentOf(file)
	equal(t, "waiting", f.waiting(), 1)
	_, _, err := f.Ingestions().Finish(t.Context(), doc, f.byAnna(doc), map[string]json.RawMessage{
		"type": json.RawMessage(`"invoice"`), "number": json.RawMessage(`"8"`), "total": json.RawMessage(`"1"`)})
	must.OK(t, err)
	equal(t, "waiting", f.waiting(), 0)
	equal(t, "values", f.data(doc), "8 1")
	equal(t, "needs a person", queryOne[bool](t, f.conn, "SELECT needs_human_review FROM document"), false)
	stamped := must.Get(f.Ingestions().ReadAgain(t.Context(), doc, f.byAnna(doc), false))(t)
	if len(stamped) != 1 || stamped[0].ID != file {
		t.Errorf("published %v, want the file", stamped)
	}
	equal(t, "the file", string(f.state(file).Status), "pending")
}

func TestReadAgainFresh(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file, doc := f.doubtful(1)
	f.exec("UPDATE ingestion SET transcription_file_path = 't'")
	must.Get(f.Ingestions().ReadAgain(t.Context(), doc, f.byAnna(doc), false))(t)
	equal(t, "text", must.Get(f.store.Ingestion(t.Context(), file))(t).Transcription, "t")
	must.Get(f.Ingestions().ReadAgain(t.Context(), doc, f.byAnna(doc), true))(t)
	equal(t, "text", must.Get(f.store.Ingestion(t.Context(), file))(t).Transcription, "")
	f.put(num(1), tenant, document.Invoice, `{"number":"1"}`)
	if _, err := f.Ingestions().ReadAgain(t.Context(), num(1), f.byAnna(num(1)), true); !errors.Is(err, postgres.ErrNoFile) {
		t.Errorf("without a file: %v", err)
	}
}

// What is no business document is matched no more; reading its file again takes that back.
func TestDismissedMatchesNothing(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file, doc := f.doubtful(1)
	stamped := must.Get(f.Ingestions().Dismiss(t.Context(), doc, f.byAnna(doc)))(t)
	if len(stamped) != 1 || stamped[0].ID != doc {
		t.Errorf("published %v", stamped)
	}
	equal(t, "values", queryOne[string](t, f.conn, "SELECT structured_data::text FROM document"), "{}")
	equal(t, "waiting", f.waiting(), 0)
	f.exec(`UPDATE document SET structured_data = '{"number":"8"}', type = NULL, matching_status = NULL`)
	if stamped := must.Get(f.Ingestions().Dismiss(t.Context(), doc, f.byAnna(doc)))(t); len(stamped) != 0 {
		t.Errorf("published %v, which was never matched", stamped)
	}
	must.Get(f.Ingestions().ReadAgain(t.Context(), doc, f.byAnna(doc), false))(t)
	f.complete(file, f.read(file))
	equal(t, "values", f.data(doc), "7 119")
}

// Joined pages leave one document to match; corrections of the parts are dropped.
func TestDividePages(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	file, doc := f.doubtful(2)
	part := ingestion.Extracted{ID: uuid.New(), DocumentID: uuid.New(), Valid: true, Extraction: invoice(t, `{"number":"8","total":"50.00"}`)}
	both := append(f.read(file), part)
	both[0].Account = &ingestion.Account{Pages: 2}
	f.exec("UPDATE ingestion SET job_status = 'pending'")
	f.complete(file, both)
	f.exec("INSERT INTO document_correction (tenant_id, document_id, field, value) VALUES ($1, $2, 'total', '\"169.00\"')", tenant, doc)
	for _, begins := range [][]int{nil, {2}, {1, 1}, {1, 3}} {
		if _, err := f.Ingestions().Divide(t.Context(), doc, f.byAnna(doc), begins); !errors.Is(err, postgres.ErrNoSuchPage) {
			t.Errorf("%v: %v", begins, err)
		}
	}
	f.exec("UPDATE ingestion SET extraction_model = 'einvoice'")
	if _, err := f.Ingestions().Divide(t.Context(), doc, f.byAnna(doc), []int{1, 2}); !errors.Is(err, postgres.ErrElectronic) {
		t.Errorf("an e-invoice: %v", err)
	}
	f.exec("UPDATE ingestion SET extraction_model = 'rules'")
	stamped := must.Get(f.Ingestions().Divide(t.Context(), part.DocumentID, f.byAnna(part.DocumentID), []int{1}))(t)
	if len(stamped) != 1 || stamped[0].ID != file {
		t.Fatalf("published %v", stamped)
	}
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
	equal(t, "the whole", f.data(doc), "7 119")
	equal(t, "the part", queryOne[string](t, f.conn, "SELECT structured_data::text FROM document WHERE id = $1", part.DocumentID), "{}")
	equal(t, "waiting", f.waiting(), 0)
}
