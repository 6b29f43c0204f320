// Package ingest is the work of the ingest function: it turns a file into documents ready for
// matching.
//
// It reads the cheapest reliable source of a file: an e-invoice, the text layer of a PDF, or
// OCR. It stores the transcription before the next step, so that a redelivery doesn't pay for
// OCR again. A model or rules extract the fields, and the gate checks them against the
// transcription, arithmetic and check digits. A document that fails the gate needs a person;
// the reasons are listed. One transaction writes the result, publishes the documents for
// matching and, where contracts are reviewed, stores the review of a contract.
//
// The row of an ingestion must exist before its message: package inbox inserts it (AddFile).
package ingest

import (
	"context"
	"io"
	"log/slog"
	"time"

	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Store reads and completes ingestions. See inbox.Store for the insert.
type Store interface {
	// Ingestion returns a row, or job.ErrFenceLost if it is gone.
	Ingestion(ctx context.Context, id uuid.UUID) (ingestion.Row, error)
	// Taught returns the rules of a tenant with one of these keys, for a document: also rules
	// forgotten because of it, so that reading it again ends alike.
	Taught(ctx context.Context, tenantID, documentID uuid.UUID, keys []string) ([]taught.Rule, error)
	// Transcribed records a checkpoint, fenced. Store its files afterwards.
	Transcribed(ctx context.Context, f job.Attempt, c ingestion.Checkpoint) error
	// Complete writes the documents of the file, publishes them for matching, stores their
	// reviews and forgets the taught rules that failed, fenced and in one transaction. The caller must send the messages of the
	// returned documents and chunks of reviews.
	Complete(ctx context.Context, f job.Attempt, docs []ingestion.Extracted) (documents, chunks []job.Stamped, err error)
}

// Reviewer prepares reviews of contracts; review.Starter implements it.
type Reviewer interface {
	// PrepareIngested returns the review of a contract with these pages. A document's review
	// always has the same id. If the contract can't be reviewed, the error is a permanent
	// failure with the reason.
	PrepareIngested(
		ctx context.Context, tenantID, documentID uuid.UUID, name string, pages []transcript.Page,
	) (record.New, error)
}

// Blobs reads and writes files by key.
type Blobs interface {
	Read(ctx context.Context, key string, most int64) ([]byte, error)
	Write(ctx context.Context, key string, file io.ReadSeeker) error
}

// Ingester reads files. Store, Blobs, Sender and Log must be set; PDF files need PDFs.
type Ingester struct {
	Store Store
	Blobs Blobs
	PDFs  *pdf.Reader
	OCR   OCR    // nil: pages without text aren't read
	NoOCR string // why OCR is nil, for people
	// GoodEnough is the quality below which a page is repaired and read again; 0 means 0.7.
	GoodEnough float64
	Model      *llm.Asker // nil: use rules
	PagesOnly  bool       // ignore e-invoices in PDFs, to measure the reading of pages by them
	Sender     job.Sender // to the match queue
	Reviewer   Reviewer   // nil: contracts aren't reviewed
	Chunks     job.Sender // to the review queue; nil without a Reviewer
	Log        *slog.Logger
	Now        func() time.Time // decides which dates are in the future; nil: time.Now
}
