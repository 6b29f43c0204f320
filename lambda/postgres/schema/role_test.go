package schema_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// asApp connects with the role of the programs.
func asApp(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	url = must.Get(schema.AsApp(t.Context(), postgrestest.Open(t, url), url))(t)
	conn := postgrestest.Conn(t, url)
	if got := postgrestest.Value[string](t, conn, "SELECT current_user::text"); got != schema.AppRole {
		t.Fatalf("role %s", got)
	}
	return conn
}

func TestAppMayNot(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	owner, app := postgrestest.Conn(t, url), asApp(t, url)
	postgrestest.Exec(t, owner, "CREATE SCHEMA other; CREATE TABLE other.secret (a int)")
	for _, statement := range []string{
		"CREATE TABLE a (b int)",
		"CREATE VIEW a AS SELECT 1",
		"CREATE FUNCTION a() RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"CREATE SCHEMA a",
		"CREATE ROLE a",
		"CREATE INDEX ON document (id)",
		"ALTER TABLE document ADD COLUMN a int",
		"ALTER TABLE document DISABLE TRIGGER ALL",
		"DROP TABLE document",
		"TRUNCATE document CASCADE",
		"DROP FUNCTION ingestion_state() CASCADE",
		"SELECT a FROM other.secret",
		"DELETE FROM goose_db_version",
		"SELECT rolpassword FROM pg_authid",
		"COPY document TO PROGRAM 'cat'",
	} {
		_, err := app.Exec(t.Context(), statement)
		if pgErr := (*pgconn.PgError)(nil); !errors.As(err, &pgErr) || pgErr.Code != "42501" {
			t.Errorf("%s: got %v, want insufficient_privilege", statement, err)
		}
	}
}

// lackingSQL lists the rights that the programs lack, from the catalogue: a new table is
// included by itself. Only goose writes its table.
const lackingSQL = `SELECT format('%s on %s', one, relname) FROM pg_class,
		unnest(CASE WHEN relkind = 'v' OR relname = 'goose_db_version' THEN ARRAY['SELECT']
			ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS one
	WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
		AND NOT has_table_privilege('matchbook_app', pg_class.oid, one)`

func lacking(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, _ := conn.Query(t.Context(), lackingSQL)
	return must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
}

func TestAppHasEveryTable(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	owner := postgrestest.Conn(t, url)
	if got := lacking(t, owner); len(got) > 0 {
		t.Errorf("lacking: %q", got)
	}
	postgrestest.Exec(t, owner, "CREATE TABLE later (a int); REVOKE ALL ON document FROM matchbook_app")
	must.Get(schema.Migrate(t.Context(), url))(t)
	if got := lacking(t, owner); len(got) > 0 {
		t.Errorf("lacking after a migration: %q", got)
	}
}

// Several machines grant at once, and the role is made by one database's migration for all.
func TestGrantsAtOnce(t *testing.T) {
	t.Parallel()
	urls := []string{postgrestest.URL(t), postgrestest.URL(t)}
	var all sync.WaitGroup
	for _, url := range urls {
		postgrestest.Exec(t, postgrestest.Conn(t, url), "DROP OWNED BY matchbook_app")
		for range 3 {
			conn := postgrestest.Conn(t, url)
			all.Go(func() {
				if _, err := conn.Exec(t.Context(), schema.GrantSQL); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	for _, url := range urls {
		if got := lacking(t, postgrestest.Conn(t, url)); len(got) > 0 {
			t.Errorf("lacking: %q", got)
		}
	}
}

// Roles belong to the cluster, so this one works in a transaction that takes all back.
func TestMayNotCreateRoles(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	tx := must.Get(conn.Begin(t.Context()))(t)
	defer tx.Rollback(t.Context())
	must.Get(tx.Exec(t.Context(), `ALTER ROLE matchbook_app RENAME TO matchbook_app_away;
		CREATE ROLE matchbook_plain NOLOGIN; SET LOCAL ROLE matchbook_plain`))(t)
	must.Get(tx.Exec(t.Context(), schema.GrantSQL))(t)
	hint := must.Get(schema.RoleHintIn(t.Context(), tx))(t)
	if !strings.Contains(hint, "CREATE ROLE matchbook_app NOLOGIN") {
		t.Errorf("hint %q", hint)
	}
	if hint := must.Get(schema.RoleHint(t.Context(), url))(t); hint != "" {
		t.Errorf("hint %q, but the role is there", hint)
	}
	if got := must.Get(schema.AsApp(t.Context(), tx, url))(t); got != url {
		t.Errorf("a user without the role takes it: %s", got)
	}
}
