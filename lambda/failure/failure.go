// Package failure classifies errors: each is transient, permanent or parked, and has a fixed sentence.
// Use Of to classify any error. If your adapter knows more about its service, such as statuses
// and codes, give it a Table and return an *Error; Of keeps this decision. All other code must
// act on the Kind, never on the text.
//
// Sentences are safe to store, log and send. They contain an operation, a SQLSTATE or a type
// name, but never the text of a driver's or provider's error, because it may contain values,
// customer texts or keys.
package failure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// Kind decides whether another try may help.
type Kind int

const (
	// Transient failures may go away, so try again later. Anything unknown is transient.
	Transient Kind = iota
	// Permanent failures come back with every try.
	Permanent
	// Parked work didn't fail: a service it needs is away, and it goes on once the service is
	// back. See package breaker.
	Parked
)

// String returns "transient", "permanent" or "parked"; notifications use the first two.
func (k Kind) String() string { return [...]string{"transient", "permanent", "parked"}[k] }

// Error is a failure classified where it happened.
type Error struct {
	Kind       Kind
	Sentence   string        // what happened; must not contain values
	RetryAfter time.Duration // the wait requested by the other side; 0 without one
	Refused    bool          // the other side rejected our credentials; a person must replace them
	Away       bool          // the other side failed whatever was asked; see Row.Away
	Busy       bool          // the other side refused the call because there were too many
	Service    string        // Parked: the service to wait for
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Sentence }

// Permanently returns a permanent Error. Its arguments must be safe to log.
func Permanently(format string, args ...any) error {
	return &Error{Kind: Permanent, Sentence: fmt.Sprintf(format, args...)}
}

// Panic is the error of a recovered panic. Its text has only the type of the value, since the
// value may contain a customer's text.
type Panic struct {
	Value any
	Stack []byte // without the panic's value; for the log
}

// Error returns a sentence with the type of the panic's value.
func (p *Panic) Error() string { return fmt.Sprintf("panic (%T)", p.Value) }

// Guard calls f, and returns a panic in it as a *Panic.
func Guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// At wraps err with the failed operation: At("read rows", err). It returns nil if err is nil.
func At(operation string, err error) error {
	if err == nil {
		return nil
	}
	return &located{operation, err}
}

type located struct {
	operation string
	err       error
}

// Error returns the operation and the error.
func (l *located) Error() string { return l.operation + ": " + l.err.Error() }

// Unwrap returns the error without the operation.
func (l *located) Unwrap() error { return l.err }

// Failure is a classified error.
type Failure struct {
	Kind       Kind
	Text       string // at most MaxText characters, safe to store, log and send
	RetryAfter time.Duration
	Refused    bool   // as in Error
	Away       bool   // as in Error
	Busy       bool   // as in Error
	Service    string // as in Error
}

// Error returns the failure as an error with this sentence.
func (f Failure) Error(sentence string) *Error {
	return &Error{f.Kind, sentence, f.RetryAfter, f.Refused, f.Away, f.Busy, f.Service}
}

// MaxText limits Text, in characters.
const MaxText = 1000

// Of classifies err, which must not be nil. For joined errors, it uses the operations of the
// first one.
func Of(err error) Failure {
	f := classify(err)
	var where []string
	for e := err; e != nil; e = unwrap(e) {
		if l, ok := e.(*located); ok {
			where = append(where, l.operation)
		}
	}
	f.Text = cut(strings.Join(append(where, f.Text), ": "))
	return f
}

func classify(err error) Failure {
	for _, row := range table {
		if f, ok := row.match(err); ok {
			return f
		}
	}
	return Failure{Kind: Transient, Text: fmt.Sprintf("unexpected error (%T)", root(err))}
}

// table holds the kinds of failure; the first matching row decides.
var table = []struct {
	name  string
	match func(error) (Failure, bool)
}{
	{"decided where it happened", func(err error) (Failure, bool) {
		var e *Error
		if !errors.As(err, &e) {
			return Failure{}, false
		}
		return Failure{e.Kind, e.Sentence, e.RetryAfter, e.Refused, e.Away, e.Busy, e.Service}, true
	}},
	{"panic", func(err error) (Failure, bool) {
		var p *Panic
		if !errors.As(err, &p) {
			return Failure{}, false
		}
		return Failure{Kind: Permanent, Text: p.Error()}, true
	}},
	{"SQLSTATE class 22, data that cannot be stored", sqlState(Permanent, "the database refused the data", "22")},
	{"SQLSTATE class 23, a constraint", sqlState(Permanent, "the database refused the data", "23")},
	{"SQLSTATE 53100, a full disk", sqlState(Transient, "the database's disk is full", "53100")},
	{"any other SQLSTATE", sqlState(Transient, "database error", "")},
	{"no space left on the device", is("the disk is full", syscall.ENOSPC, syscall.EDQUOT)},
	{"out of time", is("out of time", context.DeadlineExceeded)},
	{"stopped", is("stopped before it was done", context.Canceled)},
	{"connection refused, reset or broken", is("connection failed", disconnections...)},
	{"an AWS service refused the call", func(err error) (Failure, bool) {
		var api interface{ ErrorCode() string } // smithy.APIError, without importing the SDK
		if !errors.As(err, &api) {
			return Failure{}, false
		}
		return Failure{Kind: Transient, Text: fmt.Sprintf("AWS error (%.100s)", api.ErrorCode())}, true
	}},
	{"network", func(err error) (Failure, bool) {
		var n net.Error
		return Failure{Kind: Transient, Text: "network error"}, errors.As(err, &n)
	}},
}

// disconnections are the errors of a refused, reset or broken connection.
var disconnections = []error{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed, io.EOF, io.ErrUnexpectedEOF,
}

// Disconnected reports whether err is due to a refused, reset or broken connection.
func Disconnected(err error) bool {
	return slices.ContainsFunc(disconnections, func(target error) bool { return errors.Is(err, target) })
}

// sqlState is a row for errors with a SQLSTATE of this class; use "" for any.
func sqlState(kind Kind, sentence, class string) func(error) (Failure, bool) {
	return func(err error) (Failure, bool) {
		var s interface{ SQLState() string } // pgconn.PgError, without importing the driver
		if !errors.As(err, &s) || !strings.HasPrefix(s.SQLState(), class) {
			return Failure{}, false
		}
		return Failure{Kind: kind, Text: fmt.Sprintf("%s (SQLSTATE %s)", sentence, s.SQLState())}, true
	}
}

// is is a row for these errors, which may go away.
func is(sentence string, targets ...error) func(error) (Failure, bool) {
	return func(err error) (Failure, bool) {
		for _, target := range targets {
			if errors.Is(err, target) {
				return Failure{Kind: Transient, Text: sentence}, true
			}
		}
		return Failure{}, false
	}
}

func root(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// unwrap is errors.Unwrap, but returns the first of joined errors.
func unwrap(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			return e
		}
		return nil
	}
	return errors.Unwrap(err)
}

func cut(s string) string {
	if utf8.RuneCountInString(s) <= MaxText {
		return s
	}
	return string([]rune(s)[:MaxText-1]) + "…"
}
