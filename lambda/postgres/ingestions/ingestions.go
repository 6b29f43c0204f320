// Package ingestions holds the SQL of files: their reading, what people do about a file and its
// document, and what corrections teach.
package ingestions

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Store is the store of the ingest function: its jobs, its checkpoint and its successful end.
type Store struct {
	*postgres.Jobs
	db *postgres.DB
}

// New returns the store of the ingest function in a database.
func New(db *postgres.DB) *Store { return &Store{db.JobsOf(postgres.Tables[manifest.Ingest.Name]), db} }

// ingestionSQL returns the pages only before the first reading. Then the row has the pages of the
// file's first document, but all are read again.
const ingestionSQL = `
SELECT id, tenant_id, document_id, coalesce(file_path, ''), CASE WHEN structured_data IS NULL THEN pages END,
	coalesce(transcription_file_path, ''), coalesce(preprocessed_file_path, ''),
	(SELECT coalesce(jsonb_agg(jsonb_build_object('name', o.name, 'vat_id', o.vat_id) ORDER BY o.name), '[]')
		FROM own_company o WHERE o.tenant_id = ingestion.tenant_id),
	begins, coalesce((SELECT d.file_name FROM document AS d WHERE d.id = document_id), '')
FROM ingestion WHERE id = $1`

// Ingestion implements ingest.Store.
func (s *Store) Ingestion(ctx context.Context, id uuid.UUID) (in ingestion.Row, err error) {
	in, err = postgres.First[ingestion.Row](ctx, s.db.Steady(), ingestionSQL, id)
	if errors.Is(err, job.ErrNotFound) {
		err = job.ErrFenceLost
	}
	return in, err
}

const transcribedSQL = `
UPDATE ingestion SET transcription_file_path = $3, transcription_quality_score = $4, preprocessed_file_path = nullif($5, '')
WHERE id = $1 AND attempts = $2 AND job_status = 'in-progress'`

// Transcribed implements ingest.Store.
func (s *Store) Transcribed(ctx context.Context, f job.Attempt, c ingestion.Checkpoint) error {
	held, err := s.db.Steady().Changes(ctx, transcribedSQL, f.ID, f.Number, c.Transcription, c.Quality, c.Preprocessed)
	if err == nil && !held {
		err = job.ErrFenceLost
	}
	return err
}

// Statements of Complete. A further document of a file gets its own document and ingestion
// rows.
const (
	extractedSQL = `
UPDATE ingestion SET document_type = nullif($2, '')::document_type, structured_data = $3, fields = $4, pages = $5,
	valid_structured_data = $6, needs_human_review = NOT $6, review_reasons = coalesce($7::text[], '{}'),
	extraction_input_tokens = $8, extraction_output_tokens = $9, extraction_model = $10, page_account = $11,
	printed_lines = $12
WHERE id = $1`
	partDocumentSQL = `
INSERT INTO document (id, tenant_id, file_path, file_name, received_at, matching_due_at)
SELECT $2, tenant_id, file_path, file_name, received_at, NULL FROM document WHERE id = (SELECT document_id FROM ingestion WHERE id = $1)
ON CONFLICT (id) DO NOTHING`
	partSQL = `
INSERT INTO ingestion (id, tenant_id, document_id, file_path, part_of, job_status, due_at, started_at,
	transcription_file_path, transcription_quality_score, preprocessed_file_path)
SELECT $2, tenant_id, $3, file_path, id, 'succeeded', NULL, started_at,
	transcription_file_path, transcription_quality_score, preprocessed_file_path
FROM ingestion WHERE id = $1
ON CONFLICT (id) DO UPDATE SET job_status = 'succeeded', error = NULL, failed_at = NULL, lease_until = NULL, due_at = NULL`
	goneSQL = `
UPDATE ingestion AS i SET needs_human_review = f.begins IS NULL,
	review_reasons = ARRAY['the file was read again, and this document was not found in it']
FROM ingestion AS f WHERE f.id = $1 AND i.part_of = $1 AND i.id <> ALL ($2)`
	// Documents that a person has joined are no more, and must not be matched next to the whole.
	joinedSQL = `
SELECT i.document_id FROM ingestion AS i JOIN ingestion AS f ON f.id = i.part_of AND f.begins IS NOT NULL
WHERE i.part_of = $1 AND i.id <> ALL ($2)`
)

