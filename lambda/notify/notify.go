// Package notify sends failures to people. The transaction that fails a row also writes its
// notification; this package sends it. It defines the content of a notification (Failure), the
// message about one or more failures (Message), the time to send it (Plan), and the duties of
// a channel (Sender). It depends on no channel and no database. See packages slack and email
// for the channels, and package outbox for the delivery of sets and events.
//
// # When
//
// A failure is sent at once, unless its channel got a message of the same kind less than a
// minute ago. Then it waits for the end of this minute, and all waiting failures are sent as
// one digest: the count, the first few, and a link to the rest. So a channel gets at most one
// message of a kind per minute, a wrong API key that fails a thousand rows within a minute
// makes two messages, and kinds don't wait for each other. See Plan.
//
// # Contents
//
// A message has the failure's sentence, ids, counts, times, and the names of the tenant and of
// the file, but nothing of the row. One and Digest remove control characters and line breaks, and limit every text,
// so a Sender only needs to escape the special characters of its format, and to keep the
// format's limits.
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

// Failure is the content of a notification. Its JSON is the row's payload; ID and At are
// columns.
type Failure struct {
	ID         uuid.UUID `json:"-"`           // the notification's
	At         time.Time `json:"-"`           // when the row failed
	Subject    string    `json:"-"`           // the word for the failed row; empty: a document
	SubjectID  uuid.UUID `json:"document_id"` // a payload has it for documents; the row has it for all
	Document   uuid.UUID `json:"-"`           // with a page about it; zero: SubjectID of a document, otherwise none
	File       string    `json:"-"`           // the name of its file or contract, as sent; empty: unknown, or neither
	TenantID   uuid.UUID `json:"tenant_id"`
	Tenant     string    `json:"tenant"`            // its name
	Kind       string    `json:"kind"`              // transient, permanent, lost or crashed
	Error      string    `json:"error"`             // a sentence safe to show
	Attempts   int       `json:"attempts"`          // claims of the row, ever
	Deliveries int       `json:"deliveries"`        // of the last message; 0 if unknown
	Warning    bool      `json:"warning,omitempty"` // nothing failed, but people should look at the row
	Service    string    `json:"service,omitempty"` // of an outage; it has no row and no tenant
}

// service is the subject of the beginning and the end of an outage. Their kinds are outage and
// outage over.
const service = "service"

func (f Failure) subject() string { return cmp.Or(f.Subject, document) }

// document is the subject with pages and a verb: matching.
const document = "document"

// Topic groups failures: a channel gets each topic once a minute at most. It is one kind of
// one workload; for documents it is just the kind.
func (f Failure) Topic() string {
	if f.subject() == document {
		return f.Kind
	}
	return f.Subject + " " + f.Kind
}

// Throttled reports whether there were more deliveries than attempts: some ended before the
// work ran, because the function was throttled or another delivery held the row.
func (f Failure) Throttled() bool { return f.Deliveries > f.Attempts }

// The limits of the texts in a message, in characters. An Error is limited where it is made,
// and here again.
const (
	maxKind   = 40
	maxTenant = 200
	maxFile   = 100
	maxLink   = 2000
)

// tidy limits the texts and makes each a single line.
func (f Failure) tidy() Failure {
	f.Kind, f.Tenant, f.Error = line(f.Kind, maxKind), line(f.Tenant, maxTenant), line(f.Error, failure.MaxText)
	f.Subject, f.Service, f.File, f.At = line(f.Subject, maxKind), line(f.Service, maxTenant), line(f.File, maxFile), f.At.UTC()
	return f
}

// line makes one line of s: invalid characters, line ends, terminal controls and bidirectional
// marks become spaces.
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

// MaxWait is the longest wait accepted from a channel.
const MaxWait = time.Hour

// Sender is a channel. It must be safe for concurrent use, must not retry, and must return
// within a time limit even if ctx has none.
type Sender interface {
	// Channel returns the name used in notification_delivery: "slack".
	Channel() string
	// Send returns nil once the other side has accepted the message. Otherwise it returns a
	// *failure.Error with the requested wait, without any address or secret. After a transient
	// error the message may have arrived, since only the answer may be lost.
	Send(ctx context.Context, m Message) error
}
