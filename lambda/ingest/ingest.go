// Package ingest is the work of the ingest function: from a file to documents
// that can be matched.
//
// A file is read by the cheapest source of truth that it has: an e-invoice in
// it, the text layer of a PDF, or an OCR. Its transcription is stored before
// the next step, so that a redelivery does not pay for it again. What a
// transcription says is extracted by a model, or by rules, and the gate
// compares it with the transcription, with arithmetic and with check digits. A
// document that does not pass is for a person, with the reasons. The result,
// the publication for matching and, where contracts are reviewed, the review of a
// contract are one transaction.
package ingest

import (
	"context"
	"io"
	"log/slog"
	"time"

	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Store keeps ingestions.
type Store interface {
	// Ingestion reads a row; job.ErrFenceLost if it is gone.
	Ingestion(ctx context.Context, id uuid.UUID) (ingestion.Row, error)
	// Transcribed records a checkpoint, fenced. Its files are stored afterwards.
	Transcribed(ctx context.Context, f job.Attempt, c ingestion.Checkpoint) error
	// Complete writes the documents of the file and publishes them for matching, and
	// stores their reviews, fenced, in one transaction. The caller sends the messages
	// of the documents and of the chunks of reviews.
	Complete(ctx context.Context, f job.Attempt, docs []ingestion.Extracted) (documents, chunks []job.Stamped, err error)
}

// Reviewer prepares reviews of contracts; review.Starter is one.
type Reviewer interface {
	// PrepareIngested returns the review of a contract that has these pages, always
	// with the same id for a document. A permanent failure has the reason why there
	// can be none.
	PrepareIngested(
		ctx context.Context, tenantID, documentID uuid.UUID, name string, pages []transcript.Page,
	) (record.New, error)
}

// Blobs stores files by their keys.
type Blobs interface {
	Read(ctx context.Context, key string, most int64) ([]byte, error)
	Write(ctx context.Context, key string, file io.ReadSeeker) error
}

// Ingester reads files.
type Ingester struct {
	Store Store
	Blobs Blobs
	PDFs  *pdf.Reader
	OCR   OCR    // nil: none
	NoOCR string // the reason why there is none
	// GoodEnough is the quality below which a page is repaired and read again; 0
	// is 0.7.
	GoodEnough float64
	Model      *llm.Asker // nil: extraction by rules
	Sender     job.Sender // to the queue of the match function
	Reviewer   Reviewer   // nil: contracts are not reviewed
	Chunks     job.Sender // to the queue of the review function; nil without a Reviewer
	Log        *slog.Logger
	Now        func() time.Time // for dates in the future; nil is time.Now
}
