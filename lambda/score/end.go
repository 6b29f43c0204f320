package score

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"matchbook/lambda/document"
)

// End is what the competition has to know about a document of a pair.
type End struct {
	Number   string        `json:"number,omitempty"` // in comparable form
	Date     document.Date `json:"date,omitzero"`
	Received int64         `json:"received,omitzero"` // microseconds since 1970; 0: unknown
}

// maxEnd bounds the number of an End, in bytes; a longer one is replaced by its hash.
const maxEnd = 64

func (d Document) end() End {
	n := d.number.Canonical
	if len(n) > maxEnd {
		n = fmt.Sprintf("%x", sha256.Sum256([]byte(n)))
	}
	return End{n, d.Date, d.received}
}

// Cited reports whether one of the two cites the other: exactly, or also loosely
// or by a short number if they are of one company. The names of these kinds of
// evidence begin with "cites".
func (p Pair) Cited() bool {
	loosely := false
	for _, ev := range p.Evidence {
		if evCites.Is(ev) {
			return true
		}
		loosely = loosely || strings.HasPrefix(ev.Name, evCites.name)
	}
	return loosely && namesCompany(p.Evidence)
}
