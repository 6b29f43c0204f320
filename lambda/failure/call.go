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

// Call is a call of another service that brought no result, with all facts that
// decide its kind. It stays inside the adapter that made the call: its code and
// its errors may hold anything.
type Call struct {
	Status  int           // of the response; 0 if there was none
	Code    string        // the service's error code
	Wait    time.Duration // requested by the service, see RetryAfter
	Ended   error         // of the caller's context, if that ended the call
	Network error         // before the headers (Status 0) or in the body
	Cause   error         // any other: a library's error, or the fault of an answer
}

// Error lets a Call pass through a library that reports errors.
func (*Call) Error() string { return "the call failed" }

// Stopped reports whether the caller's context was cancelled.
func (c *Call) Stopped() bool { return errors.Is(c.Ended, context.Canceled) }

// OutOfTime reports whether the caller's context had a deadline, which passed.
func (c *Call) OutOfTime() bool { return errors.Is(c.Ended, context.DeadlineExceeded) }

// TimedOut reports whether the adapter's own timeout ended the call.
func (c *Call) TimedOut() bool {
	var n net.Error
	return errors.As(c.Network, &n) && n.Timeout()
}

// BrokeOff reports whether the connection failed in the body of a response.
func (c *Call) BrokeOff() bool { return c.Network != nil && c.Status != 0 }

// Disconnected reports whether the connection failed.
func (c *Call) Disconnected() bool { return c.Network != nil }

// ClientError reports whether the status is 4xx.
func (c *Call) ClientError() bool { return c.Status/100 == 4 }

// ServerError reports whether the status is 5xx.
func (c *Call) ServerError() bool { return c.Status/100 == 5 }

// ErrorStatus reports whether there was a response whose status is not 2xx.
func (c *Call) ErrorStatus() bool { return c.Status != 0 && c.Status/100 != http.StatusOK/100 }

// Status matches the calls that were answered with one of these statuses.
func Status(these ...int) func(*Call) bool {
	return func(c *Call) bool { return slices.Contains(these, c.Status) }
}

// Row is a line of a Table.
type Row struct {
	Name     string // for tests
	Match    func(*Call) bool
	Kind     Kind
	Sentence string
	Refused  bool          // the service does not accept our credentials, or what they are allowed
	Wait     time.Duration // the shortest, of a transient failure
}

// Table classifies the failed calls of one service. The first row that matches
// decides; a call that no row matches is transient.
type Table struct {
	Service string   // in the sentence for a call that no row matches
	Codes   []string // that a sentence may contain: any other text may hold values
	Rows    []Row
}

// Classify decides the kind of a failed call. It wraps none of its errors.
func (t Table) Classify(c *Call) *Error {
	for _, r := range t.Rows {
		if !r.Match(c) {
			continue
		}
		e := &Error{Kind: r.Kind, Sentence: r.Sentence + t.detail(c), Refused: r.Refused}
		if r.Kind == Transient {
			e.RetryAfter = max(c.Wait, r.Wait)
		}
		return e
	}
	cause := root(cmp.Or(c.Cause, c.Network))
	return &Error{Kind: Transient, Sentence: fmt.Sprintf("unexpected error of %s (%T)", t.Service, cause) + t.detail(c)}
}

// detail is the part of a response other than 2xx that a sentence may contain.
func (t Table) detail(c *Call) string {
	switch {
	case !c.ErrorStatus():
		return ""
	case !slices.Contains(t.Codes, c.Code):
		return fmt.Sprintf(" (HTTP %d)", c.Status)
	}
	return fmt.Sprintf(" (HTTP %d, %s)", c.Status, c.Code)
}
