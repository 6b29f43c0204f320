package ingestions

import (
	"context"
	"encoding/json"
	"errors"

	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Errors about the file of a document.
var (
	// ErrNoFile reports a document that came in no file.
	ErrNoFile = errors.New("missing file of the document")
	// ErrNoSuchPage reports a page that the file doesn't have.
	ErrNoSuchPage = errors.New("unknown page of the file")
	// ErrElectronic reports a file that is not divided, because its documents are e-invoices.
	ErrElectronic = errors.New("invalid file: its e-invoice says what its documents are")
)

const fileVersionSQL = `
SELECT md5(ROW(d.tenant_id, d.matching_status, d.matching_attempts, d.matching_published_at, d.matching_error,
	d.type, d.structured_data, i.job_status, i.attempts, i.published_at, i.needs_human_review)::text)
FROM document AS d LEFT JOIN LATERAL (
	SELECT * FROM ingestion WHERE document_id = d.id ORDER BY created_at DESC, id LIMIT 1) AS i ON true
WHERE d.id = $1`

// FileVersion returns the version of a document as the person at its page sees it: its values and
// state, and the state of its file. It returns job.ErrNotFound for an unknown id.
func (s *Store) FileVersion(ctx context.Context, id uuid.UUID) (string, error) {
	return postgres.Value[string](ctx, s.db, fileVersionSQL, id)
}

// act stores what a person does about a document, and does it.
func (s *Store) act(
	ctx context.Context, id uuid.UUID, kind string, a postgres.Action, do func(pgx.Tx) ([]job.Stamped, error),
) ([]job.Stamped, error) {
	return s.db.Act(ctx, id, a, postgres.Act{Table: "file_action", Kind: kind, VersionSQL: fileVersionSQL}, do)
}

// Statements of seen.
const (
	asItIsSQL = `
SELECT type::text, structured_data FROM document WHERE id = $1`
	seenIngestionSQL = `
UPDATE ingestion SET needs_human_review = false WHERE document_id = $1 AND needs_human_review`
	seenDocumentSQL = `
UPDATE document SET needs_human_review = false, type = $2::document_type, structured_data = $3 WHERE id = $1`
)

// seen settles the reasons why a person had to look, also if the file failed. The document keeps
// its values: a trigger would replace them by the values read, although another program may
// have changed them since.
func seen(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	var kind *string
	var data json.RawMessage
	if err := tx.QueryRow(ctx, asItIsSQL, id).Scan(&kind, &data); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, seenIngestionSQL, id)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	_, err = tx.Exec(ctx, seenDocumentSQL, id, kind, data)
	return err
}

// Finish stores a person's corrections of a document, or none if it is right as it is, and settles
// why a person had to look. Otherwise it is as Correct.
func (s *Store) Finish(ctx context.Context, id uuid.UUID, a postgres.Action, corrections map[string]json.RawMessage) (
	stamped []job.Stamped, said []taught.Lesson, err error,
) {
	stamped, err = s.act(ctx, id, "correct", a, func(tx pgx.Tx) (stamped []job.Stamped, err error) {
		if len(corrections) > 0 {
			if stamped, said, err = s.correct(ctx, tx, id, a.By, corrections); err != nil {
				return nil, err
			}
		}
		return stamped, seen(ctx, tx, id)
	})
	return stamped, said, err
}

const wholeFileSQL = `
SELECT coalesce(part_of, id) FROM ingestion WHERE document_id = $1 ORDER BY created_at DESC, id LIMIT 1`

func wholeFile(ctx context.Context, tx pgx.Tx, document uuid.UUID) (id uuid.UUID, err error) {
	id, err = postgres.Value[uuid.UUID](ctx, tx, wholeFileSQL, document)
	if errors.Is(err, job.ErrNotFound) {
		err = ErrNoFile
	}
	return id, err
}

const forgetTextSQL = `
UPDATE ingestion SET transcription_file_path = NULL, preprocessed_file_path = NULL WHERE id = $1`

