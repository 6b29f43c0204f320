package ingestions_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// files is a fixture with files to read.
type files struct {
	*postgrestest.Fixture
	store *ingestions.Store
}

func newFiles(t *testing.T) *files {
	f := postgrestest.NewFixture(t)
	return &files{f, ingestions.New(f.DB)}
}

func TestMain(m *testing.M) {
	postgrestest.Parallel("8")
	os.Exit(m.Run())
}

var tenant, otherTenant, num = postgrestest.Tenant, postgrestest.OtherTenant, postgrestest.Num

func TestIngestionsConform(t *testing.T) {
	t.Parallel()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture {
		f := newFiles(t)
		return jobtest.Fixture{
			Store:   f.store,
			Work:    f.work,
			New:     f.new,
			Lock:    func(id uuid.UUID) func() { return f.Lock("ingestion", id) },
			Spoil:   func(id uuid.UUID) { f.Exec("UPDATE ingestion SET file_path = NULL WHERE id = $1", id) },
			Row:     f.state,
			Dump:    func() string { return f.Dump(append(slices.Clone(postgrestest.Tables), "ingestion")...) },
			Now:     f.Now,
			Advance: f.Advance,
		}
	})
}

// new inserts a document with a file and its ingestion, as any program may.
func (f *files) new() uuid.UUID {
	f.T.Helper()
	id, doc := uuid.New(), uuid.New()
	f.Exec("INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($1, $2, NULL)", doc, tenant)
	f.Exec("INSERT INTO ingestion (id, tenant_id, document_id, file_path, created_at, due_at) VALUES ($1, $2, $3, 'documents/a.pdf', now(), now())", id, tenant, doc)
	return id
}

func (f *files) state(id uuid.UUID) jobtest.Row {
	f.T.Helper()
	return jobtest.Row(f.Row(id, "job_status, attempts, error, due_at, failed_at", "ingestion"))
}

func (f *files) scan(sql string, id uuid.UUID, into ...any) {
	f.T.Helper()
	must.OK(f.T, f.Conn.QueryRow(f.T.Context(), sql, id).Scan(into...))
}

// work reads the invoice 7 over 119.00 in every file.
func (f *files) work(ctx context.Context, fence job.Attempt) error {
	in, err := f.store.Ingestion(ctx, fence.ID)
	if err != nil {
		return err
	}
	_, _, err = f.store.Complete(ctx, fence, f.seven(in.ID, in.DocumentID))
	return err
}

func (f *files) seven(id, doc uuid.UUID) []ingestion.Extracted {
	return []ingestion.Extracted{{ID: id, DocumentID: doc, Valid: true, Extraction: invoice(f.T, `{"number":"7","total":"119.00"}`)}}
}

func (f *files) read(id uuid.UUID) []ingestion.Extracted {
	f.T.Helper()
	return f.seven(id, f.documentOf(id))
}

func invoice(t *testing.T, text string) extraction.Extraction {
	t.Helper()
	data := must.Get(document.Parse([]byte(text)))(t)
	return extraction.Extraction{Source: "rules", Type: document.Invoice, Data: data, Pages: []int{1},
		Fields: map[string]extraction.Field{"total": {Value: "119.00", Quote: "119,00", Page: 1, Trust: extraction.Arithmetic}}}
}

func (f *files) takeFile(id uuid.UUID) job.Attempt {
	f.T.Helper()
	return f.Claimed(f.store, id)
}

func (f *files) complete(id uuid.UUID, docs []ingestion.Extracted) []job.Stamped {
	f.T.Helper()
	stamped, _, err := f.store.Complete(f.T.Context(), f.takeFile(id), docs)
	must.OK(f.T, err)
	return stamped
}

