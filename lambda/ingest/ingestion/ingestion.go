// Package ingestion describes a file on its way to its documents: its row, its checkpoint, and
// the extracted documents. It imports no parser, because functions that only store these don't
// need one.
package ingestion

import (
	"fmt"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/manifest"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Row is the row of an ingestion. (*ingestions.Store).AddFile inserts it.
type Row struct {
	ID, TenantID, DocumentID uuid.UUID
	FilePath                 string           // key of the blob
	Pages                    []int            // of the file, from 1; nil: all
	Transcription            string           // key of the checkpoint; empty: none yet
	Preprocessed             string           // key of the repaired file, if its reading is used
	Own                      []document.Party // the tenant's own companies, by name and VAT id
	Begins                   []int            // pages, from 1, at which documents begin by a person's decision; nil: as read
	Name                     string           // of the file, as sent; see Named. Never log it, because it may be a person's
}

// Checkpoint is a stored transcription.
type Checkpoint struct {
	Transcription string  // key of its file
	Quality       float64 // 0 to 1
	Preprocessed  string  // key of the repaired file, or empty
}

// Extracted is one document of a file, with the gate's result. The first has the ids of the
// file's ingestion and document; the others derive theirs from it.
type Extracted struct {
	ID, DocumentID uuid.UUID
	extraction.Extraction
	Valid                     bool          // passed the gate
	Reasons                   []string      // for a person: why it failed the gate
	InputTokens, OutputTokens int           // of the model, for the whole file; on the first document only
	Review                    *record.New   // of a contract, stored with it; may be nil
	Account                   *Account      // of the pages of the whole file; on the first document only
	Lines                     []taught.Line // as printed, so that a correction can teach; nil: of an e-invoice
	Forgotten                 []Forgotten
}

// Forgotten is a taught rule that failed on the document, and why.
type Forgotten struct {
	Rule int64
	Why  string
}

// Image returns the key of a page's image, from 1.
func (r Row) Image(page int) string {
	return fmt.Sprintf("%s%s/page-%d.png", manifest.FolderIngestions, r.ID, page)
}