// Complete implements ingest.Store. In one transaction with the fence, it stores what was
// read, sets succeeded, and publishes the documents for matching and the reviews of contracts.
// The trigger ingestion_to_document (migration 00014) changes the documents' own rows, because
// programs that write ingestions without this code need the same rule; see
// migrations/README.md.
func (s *Store) Complete(ctx context.Context, f job.Attempt, docs []ingestion.Extracted) (
	stamped, chunks []job.Stamped, err error,
) {
	err = s.Succeed(ctx, f, func(tx pgx.Tx) error {
		batch, ids, matchable := &pgx.Batch{}, []uuid.UUID{}, []uuid.UUID{}
		for _, d := range docs {
			data, fields, err := encode(d)
			if err != nil {
				return err
			}
			if d.ID != f.ID {
				batch.Queue(partDocumentSQL, f.ID, d.DocumentID)
				batch.Queue(partSQL, f.ID, d.ID, d.DocumentID)
			}
			batch.Queue(extractedSQL, d.ID, d.Type, data, fields, d.Pages, d.Valid, d.Reasons, d.InputTokens, d.OutputTokens, d.Source,
				d.Account, d.Lines)
			for _, r := range d.Forgotten {
				batch.Queue(forgottenSQL, r.Rule, d.DocumentID, r.Why)
			}
			ids = append(ids, d.ID)
			if d.Type != "" {
				matchable = append(matchable, d.DocumentID)
			}
		}
		batch.Queue(goneSQL, f.ID, ids)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if stamped, err = s.db.PublishIn(ctx, tx, matchable); err != nil {
			return err
		}
		joined, err := postgres.IDs(ctx, tx, joinedSQL, f.ID, ids)
		if err != nil {
			return err
		}
		emptied, err := s.empty(ctx, tx, joined)
		if err != nil {
			return err
		}
		stamped = append(stamped, emptied...)
		chunks, err = addReviews(ctx, tx, docs)
		return err
	})
	return stamped, chunks, err
}

func addReviews(ctx context.Context, tx pgx.Tx, docs []ingestion.Extracted) (chunks []job.Stamped, err error) {
	for _, d := range docs {
		if d.Review == nil {
			continue
		}
		added, err := postgres.AddReview(ctx, tx, *d.Review)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, added...)
	}
	return chunks, nil
}

const readSQL = `
SELECT coalesce(i.id, '00000000-0000-0000-0000-000000000000'), d.tenant_id, d.id, coalesce(i.file_path, ''), i.pages,
	coalesce(i.transcription_file_path, ''), coalesce(i.preprocessed_file_path, ''), '[]'::jsonb, i.begins, coalesce(d.file_name, '')
FROM document AS d LEFT JOIN LATERAL (
	SELECT * FROM ingestion WHERE document_id = d.id AND status = 'completed' AND transcription_file_path IS NOT NULL
	ORDER BY completed_at DESC, id LIMIT 1
) AS i ON true
WHERE d.tenant_id = $1 AND d.id = $2`

// Read returns a document's latest completed ingestion with a transcription; without one,
// Transcription is empty. It returns job.ErrNotFound unless the tenant has the document.
func (s *Store) Read(ctx context.Context, tenantID, documentID uuid.UUID) (ingestion.Row, error) {
	return postgres.First[ingestion.Row](ctx, s.db.Steady(), readSQL, tenantID, documentID)
}