func TestIngestionStatusWords(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	id := f.new()
	want := func(when, status string, count int, started, ended bool) {
		t.Helper()
		var gotStatus string
		var gotCount int
		var gotStarted, gotEnded bool
		f.scan("SELECT status, attempt_count, started_at IS NOT NULL, completed_at IS NOT NULL FROM ingestion WHERE id = $1", id,
			&gotStatus, &gotCount, &gotStarted, &gotEnded)
		if gotStatus != status || gotCount != count || gotStarted != started || gotEnded != ended {
			t.Errorf("%s: %s, %d attempts, started %t, ended %t; want %s, %d, %t, %t", when, gotStatus, gotCount, gotStarted, gotEnded, status, count, started, ended)
		}
	}
	release := func(fence job.Attempt, r job.Release) {
		t.Helper()
		if ok, err := f.store.Release(t.Context(), fence, r); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	want("inserted", "in-progress", 0, false, false)
	fence := f.takeFile(id)
	want("claimed", "in-progress", 0, true, false)
	release(fence, job.Release{Status: job.StatusPending, Reason: "the model is busy", Due: 0})
	want("after a soft failure", "in-progress", 1, true, false)
	f.takeFile(id)
	f.Advance(2 * time.Minute)
	fence = f.takeFile(id)
	want("after a crash", "in-progress", 2, true, false)
	release(fence, job.Release{Status: job.StatusFailed, Reason: "the file is encrypted", Kind: "permanent", Delivery: 3})
	want("failed", "failed", 3, true, true)
	var review bool
	f.scan("SELECT needs_human_review FROM document WHERE id = (SELECT document_id FROM ingestion WHERE id = $1)", id, &review)
	if !review {
		t.Error("a document whose file cannot be read needs no review")
	}
	must.Get(f.store.Publish(t.Context(), []uuid.UUID{id}))(t)
	want("published again", "in-progress", 0, true, false)
	f.complete(id, f.read(id))
	want("completed", "completed", 0, true, true)
}

func TestCompletePublishes(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	id := f.new()
	stamped := f.complete(id, f.read(id))
	var typ, number, total, status string
	var review bool
	f.scan(`SELECT type::text, structured_data ->> 'number', structured_data ->> 'total', matching_status, needs_human_review
		FROM document WHERE id = (SELECT document_id FROM ingestion WHERE id = $1)`, id, &typ, &number, &total, &status, &review)
	if typ != "invoice" || number != "7" || total != "119" || status != "pending" || review {
		t.Errorf("the document is %s %s over %s, %s, review %t", typ, number, total, status, review)
	}
	if len(stamped) != 1 || stamped[0].ID != f.documentOf(id) || stamped[0].Tenant != tenant {
		t.Errorf("published %+v", stamped)
	}
	unchanged := f.Unchanged(append(slices.Clone(postgrestest.Tables), "ingestion")...)
	if _, _, err := f.store.Complete(t.Context(), job.Attempt{ID: id, Number: 1}, f.read(id)); err == nil {
		t.Error("a stale fence completed an ingestion")
	}
	if err := f.store.Transcribed(t.Context(), job.Attempt{ID: id, Number: 1}, ingestion.Checkpoint{Transcription: "x"}); err == nil {
		t.Error("a stale fence recorded a checkpoint")
	}
	unchanged("a stale fence")
}

// A worker records no checkpoint after its claim was taken over.
func TestCheckpointIsFenced(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	id := f.new()
	stale := f.takeFile(id)
	f.Exec("UPDATE ingestion SET lease_until = now() WHERE id = $1", id)
	ours := f.takeFile(id)
	if err := f.store.Transcribed(t.Context(), stale, ingestion.Checkpoint{Transcription: "stale"}); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("a stale fence: %v, want %v", err, job.ErrFenceLost)
	}
	must.OK(t, f.store.Transcribed(t.Context(), ours, ingestion.Checkpoint{Transcription: "ours"}))
	if row, err := f.store.Ingestion(t.Context(), id); err != nil || row.Transcription != "ours" {
		t.Errorf("the checkpoint is %q, %v", row.Transcription, err)
	}
}

func (f *files) documentOf(id uuid.UUID) (doc uuid.UUID) {
	f.T.Helper()
	f.scan("SELECT document_id FROM ingestion WHERE id = $1", id, &doc)
	return doc
}

// A file with three invoices is three documents, the same ones whenever it is
// read; one that is not found again is for a person.
func TestPartsAreDocuments(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	id := f.new()
	doc := f.documentOf(id)
	parts := []ingestion.Extracted{
		{ID: id, DocumentID: doc, Valid: true, Extraction: invoice(t, `{"number":"1"}`)},
		{ID: num(21), DocumentID: num(11), Valid: true, Extraction: invoice(t, `{"number":"2"}`)},
		{ID: num(22), DocumentID: num(12), Reasons: []string{"the date is in the future"}, Extraction: invoice(t, `{"number":"3"}`)},
	}
	if stamped := f.complete(id, parts); len(stamped) != 3 {
		t.Errorf("published %+v", stamped)
	}
	want := func(text string) {
		t.Helper()
		var got string
		f.scan(`SELECT string_agg(concat_ws(' ', structured_data ->> 'number', matching_status, needs_human_review), ', ' ORDER BY structured_data ->> 'number')
			FROM document WHERE tenant_id = $1`, tenant, &got)
		postgrestest.Equal(t, "documents", got, text)
	}
	want("1 pending f, 2 pending f, 3 pending t")
	must.Get(f.store.Publish(t.Context(), []uuid.UUID{id}))(t)
	f.complete(id, parts[:2])
	want("1 pending f, 2 pending f, 3 pending t")
	var reasons []string
	f.scan("SELECT review_reasons FROM ingestion WHERE id = $1", num(22), &reasons)
	if len(reasons) != 1 || reasons[0] != "the file was read again, and this document was not found in it" {
		t.Errorf("of the part that is gone: %q", reasons)
	}
}

