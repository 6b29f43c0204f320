package ingestion

import (
	"fmt"
	"strings"
)

// Account shows where each page of a file went. A page in a document counts as read.
type Account struct {
	Pages  int      `json:"pages"`
	Blank  []int    `json:"blank,omitempty"`    // by number, from 1
	Unread []Unread `json:"not_read,omitempty"` // each is a reason for a person
}

// Unread is a page that no document has.
type Unread struct {
	Page int    `json:"page"` // from 1
	Why  string `json:"why"`
}

// Read counts the pages that a document has.
func (a Account) Read() int { return a.Pages - len(a.Blank) - len(a.Unread) }

// String returns the account as a sum.
func (a Account) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pages %d = read %d", a.Pages, a.Read())
	if len(a.Blank) > 0 {
		named := make([]string, len(a.Blank))
		for i, n := range a.Blank {
			named[i] = fmt.Sprint("page ", n)
		}
		fmt.Fprintf(&b, " + blank %d (%s)", len(named), strings.Join(named, ", "))
	}
	if len(a.Unread) > 0 {
		named := make([]string, len(a.Unread))
		for i, u := range a.Unread {
			named[i] = fmt.Sprintf("page %d: %s", u.Page, u.Why)
		}
		fmt.Fprintf(&b, " + not read %d (%s)", len(named), strings.Join(named, "; "))
	}
	return b.String()
}