func encode(d ingestion.Extracted) (data, fields json.RawMessage, err error) {
	if data, err = json.Marshal(d.Data); err != nil {
		return nil, nil, err
	}
	if len(data) > document.MaxBytes {
		return nil, nil, failure.Permanently("extracted data too large: more than %d bytes", document.MaxBytes)
	}
	fields, err = json.Marshal(d.Fields)
	return data, fields, err
}

const (
	// A known document keeps its rows.
	fileSQL = `
INSERT INTO document (id, tenant_id, file_path, file_name, matching_due_at) VALUES ($1, $2, $3, nullif($4, ''), NULL)
ON CONFLICT (id) DO NOTHING`
	newIngestionSQL = `
INSERT INTO ingestion (id, tenant_id, document_id, file_path, job_status, published_at, due_at)
VALUES ($1, $2, $3, $4, 'pending', now(), now()) ON CONFLICT (id) DO NOTHING
RETURNING id, published_at, tenant_id`
)

// AddFile stores the rows of a stored file and publishes its ingestion. The caller must send
// the message. A known file changes nothing and returns no message.
func (s *Store) AddFile(ctx context.Context, in ingestion.Row) ([]job.Stamped, error) {
	return postgres.Within(ctx, s.db, func(tx pgx.Tx) ([]job.Stamped, error) {
		if _, err := tx.Exec(ctx, postgres.AddTenantsSQL, []uuid.UUID{in.TenantID}); err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, fileSQL, in.DocumentID, in.TenantID, in.FilePath, in.Name); err != nil {
			return nil, err
		}
		return postgres.Rows[job.Stamped](ctx, tx, newIngestionSQL, in.ID, in.TenantID, in.DocumentID, in.FilePath)
	})
}

const correctSQL = `
INSERT INTO document_correction (tenant_id, document_id, field, value)
SELECT tenant_id, id, $2, $3 FROM document WHERE id = $1`

// Correct stores corrections of a document by a person, by field; a nil value removes the
// field. It learns from them and publishes the document for matching in the same transaction,
// so the caller must send the message.
func (s *Store) Correct(ctx context.Context, id uuid.UUID, by string, corrections map[string]json.RawMessage) (
	stamped []job.Stamped, said []taught.Lesson, err error,
) {
	stamped, err = postgres.Within(ctx, s.db, func(tx pgx.Tx) (stamped []job.Stamped, err error) {
		stamped, said, err = s.correct(ctx, tx, id, by, corrections)
		return stamped, err
	})
	return stamped, said, err
}

func (s *Store) correct(ctx context.Context, tx pgx.Tx, id uuid.UUID, by string, corrections map[string]json.RawMessage) (
	stamped []job.Stamped, said []taught.Lesson, err error,
) {
	fields := slices.Sorted(maps.Keys(corrections))
	for _, field := range fields {
		tag, err := tx.Exec(ctx, correctSQL, id, field, corrections[field])
		if err != nil {
			return nil, nil, err
		}
		if tag.RowsAffected() == 0 {
			return nil, nil, job.ErrNotFound
		}
	}
	if said, err = teach(ctx, tx, id, by, fields); err != nil {
		return nil, nil, err
	}
	stamped, err = s.db.PublishIn(ctx, tx, []uuid.UUID{id})
	return stamped, said, err
}

const ingestionEndsSQL = `
SELECT id, CASE job_status WHEN 'failed' THEN coalesce(error, 'failed') ELSE '' END FROM ingestion
WHERE id = ANY ($1) AND job_status IN ('succeeded', 'failed') ORDER BY id`

// End is an ended ingestion. Error is empty if it succeeded.
type End struct {
	ID    uuid.UUID
	Error string
}

// Ends returns the ended ones of these ingestions, in the order of their ids.
func (s *Store) Ends(ctx context.Context, ids []uuid.UUID) ([]End, error) {
	return postgres.Rows[End](ctx, s.db, ingestionEndsSQL, ids)
}