func TestCorrectionsStay(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	id := f.new()
	doc := f.documentOf(id)
	f.complete(id, f.read(id))
	corrections := map[string]json.RawMessage{
		"total": []byte(`"120.00"`), "supplier.vat_id": []byte(`"DE129273398"`), "line_items.0.amount": []byte(`"100.00"`),
		"number": nil, "type": []byte(`"credit-note"`),
	}
	if stamped, _, err := f.store.Correct(t.Context(), doc, "Ada", corrections); err != nil || len(stamped) != 1 {
		t.Fatal(stamped, err)
	}
	want := func(when string) {
		t.Helper()
		var typ, data string
		f.scan("SELECT type::text, structured_data::text FROM document WHERE id = $1", doc, &typ, &data)
		if typ != "credit-note" || data != `{"total": "120.00", "supplier": {"vat_id": "DE129273398"}, "line_items": [{"amount": "100.00"}]}` {
			t.Errorf("%s: a %s of %s", when, typ, data)
		}
	}
	want("at once")
	must.Get(f.store.Publish(t.Context(), []uuid.UUID{id}))(t)
	f.complete(id, f.read(id))
	want("after another run")
	if _, _, err := f.store.Correct(t.Context(), uuid.New(), "Ada", corrections); err == nil {
		t.Error("an unknown document was corrected")
	}
}

