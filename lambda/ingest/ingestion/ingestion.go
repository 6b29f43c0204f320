// Package ingestion describes a file on its way to its documents: its row, its
// checkpoint, and the documents that were extracted. Storing them needs no
// parser, so that the functions with a database have none.
package ingestion

import (
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Row is a file, as its row describes it.
type Row struct {
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
	Valid                     bool        // it passed the gate
	Reasons                   []string    // for a person, why it did not
	InputTokens, OutputTokens int         // of the model, for the whole file; on the first document only
	Review                    *record.New // of a contract, stored with it; nil: none
}
