package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// A command that reads the documents of a tenant does not take a mistyped id for a tenant
// about which there is nothing: it names those that there are, ten of them.
func TestUnknownTenant(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	unknown := uuid.NewString()
	refused := func(want string, args ...string) {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute) // a console that does not refuse serves for ever
		defer stop()
		clitest.WantRefused(t, func(args ...string) (code int, out, errOut string) {
			return clitest.RunIn(ctx, run, map[string]string{variable.DatabaseURL: url}, args...)
		}, clitest.Refusals{{append(args, "--tenant", unknown), want}})
	}
	refused("unknown tenant "+unknown+": the database is empty\n", "open")
	postgrestest.Exec(t, conn, `INSERT INTO tenant (id, name)
		SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'tenant' || E'\t' || lpad(n::text, 2, '0') FROM generate_series(1, 12) AS n`)
	want := "unknown tenant " + unknown + "; use one of"
	for n := 1; n <= 10; n++ {
		want += fmt.Sprintf("\n  00000000-0000-4000-8000-%012d  tenant %02d", n, n)
	}
	want += "\n  ... and 2 more\n"
	for _, args := range [][]string{{"open"}, {"export", "match"}, {"cost"}, {"events", "status"}, {"events", "requeue"}, {"offers", "status"},
		{"publish", "--failed", "--dry-run"}, {"console"}} {
		refused(want, args...)
	}
	printed(t, url, "open", "--tenant", "00000000-0000-4000-8000-000000000012")
}

func TestImportNewTenant(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	first, second := write(t, invoiceLine(1), invoiceLine(2)), write(t, invoiceLine(3))
	r := imported(t, url, cli.ExitOK, first, "--tenant", oneTenant)
	if want := []uuid.UUID{uuid.MustParse(oneTenant)}; !slices.Equal(r.NewTenants, want) {
		t.Errorf("new are %v, want %v", r.NewTenants, want)
	}
	if r := imported(t, url, cli.ExitOK, second, "--tenant", oneTenant); len(r.NewTenants) != 0 {
		t.Errorf("new again are %v", r.NewTenants)
	}
	_, out, _ := matchbook(t, url, "import", first, second, "--tenant", anotherTenant)
	if strings.Count(out, "new tenant "+anotherTenant+"\n") != 1 {
		t.Errorf("got\n%s", out)
	}
}