func TestAddFileIsIdempotent(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	in := ingestion.Row{ID: uuid.New(), TenantID: uuid.New(), DocumentID: uuid.New(), FilePath: "documents/b.pdf"}
	first, err := f.store.AddFile(t.Context(), in)
	if err != nil || len(first) != 1 || first[0].ID != in.ID {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := f.store.AddFile(t.Context(), in); err != nil || len(again) != 0 {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	if c, err := f.store.Claim(t.Context(), []job.Delivery{{ID: in.ID, PublishedAt: first[0].PublishedAt}}, time.Minute, false); err != nil || c[0].Found != job.Claimed {
		t.Errorf("claim of its message: %+v, %v", c, err)
	}
}

// contract is what was read of a contract, with its review.
func (f *files) contract(id uuid.UUID) []ingestion.Extracted {
	f.T.Helper()
	docs := f.read(id)
	docs[0].Type = document.Contract
	docs[0].Review = &record.New{ID: uuid.New(), TenantID: tenant, DocumentID: docs[0].DocumentID, Name: "Contract 7", Text: "A lease. Rent.",
		Chunks: []record.Chunk{{End: 8}, {Position: 1, Start: 8, End: 14}}, Playbook: []byte(`{}`), PlaybookVersion: "1"}
	return docs
}

// A crash leaves a contract and its review, or neither: a worker that dies after the commit
// leaves pending chunks, and the sweep sends their messages.
func TestContractWithReview(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	stored := func(id uuid.UUID) (state string) {
		t.Helper()
		f.scan(`SELECT concat_ws(', ', i.job_status, d.matching_status, j.status, j.chunks_open,
				(SELECT count(*) FROM review_chunk WHERE job_id = j.id AND status = 'pending' AND published_at IS NOT NULL))
			FROM ingestion AS i JOIN document AS d ON d.id = i.document_id LEFT JOIN review_job AS j ON j.document_id = d.id
			WHERE i.id = $1`, id, &state)
		return state
	}
	id := f.new()
	docs := f.contract(id)
	fence := f.takeFile(id)
	spoilt := *docs[0].Review
	spoilt.DocumentID, spoilt.TenantID = f.documentOf(f.new()), otherTenant // refused by the last statement
	docs = append(docs, ingestion.Extracted{ID: uuid.New(), DocumentID: uuid.New(), Extraction: docs[0].Extraction, Review: &spoilt})
	if _, _, err := f.store.Complete(t.Context(), fence, docs); err == nil {
		t.Error("a review of another tenant's document was stored")
	}
	postgrestest.Equal(t, "before the commit", stored(id), "in-progress, 0")
	_, chunks, err := f.store.Complete(t.Context(), fence, docs[:1])
	if err != nil || len(chunks) != 2 || chunks[0].Tenant != tenant {
		t.Fatalf("%v, %v", chunks, err)
	}
	want := "succeeded, pending, queued, 2, 2"
	postgrestest.Equal(t, "after it", stored(id), want)
	if _, _, err := f.store.Complete(t.Context(), fence, docs[:1]); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("with a lost fence: %v", err)
	}
	// The file is read again: its review is the same.
	must.Get(f.store.Publish(t.Context(), []uuid.UUID{id}))(t)
	if _, chunks, err = f.store.Complete(t.Context(), f.takeFile(id), docs[:1]); err != nil || len(chunks) != 0 {
		t.Errorf("once more: %v, %v", chunks, err)
	}
	postgrestest.Equal(t, "once more", stored(id), want)
}

func TestLatestTranscription(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	id := f.new()
	doc := f.documentOf(id)
	key := func() string {
		t.Helper()
		in, err := ingestions.New(f.DB).Read(t.Context(), tenant, doc)
		if err != nil || in.TenantID != tenant || in.DocumentID != doc {
			t.Fatalf("got %+v, %v", in, err)
		}
		return in.Transcription
	}
	fence := f.takeFile(id)
	must.OK(t, f.store.Transcribed(t.Context(), fence, ingestion.Checkpoint{Transcription: "first"}))
	postgrestest.Equal(t, "while it is read", key(), "")
	if _, _, err := f.store.Complete(t.Context(), fence, f.read(id)); err != nil {
		t.Fatal(err)
	}
	postgrestest.Equal(t, "read", key(), "first")
	f.Exec(`INSERT INTO ingestion (id, tenant_id, document_id, pages, job_status, completed_at, transcription_file_path)
		VALUES ($1, $2, $3, '{2}', 'succeeded', now() + interval '1 hour', 'second')`, uuid.New(), tenant, doc)
	if in, err := ingestions.New(f.DB).Read(t.Context(), tenant, doc); err != nil || in.Transcription != "second" || len(in.Pages) != 1 {
		t.Errorf("read twice: %+v, %v", in, err)
	}
	for name, ids := range map[string][2]uuid.UUID{"another tenant's": {otherTenant, doc}, "unknown": {tenant, uuid.New()}} {
		if _, err := ingestions.New(f.DB).Read(t.Context(), ids[0], ids[1]); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestOwnCompaniesAreReadWithTheIngestion(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	in := ingestion.Row{ID: uuid.New(), TenantID: uuid.New(), DocumentID: uuid.New(), FilePath: "documents/b.pdf"}
	must.Get(f.store.AddFile(t.Context(), in))(t)
	own := func(want ...document.Party) {
		t.Helper()
		if got := must.Get(f.store.Ingestion(t.Context(), in.ID))(t).Own; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	own()
	must.OK(t, f.store.AddOwnCompany(t.Context(), in.TenantID, "Weser AG", ""))
	must.OK(t, f.store.AddOwnCompany(t.Context(), in.TenantID, "Hunte KG", ""))
	must.OK(t, f.store.AddOwnCompany(t.Context(), in.TenantID, "Weser AG", "DE136695976"))
	must.OK(t, f.store.AddOwnCompany(t.Context(), uuid.New(), "Ems GmbH", ""))
	own(document.Party{Name: "Hunte KG"}, document.Party{Name: "Weser AG", VATID: "DE136695976"})
	if found := must.Get(f.store.RemoveOwnCompany(t.Context(), in.TenantID, "Hunte KG"))(t); !found {
		t.Error("the company is not found")
	}
	own(document.Party{Name: "Weser AG", VATID: "DE136695976"})
}

// The row of a failed file needs a person, until it is published again.
func TestFailedFileNeedsAPerson(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	id := f.new()
	want := func(when string, want bool) {
		t.Helper()
		var got bool
		f.scan("SELECT needs_human_review FROM ingestion WHERE id = $1", id, &got)
		postgrestest.Equal(t, when, got, want)
	}
	f.Exec("UPDATE ingestion SET job_status = 'failed', failed_at = now(), error = 'damaged' WHERE id = $1", id)
	want("failed", true)
	must.Get(f.store.Publish(t.Context(), []uuid.UUID{id}))(t)
	want("published again", false)
	docs := f.read(id)
	docs[0].Valid, docs[0].Reasons = false, []string{"page 3 of 5 was not read: nothing on it was recognised"}
	docs[0].Account = &ingestion.Account{Pages: 5, Blank: []int{2}, Unread: []ingestion.Unread{{Page: 3, Why: "nothing on it was recognised"}}}
	f.complete(id, docs)
	want("with a page that was not read", true)
	stored := must.Get(report.From(f.DB).Ingestions(t.Context(), []uuid.UUID{id}))(t)[0].Account
	postgrestest.Equal(t, "account", stored.String(), "pages 5 = read 3 + blank 1 (page 2) + not read 1 (page 3: nothing on it was recognised)")
}
