package errtext_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest/variable"

	"github.com/google/uuid"
)

func TestWithoutSecrets(t *testing.T) {
	t.Parallel()
	env := func(name string) string {
		return map[string]string{
			variable.DatabaseURL: "postgres://user:a%2Fb+secret@host/db",
			variable.OpenAIKey:   "sk-123456",
		}[name]
	}
	for text, want := range map[string]string{
		`cannot parse "postgres://user:a%2Fb+secret@host/db"`: `cannot parse "***"`,
		"the password is a/b+secret":                          "the password is ***",
		"postgresql://other:unknown@host:5432/db is away":     "postgresql://other:***@host:5432/db is away",
		"user=x password='two words' host=y":                  "user=x password=*** host=y",
		"?sslpassword=abc&host=y":                             "?sslpassword=***&host=y",
		"HTTP 401 for sk-123456":                              "HTTP 401 for ***",
		"see https://example.com/a:b@c":                       "see https://example.com/a:b@c",
	} {
		if got := errtext.WithoutSecrets(text, env); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	driver := errors.New("connection refused\n\tat 127.0.0.1")
	one := uuid.MustParse("10000000-0000-4000-8000-000000000001")
	missing := job.PublishError{Missing: []uuid.UUID{one}}
	for _, tc := range []struct {
		err  error
		want string
	}{
		{driver, "connection refused at 127.0.0.1"},
		{failure.Permanently("the schema is too new"), "the schema is too new"},
		{&missing, missing.Error()},
		{&job.PublishError{Missing: missing.Missing, Err: driver}, missing.Error() +
			"; connection refused at 127.0.0.1"},
		{&job.PublishError{Err: driver}, "connection refused at 127.0.0.1"},
		{state("28P01"), "the database rejected the password: check DATABASE_URL (SQLSTATE 28P01)"},
		{fmt.Errorf("connect: %w", state("XX000")), "database error: of the server (SQLSTATE XX000)"},
		{&net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
			"cannot connect to 127.0.0.1:1: connection refused; check the address and that the server is running"},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Name: "db.example", IsNotFound: true}}, "unknown host db.example: check the address"},
	} {
		if got := errtext.Describe(tc.err); got != tc.want {
			t.Errorf("%#v: got %q, want %q", tc.err, got, tc.want)
		}
	}
}

// state is an error of PostgreSQL with this SQLSTATE.
type state string

func (s state) Error() string { return "ERROR: of the server (SQLSTATE " + string(s) + ")" }

func (s state) SQLState() string { return string(s) }
