package report

import (
	"context"
	"encoding/json"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Ingestion is the result of reading a file, or one document in it.
type Ingestion struct {
	ID            uuid.UUID
	DocumentID    uuid.UUID
	File          uuid.UUID // the ingestion of the whole file; ID for the first document
	Status        string    // in-progress, completed or failed
	Error         string
	Attempts      int
	Type          document.Type   // as corrected; empty: unknown
	Data          json.RawMessage // as corrected; nil: none
	Fields        json.RawMessage // by path: value, quote, page, trust; nil: none
	Pages         []int           // of the file, from 1; nil: all
	NeedsReview   bool
	Reasons       []string           // why a person must look
	Source        string             // einvoice, rules, or the model's name
	Transcription string             // key of the checkpoint; empty: none
	Account       *ingestion.Account // of the file's pages; nil: none, or a further document
}

const ingestionsSQL = `
SELECT i.id, i.document_id, coalesce(i.part_of, i.id), i.status, coalesce(i.error, ''), i.attempts,
	coalesce(d.type::text, ''), CASE WHEN i.structured_data IS NOT NULL THEN d.structured_data END, i.fields, i.pages,
	i.needs_human_review OR i.status = 'failed', i.review_reasons, coalesce(i.extraction_model, ''),
	coalesce(i.transcription_file_path, ''), i.page_account
FROM ingestion AS i JOIN document AS d ON d.id = i.document_id
WHERE i.id = ANY ($1) OR i.part_of = ANY ($1)
ORDER BY coalesce(i.part_of, i.id), i.part_of IS NOT NULL, i.pages, i.id`

// Ingestions reads the results of files; the documents of a file are in the order of their
// pages.
func (r Reader) Ingestions(ctx context.Context, files []uuid.UUID) ([]Ingestion, error) {
	return postgres.Rows[Ingestion](ctx, r.db, ingestionsSQL, files)
}

// File is the file a document was, or will be, read from, with the times of its ingestion.
type File struct {
	Ingestion uuid.UUID // of the whole file
	Path      string    // key in the blob store
	Pages     []int     // of the document, from 1; nil: all
	Status    string    // job_status; empty for NULL
	Error     string
	Attempts  int
	Reasons   []string           // why a person must look at the document
	Account   *ingestion.Account // of its pages; nil: none
	Taught    []string           // its fields read where a correction taught to look, with the correction
	Times
}

const fileSQL = `
SELECT f.id, coalesce(f.file_path, ''), i.pages, coalesce(f.job_status, ''), coalesce(f.error, ''), f.attempts,
	CASE WHEN i.needs_human_review THEN i.review_reasons ELSE '{}' END, f.page_account,
	ARRAY(SELECT t.key || ' by ' || (t.value ->> 'taught') FROM jsonb_each(i.fields) AS t
		WHERE t.value ? 'taught'
		ORDER BY t.key), now(), f.published_at, f.due_at, f.lease_until, f.failed_at, coalesce(f.parked_for, '')
FROM ingestion AS i JOIN ingestion AS f ON f.id = coalesce(i.part_of, i.id)
WHERE i.document_id = $1 ORDER BY i.created_at DESC, i.id LIMIT 1`

// File reads a document's file, or returns nil if it didn't come in one.
func (r Reader) File(ctx context.Context, document uuid.UUID) (*File, error) {
	return postgres.Find[File](ctx, r.db, fileSQL, document)
}

const documentOfSQL = `
SELECT coalesce((SELECT document_id FROM ingestion WHERE id = $1), '00000000-0000-0000-0000-000000000000')`

// DocumentOf returns an ingestion's document, or uuid.Nil.
func (r Reader) DocumentOf(ctx context.Context, ingestion uuid.UUID) (uuid.UUID, error) {
	return postgres.Value[uuid.UUID](ctx, r.db, documentOfSQL, ingestion)
}

// FileProgress counts files, and documents not yet through matching.
type FileProgress struct{ Completed, Failed, InProgress, Unmatched int }

const fileProgressSQL = `
SELECT count(*) FILTER (WHERE i.part_of IS NULL AND i.status = 'completed'),
	count(*) FILTER (WHERE i.part_of IS NULL AND i.status = 'failed'),
	count(*) FILTER (WHERE i.part_of IS NULL AND i.status = 'in-progress'),
	count(*) FILTER (WHERE d.matching_status IN ('pending', 'in-progress'))
FROM ingestion AS i JOIN document AS d ON d.id = i.document_id
WHERE i.id = ANY ($1) OR i.part_of = ANY ($1)`

// FileProgress counts files by the state of their ingestion.
func (r Reader) FileProgress(ctx context.Context, files []uuid.UUID) (FileProgress, error) {
	return postgres.First[FileProgress](ctx, r.db, fileProgressSQL, files)
}

// Sheet describes to a person how a document was read, from which pages of its file, and why
// somebody must look.
type Sheet struct {
	File    uuid.UUID // ingestion of the whole file; zero: the document came in none
	Path    string    // key of the file
	Status  string    // job_status of the file; empty for NULL
	Error   string
	Pages   []int           // of the document, from 1; nil: all
	Of      int             // pages of the file; 0: unknown
	Fields  json.RawMessage // by path: value, quote, page, box
	Waits   bool            // for a person
	Reasons []string        // why
	Source  string          // einvoice, rules, or the model's name
	Begins  []int           // pages at which the documents of the file begin
}

const sheetSQL = `
SELECT coalesce(f.id, '00000000-0000-0000-0000-000000000000'), coalesce(f.file_path, ''), coalesce(f.job_status, ''), coalesce(f.error, ''),
	i.pages, coalesce((f.page_account ->> 'pages')::integer, (SELECT max(n) FROM ingestion AS p, unnest(p.pages) AS n
		WHERE p.id = f.id OR p.part_of = f.id), 0),
	coalesce(i.fields, '{}'), coalesce(i.needs_human_review, false), coalesce(i.review_reasons, '{}'), coalesce(i.extraction_model, ''),
	coalesce(f.begins, ARRAY(SELECT DISTINCT p.pages[1] FROM ingestion AS p
		WHERE (p.id = f.id OR p.part_of = f.id) AND p.pages[1] IS NOT NULL ORDER BY 1))
FROM document AS d LEFT JOIN LATERAL (
	SELECT * FROM ingestion WHERE document_id = d.id ORDER BY created_at DESC, id LIMIT 1
) AS i ON true LEFT JOIN ingestion AS f ON f.id = coalesce(i.part_of, i.id)
WHERE d.id = $1`

// Sheet reads the sheet of an existing document.
func (r Reader) Sheet(ctx context.Context, document uuid.UUID) (Sheet, error) {
	found, err := postgres.Find[Sheet](ctx, r.db, sheetSQL, document)
	if found == nil {
		return Sheet{}, err
	}
	return *found, nil
}
