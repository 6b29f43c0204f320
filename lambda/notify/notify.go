// Package notify tells people about failures. The rows are there already: a
// notification is written in the transaction that fails a document. What this
// package knows is what such a row says (Failure), what is made of one or of
// many (Message), when that is sent (Plan), and what a channel must do
// (Sender). It knows no channel and no database; packages slack and email,
// below it, are channels, and another is one more small package.
//
// # When
//
// A failure is told at once, unless its channel was told about another of the
// same kind less than a minute ago. Then it waits until that minute is over,
// and all that waited is told in one message, a digest: the count, the first
// few, a link to the rest. So a channel hears of a kind once a minute at most,
// a wrong API key that fails a thousand documents within a minute is two
// messages, and kinds do not wait for each other. Plan is that rule.
//
// # What
//
// A message holds our own sentence about a failure, ids, counts, times, and
// the name of the tenant; nothing of a document. One and Digest drop control
// characters and line breaks, and bound every text, so a Sender has only to
// escape what its own format reads, and to keep that format's limits.
package notify

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/failure"

	"github.com/google/uuid"
)

// Failure is what the row of a notification says. Its JSON is the row's
// payload; ID and At are columns.
type Failure struct {
	ID         uuid.UUID `json:"-"` // of the notification
	At         time.Time `json:"-"` // when the document failed
	TenantID   uuid.UUID `json:"tenant_id"`
	Tenant     string    `json:"tenant"` // its name
	DocumentID uuid.UUID `json:"document_id"`
	Kind       string    `json:"kind"`       // transient, permanent, lost, crashed
	Error      string    `json:"error"`      // our sentence
	Attempts   int       `json:"attempts"`   // claims of the work, ever
	Deliveries int       `json:"deliveries"` // of the last message; 0 if none is left
}

// Throttled reports whether there were more deliveries than attempts: some
// came to nothing before the work ran, because the function was throttled or
// the document was held by another.
func (f Failure) Throttled() bool { return f.Deliveries > f.Attempts }

// The bounds of what is told, in characters. An Error is bounded where it is
// made, and again here.
const (
	maxKind   = 40
	maxTenant = 200
	maxLink   = 2000
)

// tidy bounds the texts and makes a line of each.
func (f Failure) tidy() Failure {
	f.Kind, f.Tenant, f.Error = line(f.Kind, maxKind), line(f.Tenant, maxTenant), line(f.Error, failure.MaxText)
	f.At = f.At.UTC()
	return f
}

// line makes one line of s: what is no character, ends a line, controls a
// terminal or turns the direction of writing becomes a space.
func line(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// Sender is a channel. It is safe for concurrent use, never tries twice, and
// returns within a time of its own even if the context has no end.
type Sender interface {
	// Channel is its name in notification_delivery: "slack".
	Channel() string
	// Send returns nil once the other side has taken the message over. Its
	// error is a *failure.Error, with the wait that was asked for, and holds
	// neither an address nor a secret. A transient one may hide that the
	// message did arrive: the answer was lost.
	Send(ctx context.Context, m Message) error
}
