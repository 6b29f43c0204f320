// Package notify sends failures to people. The rows are there already: a
// notification is written in the transaction that fails a row. This
// package defines the contents of such a row (Failure), the message about one
// failure or many (Message), the time at which it is sent (Plan), and the
// duties of a channel (Sender). It knows no channel and no database; packages
// slack and email, below it, are channels, listed in manifest.Channels.
//
// # When
//
// A failure is sent at once, unless its channel got a message of the same kind
// less than a minute ago. Then it waits until that minute is over, and all
// failures that waited are sent in one message, a digest: the count, the first
// few, a link to the rest. So a channel gets one message of a kind per minute
// at most, a wrong API key that fails a thousand rows within a minute
// makes two messages, and kinds do not wait for each other. Plan is that rule.
//
// # Contents
//
// A message holds our own sentence about a failure, ids, counts, times, and the
// name of the tenant; nothing of the row. One and Digest drop control
// characters and line breaks, and bound every text, so a Sender has only to
// escape the special characters of its own format, and to keep that format's
// limits.
package notify

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/failure"

	"github.com/google/uuid"
)

// Failure is the content of a notification's row. Its JSON is the row's
// payload; ID and At are columns.
type Failure struct {
	ID         uuid.UUID `json:"-"`           // of the notification
	At         time.Time `json:"-"`           // when the row failed
	Subject    string    `json:"-"`           // the kind of row that failed, in a word; empty: a document
	SubjectID  uuid.UUID `json:"document_id"` // a payload has it of documents; the row has it of all
	TenantID   uuid.UUID `json:"tenant_id"`
	Tenant     string    `json:"tenant"`            // its name
	Kind       string    `json:"kind"`              // transient, permanent, lost, crashed
	Error      string    `json:"error"`             // our sentence
	Attempts   int       `json:"attempts"`          // claims of the work, ever
	Deliveries int       `json:"deliveries"`        // of the last message; 0 if none is left
	Warning    bool      `json:"warning,omitempty"` // nothing failed: the row is for people to look at
}

// subject is never empty.
func (f Failure) subject() string { return cmp.Or(f.Subject, document) }

// document is the subject that has pages, and an act of its own: matching.
const document = "document"

// Topic is the subject that a channel gets once a minute at most: failures of
// one kind and of one workload. Of documents it is the kind.
func (f Failure) Topic() string {
	if f.subject() == document {
		return f.Kind
	}
	return f.Subject + " " + f.Kind
}

// Throttled reports whether there were more deliveries than attempts: some
// ended before the work ran, because the function was throttled or another
// delivery held the row.
func (f Failure) Throttled() bool { return f.Deliveries > f.Attempts }

// The bounds of the texts in a message, in characters. An Error is bounded
// where it is made, and again here.
const (
	maxKind   = 40
	maxTenant = 200
	maxLink   = 2000
)

// tidy bounds the texts and makes a line of each.
func (f Failure) tidy() Failure {
	f.Kind, f.Tenant, f.Error = line(f.Kind, maxKind), line(f.Tenant, maxTenant), line(f.Error, failure.MaxText)
	f.Subject, f.At = line(f.Subject, maxKind), f.At.UTC()
	return f
}

// line makes one line of s: invalid characters, line ends, terminal controls
// and marks that turn the direction of writing become spaces.
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

// MaxWait is the longest wait that a channel may ask for.
const MaxWait = time.Hour

// Sender is a channel. It is safe for concurrent use, never tries twice, and
// returns within a time of its own even if the context has no end.
type Sender interface {
	// Channel returns the name in notification_delivery: "slack".
	Channel() string
	// Send returns nil once the other side has accepted the message. Its error
	// is a *failure.Error, with the wait that was asked for, and holds neither
	// an address nor a secret. A transient one may hide that the message did
	// arrive: the answer was lost.
	Send(ctx context.Context, m Message) error
}
