// Package corpus reads documents from files, JSON or XML, and the true links among them. Use
// ReadFolder for a folder put together by people: it is lenient, so it lists malformed parts
// and reads the rest. Use Read for a corpus that measures a matcher: it is strict, so the
// first fault is an error.
//
// The two also differ in reading a document (readRecord, readDocument). The first supplies
// missing ids and refuses structured data that matching would refuse. The second requires
// every field, and leaves the data to the measured matcher.
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
	FilePath     string // its file, if known
	Line         int    // where it begins there
	Received     time.Time
	Data         json.RawMessage // structured data
}

// Pair is two documents, A < B. Use PairOf to order them.
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