// ReadAgain publishes the file of a document, so that it is read again. With fresh its text is
// recognised again, too, which may cost. The caller must send the message to the ingest queue.
func (s *Store) ReadAgain(ctx context.Context, document uuid.UUID, a postgres.Action, fresh bool) ([]job.Stamped, error) {
	return s.act(ctx, document, "read", a, func(tx pgx.Tx) ([]job.Stamped, error) {
		file, err := wholeFile(ctx, tx, document)
		if err != nil {
			return nil, err
		}
		if fresh {
			if _, err := tx.Exec(ctx, forgetTextSQL, file); err != nil {
				return nil, err
			}
		}
		return s.PublishIn(ctx, tx, []uuid.UUID{file})
	})
}

// emptySQL takes the values of documents, so that they match nothing, and returns those to match
// again, because others were matched with them.
const emptySQL = `
WITH emptied AS (
	UPDATE document SET structured_data = '{}' WHERE id = ANY ($1) AND structured_data IS NOT NULL
	RETURNING id, type, matching_status
)
SELECT id FROM emptied WHERE type IS NOT NULL AND matching_status IS NOT NULL`

func (s *Store) empty(ctx context.Context, tx pgx.Tx, documents []uuid.UUID) ([]job.Stamped, error) {
	matched, err := postgres.IDs(ctx, tx, emptySQL, documents)
	if err != nil {
		return nil, err
	}
	return s.db.PublishIn(ctx, tx, matched)
}

// Dismiss records that what was read is no business document: it waits for nobody, and matches
// nothing. Reading the file again takes that back. The caller must send the messages to the match
// queue.
func (s *Store) Dismiss(ctx context.Context, document uuid.UUID, a postgres.Action) ([]job.Stamped, error) {
	return s.act(ctx, document, "dismiss", a, func(tx pgx.Tx) ([]job.Stamped, error) {
		if err := seen(ctx, tx, document); err != nil {
			return nil, err
		}
		return s.empty(ctx, tx, []uuid.UUID{document})
	})
}

// Statements of Divide.
const (
	pagesSQL = `
SELECT coalesce((page_account ->> 'pages')::integer, cardinality(pages), 0), coalesce(extraction_model, '') = 'einvoice'
FROM ingestion WHERE id = $1`
	beginsSQL = `
UPDATE ingestion SET begins = $2 WHERE id = $1`
	uncorrectSQL = `
DELETE FROM document_correction WHERE document_id IN (SELECT document_id FROM ingestion WHERE id = $1 OR part_of = $1)`
)

// Divide records the pages, from 1 and in order, at which the documents of a file begin, and
// publishes the file, so that each is read from its pages: more split it, fewer join it. The first
// must be page 1. Corrections of its documents are dropped, because they were about other pages.
// The caller must send the message to the ingest queue.
func (s *Store) Divide(ctx context.Context, document uuid.UUID, a postgres.Action, begins []int) ([]job.Stamped, error) {
	return s.act(ctx, document, "pages", a, func(tx pgx.Tx) ([]job.Stamped, error) {
		file, err := wholeFile(ctx, tx, document)
		if err != nil {
			return nil, err
		}
		var pages int
		var electronic bool
		if err := tx.QueryRow(ctx, pagesSQL, file).Scan(&pages, &electronic); err != nil {
			return nil, err
		}
		if electronic {
			return nil, ErrElectronic
		}
		if err := checkBegins(begins, pages); err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, beginsSQL, file, begins); err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, uncorrectSQL, file); err != nil {
			return nil, err
		}
		return s.PublishIn(ctx, tx, []uuid.UUID{file})
	})
}

// checkBegins refuses pages out of order, or beyond the file.
func checkBegins(begins []int, pages int) error {
	for i, page := range begins {
		if page > pages || i == 0 && page != 1 || i > 0 && page <= begins[i-1] {
			return ErrNoSuchPage
		}
	}
	if len(begins) == 0 {
		return ErrNoSuchPage
	}
	return nil
}
