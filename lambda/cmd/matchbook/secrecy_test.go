package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const oneInvoice = `{"type":"invoice","structured_data":{"number":"1"}}`

func TestErrorHidesPassword(t *testing.T) {
	t.Parallel()
	named := must.Get(url.Parse(postgrestest.EmptyURL(t)))(t)
	missing := *named
	missing.User, missing.Path = url.UserPassword(named.User.Username(), "HID/DEN"), "/nowhere"
	closed := "postgres://user:HIDDEN@127.0.0.1:1/db"
	noURL := "postgres://user:HIDDEN@host:port/db"
	for _, tc := range []struct {
		url  string
		args []string
		want string
	}{
		{missing.String(), []string{"migrate", "up"}, "unknown database: check the name in DATABASE_URL (SQLSTATE 3D000)"},
		{missing.String(), []string{"migrate", "status"}, "unknown database: check the name in DATABASE_URL (SQLSTATE 3D000)"},
		{missing.String(), []string{"match", samples, "--database"}, "unknown database: check the name in DATABASE_URL (SQLSTATE 3D000)"},
		{missing.String(), []string{"publish", uuid.NewString()}, "unknown database: check the name in DATABASE_URL (SQLSTATE 3D000)"},
		{missing.String(), []string{"sweep"}, "unknown database: check the name in DATABASE_URL (SQLSTATE 3D000)"},
		{missing.String(), []string{"explain", "1"}, "unknown database: check the name in DATABASE_URL (SQLSTATE 3D000)"},
		{closed, []string{"migrate", "up"}, "cannot connect to 127.0.0.1:1: connection refused"},
		{closed, []string{"publish", uuid.NewString()}, "connection refused"},
		{closed, []string{"cost"}, "connection refused"},
		{noURL, []string{"migrate", "status"}, "invalid PostgreSQL URL"},
	} {
		code, out, errOut := clitest.RunIn(t.Context(), run, withQueues(tc.url), tc.args...)
		if got := out + errOut; code != cli.ExitError || !strings.Contains(got, tc.want) || strings.Contains(got, "HID") {
			t.Errorf("%v: exit status %d and %q, want %q", tc.args, code, got, tc.want)
		}
	}
}

// A person with an old command is refused before anything is done.
func TestNewerSchemaRefused(t *testing.T) {
	t.Parallel()
	target := postgrestest.URL(t)
	postgrestest.Exec(t, postgrestest.Conn(t, target), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	command := func(args ...string) (code int, out, errOut string) {
		return clitest.RunIn(t.Context(), run, withQueues(target), args...)
	}
	for _, args := range [][]string{{"match", samples, "--database"}, {"migrate", "up"}, {"migrate", "down"},
		{"publish", uuid.NewString()}, {"sweep"}, {"explain", "1"}, {"confirm", "1", "2"}, {"reject", "1", "2"}, {"cost"}} {
		clitest.WantRefused(t, command, clitest.Refusals{{args, "database schema version 99999 is newer than this program's "}})
	}
	if code, out, errOut := command("migrate", "status"); code != cli.ExitOK {
		t.Errorf("status: exit status %d, %s%s", code, out, errOut)
	}
}

// withQueues is an environment whose queues do not answer.
func withQueues(database string) map[string]string {
	env := map[string]string{variable.DatabaseURL: database}
	for _, f := range []manifest.Function{manifest.Match, manifest.Ingest, manifest.Review, manifest.Offer} {
		env[f.QueueEnv()] = "http://127.0.0.1:1/000000000000/" + f.Name
	}
	return env
}

// DATABASE_URL may be set for another command. Without --database nothing is
// done there.
func TestDatabaseFlag(t *testing.T) {
	t.Parallel()
	target := postgrestest.EmptyURL(t)
	dir := clitest.Folder(t, map[string]string{"one.json": oneInvoice})
	code, _, errOut := clitest.RunIn(t.Context(), run, map[string]string{variable.DatabaseURL: target}, "match", dir)
	if want := "ignoring DATABASE_URL and using a private PostgreSQL; use --database"; code != cli.ExitOK || !strings.Contains(errOut, want) {
		t.Errorf("exit status %d and %s, want %q", code, errOut, want)
	}
	conn := postgrestest.Conn(t, target)
	const countSQL = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
	if n := postgrestest.Value[int](t, conn, countSQL); n != 0 {
		t.Errorf("the named database now holds %d relations; want none", n)
	}
	wantRefused(t, "", "match --database", clitest.Refusals{{[]string{dir}, "--database: missing DATABASE_URL"}})
	wantRefused(t, target, "match", clitest.Refusals{{[]string{dir, "--keep=/nowhere/kept"}, "must not be used with --database"}})
	if code, _, errOut := matchbook(t, target, "match", dir); code != cli.ExitOK {
		t.Errorf("with --database: exit status %d, %s", code, errOut)
	}
	if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM document"); n != 1 {
		t.Errorf("the named database holds %d documents; want 1", n)
	}
}

// The folder may come after a space, and may have one in its name.
func TestKeepFolder(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "starts four servers")
	parent, err := os.MkdirTemp("", "keep") //nolint:usetesting // the server may run as another user, and t.TempDir is closed to that user
	must.OK(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	must.OK(t, os.Chmod(parent, 0o755))
	documents, kept := filepath.Join(parent, "documents"), filepath.Join(parent, "to keep")
	must.OK(t, os.Mkdir(documents, 0o755))
	must.OK(t, os.WriteFile(filepath.Join(documents, "one.json"), []byte(oneInvoice), 0o600))
	for _, args := range [][]string{{"match", documents, "--keep", kept}, {"match", "--keep", kept, documents}, {"match", documents, "--keep=" + kept}, {"explain", "1", "--keep", kept}} {
		if code, _, errOut := matchbook(t, "", args...); code != cli.ExitOK || args[0] == "match" && !strings.Contains(errOut, "kept in "+kept+")") {
			t.Fatalf("%v: exit status %d, %s", args, code, errOut)
		}
	}
}
