package report

import (
	"context"
	"strings"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// LetterRow is the row named by a message of a dead-letter queue.
type LetterRow struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	Status    string // empty for NULL
	Kind      string // of its latest failure; empty: unknown
	Error     string
	Attempts  int
	Published *time.Time
	Subject   uuid.UUID // the document that paid calls are stored with; a chunk's review has several
}

const letterRowsSQL = `
SELECT d.id, d.tenant_id, coalesce(d.{status}, ''), coalesce((SELECT kind FROM notification
		WHERE subject = '{subject}' AND {subject_id} = d.id ORDER BY attempt DESC, created_at DESC LIMIT 1), ''),
	coalesce(d.{error}, ''), d.{attempts}, d.{published_at}, {document}
FROM {table} AS d WHERE d.id = ANY ($1)`

// documentOfRow has the document of a row of each table.
var documentOfRow = map[string]string{"document": "d.id", "ingestion": "d.document_id",
	"review_chunk": "(SELECT document_id FROM review_job WHERE id = d.job_id)", "matchmaking_job": "d.id"}

// LetterRows reads rows by their ids. It leaves out deleted ones.
func (r Reader) LetterRows(ctx context.Context, t postgres.Table, ids []uuid.UUID) ([]LetterRow, error) {
	sql := strings.ReplaceAll(letterRowsSQL, "{document}", documentOfRow[t.Name])
	return postgres.Rows[LetterRow](ctx, r.db, t.SQL(sql), ids)
}

// Asked counts the calls of a model for a document.
type Asked struct {
	Document                       uuid.UUID
	Model                          string
	Calls                          int
	PromptTokens, CompletionTokens int
}

const askedSQL = `
SELECT document_id, model, count(*), sum(prompt_tokens), sum(completion_tokens)
FROM model_answer WHERE document_id = ANY ($1) GROUP BY document_id, model`

// Asked counts the bought answers of documents, by model.
func (r Reader) Asked(ctx context.Context, documents []uuid.UUID) ([]Asked, error) {
	return postgres.Rows[Asked](ctx, r.db, askedSQL, documents)
}
