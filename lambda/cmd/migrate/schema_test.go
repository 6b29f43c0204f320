package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/setup"

	"github.com/jackc/pgx/v5/pgconn"
)

// The hint follows from the SQLSTATE or the kind of error, never from a text.
func TestMigrationHint(t *testing.T) {
	t.Parallel()
	state := func(code string) error { return &pgconn.PgError{Code: code, Message: "out of time, SQLSTATE 28"} }
	for name, tc := range map[string]struct {
		err  error
		want string // in the hint; empty: no hint
	}{
		"refused":                    {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "check host and port"},
		"no such host":               {&net.DNSError{Err: "no such host"}, "check the host's name"},
		"out of time":                {context.DeadlineExceeded, "timed out"},
		"password":                   {state("28P01"), "login refused"},
		"role":                       {state("28000"), "login refused"},
		"no database":                {state("3D000"), "create it first"},
		"locked":                     {state("55P03"), "pg_stat_activity"},
		"no right":                   {state("42501"), "grant CREATE"},
		"any other state":            {state("XX000"), ""},
		"decided where it happened":  {failure.Permanently("out of time: connection failed"), ""},
		"a text that looks like one": {errors.New("connection failed (SQLSTATE 28P01)"), ""},
	} {
		got := migrationHint(fmt.Errorf("migrate: %w", tc.err))
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestMissingDatabase(t *testing.T) {
	t.Parallel()
	url := strings.Replace(postgrestest.EmptyURL(t), "/test", "/PLANTED_test", 1)
	_, err := migrate(t.Context(), setup.Config{DatabaseURL: url})
	if err == nil || !strings.Contains(err.Error(), "(SQLSTATE 3D000); database not found; create it first") {
		t.Errorf("got %v", err)
	}
}

// An old version goes on working while a new one is deployed.
func TestNewerSchemaWorks(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	must.Get(postgrestest.Conn(t, url).Exec(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"))(t)
	if done, err := migrate(t.Context(), setup.Config{DatabaseURL: url}); err != nil || len(done) != 0 {
		t.Errorf("the migrate function of a version that is rolled back to: %+v, %v", done, err)
	}
}

// A deployment makes the user of the functions, who can work at once.
func TestMigrateMakesLogin(t *testing.T) {
	t.Parallel()
	owner := postgrestest.EmptyURL(t)
	app := must.Get(url.Parse(owner))(t)
	app.User = url.UserPassword("functions_"+strings.ReplaceAll(t.Name(), "/", "_"), "secret")
	must.Get(migrate(t.Context(), setup.Config{DatabaseURL: owner, AppDatabaseURL: app.String()}))(t)
	defer func() { postgrestest.Exec(t, postgrestest.Conn(t, owner), `DROP ROLE "`+app.User.Username()+`"`) }()
	if n := postgrestest.Value[int](t, postgrestest.Conn(t, app.String()), "SELECT count(*) FROM document"); n != 0 {
		t.Errorf("%d documents", n)
	}
	_, err := migrate(t.Context(), setup.Config{DatabaseURL: owner, AppDatabaseURL: owner})
	if err == nil || !strings.Contains(err.Error(), "must differ from the one of the migrations") {
		t.Errorf("got %v", err)
	}
}
