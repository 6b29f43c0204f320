// Package corpus reads documents from files, and the true links among them. A
// folder that people put together is read leniently (ReadFolder): what is
// malformed is listed, and the rest is taken. A corpus that a matcher is
// measured against is read strictly (Read): the first fault is an error.
package corpus

import (
	"encoding/json"
	"slices"
	"time"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// Document is a document of a corpus. What is measured needs only its id and
// type.
type Document struct {
	ID, TenantID uuid.UUID
	Type         document.Type
	FilePath     string // of the file that it was read from, if that is known
	Received     time.Time
	Data         json.RawMessage // structured data
}

// Pair is two documents, A < B.
type Pair struct {
	A uuid.UUID `json:"a"`
	B uuid.UUID `json:"b"`
}

// PairOf is the pair of two documents in either order.
func PairOf(a, b uuid.UUID) Pair {
	if slices.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	return Pair{a, b}
}
