package report_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

func TestIngestionsByFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b, c, d := f.documents()
	first, second, failed, other := uuid.UUID{14: 1}, uuid.UUID{14: 2}, uuid.UUID{14: 3}, uuid.UUID{14: 4}
	const insert = `INSERT INTO ingestion (id, tenant_id, document_id, part_of, pages, job_status, attempts, error, failed_at, document_type,
		structured_data, fields, needs_human_review, review_reasons, extraction_model, transcription_file_path)
		VALUES ($1, $2, $3, $4, $5, $6, 2, nullif($7, ''), CASE WHEN $6 = 'failed' THEN now() END, 'invoice', '{"total": "1"}', '{}', $8, $9, 'rules', $10)`
	f.exec(insert, first, tenant, a, nil, []int{1}, "succeeded", "", false, []string{}, "t.json")
	f.exec(insert, second, tenant, b, first, []int{2, 3}, "succeeded", "", true, []string{"why"}, "t.json")
	f.exec(insert, failed, tenant, c, nil, nil, "failed", "broken", false, []string{}, nil)
	f.exec(insert, other, tenant, d, nil, nil, "succeeded", "", false, []string{}, nil)
	f.exec(`INSERT INTO document_correction (tenant_id, document_id, field, value) VALUES ($1, $2, 'total', '"2"'), ($1, $2, 'type', '"credit-note"')`, tenant, b)
	f.exec("UPDATE document SET matching_status = 'pending' WHERE id = $1", b)
	want := []report.Ingestion{
		{ID: first, DocumentID: a, File: first, Status: "completed", Attempts: 2, Type: document.Invoice, Data: json.RawMessage(`{"total": "1"}`),
			Fields: json.RawMessage("{}"), Pages: []int{1}, Reasons: []string{}, Source: "rules", Transcription: "t.json"},
		{ID: second, DocumentID: b, File: first, Status: "completed", Attempts: 2, Type: document.CreditNote, Data: json.RawMessage(`{"total": "2"}`),
			Fields: json.RawMessage("{}"), Pages: []int{2, 3}, NeedsReview: true, Reasons: []string{"why"}, Source: "rules", Transcription: "t.json"},
		{ID: failed, DocumentID: c, File: failed, Status: "failed", Error: "broken", Attempts: 2, Type: document.Invoice, NeedsReview: true,
			Fields: json.RawMessage("{}"), Reasons: []string{}, Source: "rules"},
	}
	got, err := f.read.Ingestions(t.Context(), []uuid.UUID{first, failed})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\n%+v\nwant\n%+v", err, got, want)
	}
	part, err := f.read.File(t.Context(), b)
	if err != nil || part == nil || part.Ingestion != first || part.Status != "succeeded" || part.Attempts != 2 ||
		!slices.Equal(part.Pages, []int{2, 3}) || !slices.Equal(part.Reasons, []string{"why"}) {
		t.Errorf("of a part of a file: got %+v, %v", part, err)
	}
	if of, err := f.read.DocumentOf(t.Context(), second); err != nil || of != b {
		t.Errorf("the document of an ingestion: got %s, %v; want %s", of, err, b)
	}
	unknown := uuid.UUID{14: 9}
	none, err1 := f.read.File(t.Context(), unknown)
	if of, err := f.read.DocumentOf(t.Context(), unknown); none != nil || of != uuid.Nil || err != nil || err1 != nil {
		t.Errorf("of an unknown id: got %+v, %s, %v, %v", none, of, err1, err)
	}
	progress, err := f.read.FileProgress(t.Context(), []uuid.UUID{first, failed})
	if want := (report.FileProgress{Completed: 1, Failed: 1, Unmatched: 1}); err != nil || progress != want {
		t.Errorf("got %+v, %v; want %+v", progress, err, want)
	}
}
