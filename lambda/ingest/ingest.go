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

	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// Ingestion is a file, as its row describes it.
type Ingestion struct {
	ID, TenantID, DocumentID uuid.UUID
	FilePath                 string // key of the blob
	Pages                    []int  // of the file, from 1; nil: all
	Transcription            string // key of the checkpoint; empty: none yet
	Preprocessed             string // key of the repaired file, if it was the better one
}

// Checkpoint is a stored transcription.
type Checkpoint struct {
	Transcription string  // its key
	Quality       float64 // 0 to 1
	Preprocessed  string  // key of the repaired file; empty: none
}

// Extracted is one document of a file, and how it passed the gate. The first
// one has the ids of the file's ingestion and document, the others derive theirs
// from it.
type Extracted struct {
	ID, DocumentID uuid.UUID
	extraction.Extraction
	Valid                     bool     // it passed the gate
	Reasons                   []string // for a person, why it did not
	InputTokens, OutputTokens int      // of the model, for the whole file; on the first document only
}

// Store keeps ingestions.
type Store interface {
	// Ingestion reads a row; job.ErrFenceLost if it is gone.
	Ingestion(ctx context.Context, id uuid.UUID) (Ingestion, error)
	// Transcribed records a checkpoint that is stored, fenced.
	Transcribed(ctx context.Context, f job.Fence, c Checkpoint) error
	// Complete writes the documents of the file and publishes them for matching,
	// fenced, in one transaction. The caller sends the messages.
	Complete(ctx context.Context, f job.Fence, docs []Extracted) ([]job.Stamped, error)
}

// Blobs stores files by their keys.
type Blobs interface {
	Read(ctx context.Context, key string, most int64) ([]byte, error)
	Write(ctx context.Context, key string, file io.ReadSeeker) error
}

// Ingester reads files.
type Ingester struct {
	Store  Store
	Blobs  Blobs
	PDFs   *pdf.Reader
	OCR    OCR        // nil: none
	NoOCR  string     // the reason why there is none
	Model  *llm.Asker // nil: extraction by rules
	Sender job.Sender // to the queue of the match function
	Log    *slog.Logger
	Now    func() time.Time // for dates in the future; nil is time.Now
}
