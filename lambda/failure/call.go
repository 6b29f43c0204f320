package failure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"
)

// Call is a failed call of another service, with all facts needed to decide its kind. Keep it
// inside the adapter that made the call, because its code and its errors may hold anything.
type Call struct {
	Status  int           // of the response; 0 if there was none
	Code    string        // the service's error code
	Wait    time.Duration // requested by the service; see RetryAfter
	Ended   error         // the caller's context error, if it ended the call
	Network error         // before the headers (Status is 0) or in the body
	Cause   error         // any other error: a library's, or a fault of the response
}

// Error lets you pass a Call through a library as an error.
func (*Call) Error() string { return "call failed" }

// Stopped reports whether the caller cancelled its context.
func (c *Call) Stopped() bool { return errors.Is(c.Ended, context.Canceled) }

// OutOfTime reports whether the deadline of the caller's context passed.
func (c *Call) OutOfTime() bool { return errors.Is(c.Ended, context.DeadlineExceeded) }

// TimedOut reports whether the adapter's own timeout ended the call.
func (c *Call) TimedOut() bool {
	var n net.Error
	return errors.As(c.Network, &n) && n.Timeout()
}

// BrokeOff reports whether the connection failed within a response.
func (c *Call) BrokeOff() bool { return c.Network != nil && c.Status != 0 }

// Disconnected reports whether the connection failed.
func (c *Call) Disconnected() bool { return c.Network != nil }

// ClientError reports whether the status is 4xx.
func (c *Call) ClientError() bool { return c.Status/100 == 4 }

// ServerError reports whether the status is 5xx.
func (c *Call) ServerError() bool { return c.Status/100 == 5 }

// ErrorStatus reports whether there was a response with a status other than 2xx.
func (c *Call) ErrorStatus() bool { return c.Status != 0 && c.Status/100 != http.StatusOK/100 }

// Status returns a Match for calls with one of these response statuses.
func Status(these ...int) func(*Call) bool {
	return func(c *Call) bool { return slices.Contains(these, c.Status) }
}

// Row is a line of a Table.
type Row struct {
	Name     string // for tests
	Match    func(*Call) bool
	Kind     Kind
	Sentence string
	Refused  bool          // the service rejected our credentials or their permissions
	Wait     time.Duration // the minimum, for a transient failure
	// Away marks a failure of the service itself, whatever was asked: such calls, without a
	// success in between, are an outage (see package breaker). A failure due to the question, to
	// our rate of calls or to our key must not have it.
	Away bool
	Busy bool // the service refused the call because there were too many
}

// Table classifies the failed calls of one service by its first matching row. A call without a
// matching row is transient.
type Table struct {
	Service string   // named in the sentence for a call without a matching row
	Codes   []string // safe to use in a sentence; any other code may hold values
	Rows    []Row
}

// Classify decides the kind of a failed call. The returned Error wraps nothing of the call, so
// it is safe to log.
func (t Table) Classify(c *Call) *Error {
	for _, r := range t.Rows {
		if !r.Match(c) {
			continue
		}
		e := &Error{Kind: r.Kind, Sentence: r.Sentence + t.detail(c), Refused: r.Refused, Away: r.Away, Busy: r.Busy}
		if r.Kind == Transient {
			e.RetryAfter = max(c.Wait, r.Wait)
		}
		return e
	}
	cause := root(cmp.Or(c.Cause, c.Network))
	return &Error{Kind: Transient, Sentence: fmt.Sprintf("unexpected error of %s (%T)", t.Service, cause) + t.detail(c)}
}

// detail is the safe part of a response with a status other than 2xx, or of an answer with a
// code.
func (t Table) detail(c *Call) string {
	switch {
	case c.Status == 0 && slices.Contains(t.Codes, c.Code):
		return fmt.Sprintf(" (%s)", c.Code)
	case !c.ErrorStatus():
		return ""
	case !slices.Contains(t.Codes, c.Code):
		return fmt.Sprintf(" (HTTP %d)", c.Status)
	}
	return fmt.Sprintf(" (HTTP %d, %s)", c.Status, c.Code)
}
