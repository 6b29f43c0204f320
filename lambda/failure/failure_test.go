package failure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"matchbook/lambda/failure"

	"github.com/aws/smithy-go"
	"github.com/jackc/pgx/v5/pgconn"
)

func pgErr(code string) error {
	return &pgconn.PgError{Code: code, Message: "secret", Detail: "Key (secret)=(secret)"}
}

func TestFailureKinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		err  error
		kind failure.Kind
		text string
	}{
		{"decided", failure.Permanently("the document is too large"), failure.Permanent, "the document is too large"},
		{"decided, wrapped", fmt.Errorf("secret: %w", failure.Permanently("too large")), failure.Permanent,
			"too large"},
		{"panic", &failure.Panic{Value: "secret"}, failure.Permanent, "panic (string)"},
		{"class 22", pgErr("22P02"), failure.Permanent, "the database refused the data (SQLSTATE 22P02)"},
		{"class 23", pgErr("23505"), failure.Permanent, "the database refused the data (SQLSTATE 23505)"},
		{"full disk", pgErr("53100"), failure.Transient, "the database's disk is full (SQLSTATE 53100)"},
		{"full disk of files", &fs.PathError{Op: "write", Path: "secret", Err: syscall.ENOSPC}, failure.Transient, "the disk is full"},
		{"serialization", pgErr("40001"), failure.Transient, "database error (SQLSTATE 40001)"},
		{"statement timeout", pgErr("57014"), failure.Transient, "database error (SQLSTATE 57014)"},
		{"read only", pgErr("25006"), failure.Transient, "database error (SQLSTATE 25006)"},
		{"no table", pgErr("42P01"), failure.Transient, "database error (SQLSTATE 42P01)"},
		{"time", context.DeadlineExceeded, failure.Transient, "out of time"},
		{"stopped", context.Canceled, failure.Transient, "stopped before it was done"},
		{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, failure.Transient, "connection failed"},
		{"AWS", &smithy.GenericAPIError{Code: "QueueDoesNotExist", Message: "secret"}, failure.Transient,
			"AWS error (QueueDoesNotExist)"},
		{"network", &net.DNSError{Err: "secret", Name: "secret"}, failure.Transient, "network error"},
		{"unknown", fmt.Errorf("secret: %w", errors.New("secret")), failure.Transient,
			"unexpected error (*errors.errorString)"},
		{"cut off", io.ErrUnexpectedEOF, failure.Transient, "connection failed"},
		{"with its operation", failure.At("claim rows", pgErr("53300")), failure.Transient,
			"claim rows: database error (SQLSTATE 53300)"},
		{"joined, with its operations", failure.At("settle", errors.Join(failure.At("write failed", pgErr("53300")),
			failure.At("read the document again", io.EOF))), failure.Transient,
			"settle: write failed: database error (SQLSTATE 53300)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := failure.Of(tc.err)
			if got.Kind != tc.kind || got.Text != tc.text {
				t.Errorf("got %v %q, want %v %q", got.Kind, got.Text, tc.kind, tc.text)
			}
		})
	}
}

func TestTextIsTruncated(t *testing.T) {
	t.Parallel()
	got := failure.Of(failure.Permanently("%s", strings.Repeat("ü", 5000)))
	if n := utf8.RuneCountInString(got.Text); n != failure.MaxText {
		t.Errorf("got %d characters, want %d", n, failure.MaxText)
	}
}

func TestRetryAfterIsKept(t *testing.T) {
	t.Parallel()
	got := failure.Of(failure.At("ask", &failure.Error{Sentence: "busy", RetryAfter: time.Hour}))
	if got.RetryAfter != time.Hour || got.Kind != failure.Transient || got.Refused {
		t.Errorf("got %+v", got)
	}
	if !failure.Of(failure.At("ask", &failure.Error{Sentence: "denied", Refused: true})).Refused {
		t.Error("a refusal is none any more")
	}
}

func ExampleOf() {
	err := failure.At("read candidates", context.DeadlineExceeded)
	f := failure.Of(err)
	fmt.Println(f.Kind, "-", f.Text)
	// Output: transient - read candidates: out of time
}
