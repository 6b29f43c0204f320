package main

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// The operator reads what the driver says, and never a password.
const oneInvoice = `{"type":"invoice","structured_data":{"number":"1"}}`

func TestOperatorReadsTheCauseAndNoPassword(t *testing.T) {
	t.Parallel()
	named, err := url.Parse(postgrestest.EmptyURL(t))
	if err != nil {
		t.Fatal(err)
	}
	missing := *named
	missing.User, missing.Path = url.UserPassword(named.User.Username(), "HID/DEN"), "/nowhere"
	closed := "postgres://user:HIDDEN@127.0.0.1:1/db"
	noURL := "postgres://user:HIDDEN@host:port/db"
	for _, tc := range []struct {
		url  string
		args []string
		want string
	}{
		{missing.String(), []string{"migrate", "up"}, `database "nowhere" does not exist (SQLSTATE 3D000)`},
		{missing.String(), []string{"migrate", "status"}, `database "nowhere" does not exist (SQLSTATE 3D000)`},
		{missing.String(), []string{"match", samples, "--database"}, `database "nowhere" does not exist (SQLSTATE 3D000)`},
		{missing.String(), []string{"publish", uuid.NewString()}, `database "nowhere" does not exist (SQLSTATE 3D000)`},
		{missing.String(), []string{"sweep"}, `database "nowhere" does not exist (SQLSTATE 3D000)`},
		{missing.String(), []string{"explain", "1"}, `database "nowhere" does not exist (SQLSTATE 3D000)`},
		{closed, []string{"migrate", "up"}, "connection refused"},
		{closed, []string{"publish", uuid.NewString()}, "connection refused"},
		{closed, []string{"cost"}, "connection refused"},
		{noURL, []string{"migrate", "status"}, "not a PostgreSQL URL such as"},
	} {
		env := func(name string) string {
			return map[string]string{variable.DatabaseURL: tc.url,
				variable.MatchQueueURL:     "http://127.0.0.1:1/000000000000/match",
				manifest.Ingest.QueueEnv(): "http://127.0.0.1:1/000000000000/ingest",
				manifest.Review.QueueEnv(): "http://127.0.0.1:1/000000000000/review",
				manifest.Offer.QueueEnv():  "http://127.0.0.1:1/000000000000/offer"}[name]
		}
		var out bytes.Buffer
		code := run(t.Context(), tc.args, env, &out, &out)
		if got := out.String(); code != cli.ExitError || !strings.Contains(got, tc.want) || strings.Contains(got, "HID") {
			t.Errorf("%v: exit status %d and %q, want %q", tc.args, code, got, tc.want)
		}
	}
}

// A person with an old command is refused before anything is done.
func TestCommandsRefuseASchemaThatIsNewer(t *testing.T) {
	t.Parallel()
	target := postgrestest.URL(t)
	if _, err := postgrestest.Conn(t, target).Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string {
		return map[string]string{variable.DatabaseURL: target,
			variable.MatchQueueURL:     "http://127.0.0.1:1/000000000000/match",
			manifest.Ingest.QueueEnv(): "http://127.0.0.1:1/000000000000/ingest",
			manifest.Review.QueueEnv(): "http://127.0.0.1:1/000000000000/review",
			manifest.Offer.QueueEnv():  "http://127.0.0.1:1/000000000000/offer"}[name]
	}
	for _, args := range [][]string{{"match", samples, "--database"}, {"migrate", "up"}, {"migrate", "down"},
		{"publish", uuid.NewString()}, {"sweep"}, {"explain", "1"}, {"confirm", "1", "2"}, {"reject", "1", "2"}, {"cost"}} {
		var out bytes.Buffer
		if code := run(t.Context(), args, env, &out, &out); code != cli.ExitError || !strings.Contains(out.String(), "the database's schema is at version 99999, and this program knows versions up to ") {
			t.Errorf("%v: exit status %d, %s", args, code, &out)
		}
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"migrate", "status"}, env, &out, &out); code != cli.ExitOK {
		t.Errorf("status: exit status %d, %s", code, &out)
	}
}

// DATABASE_URL may be set for another command. Without --database nothing is
// done there.
func TestMatchFillsTheNamedDatabaseOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	target := postgrestest.EmptyURL(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.json"), []byte(oneInvoice), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string { return map[string]string{variable.DatabaseURL: target}[name] }
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"match", dir}, env, &out, &errOut)
	if want := "DATABASE_URL is ignored, a private PostgreSQL is used: --database would"; code != cli.ExitOK || !strings.Contains(errOut.String(), want) {
		t.Errorf("exit status %d and %s, want %q", code, &errOut, want)
	}
	var relations int
	conn := postgrestest.Conn(t, target)
	const countSQL = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
	if err := conn.QueryRow(t.Context(), countSQL).Scan(&relations); err != nil || relations != 0 {
		t.Errorf("the named database now holds %d relations, %v; want none", relations, err)
	}
	for _, tc := range []struct {
		url  string
		args []string
		want string
	}{
		{"", []string{"match", dir, "--database"}, "--database: DATABASE_URL is not set"},
		{target, []string{"match", dir, "--database", "--keep=/nowhere/kept"}, "leave it or --database out"},
	} {
		env := func(name string) string { return map[string]string{variable.DatabaseURL: tc.url}[name] }
		errOut.Reset()
		if code := run(t.Context(), tc.args, env, &errOut, &errOut); code != cli.ExitError || !strings.Contains(errOut.String(), tc.want) {
			t.Errorf("%v: exit status %d and %s, want %q", tc.args, code, &errOut, tc.want)
		}
	}
	if code := run(t.Context(), []string{"match", dir, "--database"}, env, &out, &errOut); code != cli.ExitOK {
		t.Errorf("with --database: exit status %d, %s", code, &errOut)
	}
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM document").Scan(&relations); err != nil || relations != 1 {
		t.Errorf("the named database holds %d documents, %v; want 1", relations, err)
	}
}

// The folder may come after a space, and may have one in its name.
func TestKeepTakesItsFolderAfterASpace(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "starts four servers")
	parent, err := os.MkdirTemp("", "keep") //nolint:usetesting // the server may run as another user, and t.TempDir is closed to that user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	documents, kept := filepath.Join(parent, "documents"), filepath.Join(parent, "to keep")
	if err := os.Mkdir(documents, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(documents, "one.json"), []byte(oneInvoice), 0o600); err != nil {
		t.Fatal(err)
	}
	none := func(string) string { return "" }
	for _, args := range [][]string{{"match", documents, "--keep", kept}, {"match", "--keep", kept, documents}, {"match", documents, "--keep=" + kept}, {"explain", "1", "--keep", kept}} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), args, none, &out, &errOut); code != cli.ExitOK {
			t.Fatalf("%v: exit status %d, %s", args, code, &errOut)
		}
		if args[0] == "match" && !strings.Contains(errOut.String(), "kept in "+kept+")") {
			t.Errorf("%v: %s", args, &errOut)
		}
	}
}
