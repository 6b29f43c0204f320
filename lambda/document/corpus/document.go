// Package corpus reads documents from files, JSON or XML, and the true links
// among them. A folder that people put together is read leniently (ReadFolder): malformed parts
// are listed, and the rest is read. A corpus that measures a matcher is read
// strictly (Read): the first fault is an error.
//
// The two read one document by rules of their own (readRecord, readDocument). The
// first supplies missing ids and refuses structured data that matching would
// refuse; the second requires every field, and leaves the data to the matcher that
// is measured.
package corpus

import (
	"encoding/json"
	"slices"
	"time"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// Document is a document of a corpus. Measuring needs only its id and type.
type Document struct {
	ID, TenantID uuid.UUID
	Type         document.Type
	FilePath     string // the file that it was read from, if known
	Line         int    // where it begins there
	Received     time.Time
	Data         json.RawMessage // structured data
}

// Pair is two documents, A < B.
type Pair struct {
	A uuid.UUID `json:"a"`
	B uuid.UUID `json:"b"`
}

// PairOf returns the pair of two documents in either order.
func PairOf(a, b uuid.UUID) Pair {
	if slices.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	return Pair{a, b}
}
