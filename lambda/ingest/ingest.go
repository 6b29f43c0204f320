// Package ingest is the work of the ingest function: from a file to documents
// that can be matched.
//
// A file is read by the cheapest source of truth that it has: an e-invoice in
// it, the text layer of a PDF, or an OCR. Its transcription is stored before
// the next step, so that a redelivery does not pay for it again. What a
// transcription says is extracted by a model, or by rules, and the gate
// compares it with the transcription, with arithmetic and with check digits. A
// document that does not pass is for a person, with the reasons. The result,
// and the publication for matching, are one transaction.
package ingest

import (
	"context"
	"io"
	"log/slog"
	"time"

	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// Store keeps ingestions.
type Store interface {
	// Ingestion reads a row; job.ErrFenceLost if it is gone.
	Ingestion(ctx context.Context, id uuid.UUID) (ingestion.Row, error)
	// Transcribed records a checkpoint, fenced. Its files are stored afterwards.
	Transcribed(ctx context.Context, f job.Fence, c ingestion.Checkpoint) error
	// Complete writes the documents of the file and publishes them for matching,
	// fenced, in one transaction. The caller sends the messages.
	Complete(ctx context.Context, f job.Fence, docs []ingestion.Extracted) ([]job.Stamped, error)
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
	Log        *slog.Logger
	Now        func() time.Time // for dates in the future; nil is time.Now
}
