package schema_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
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

// loginURL is a user of the programs that doesn't exist yet. Users belong to the server.
func loginURL(t *testing.T, owner, password string) (user, appURL string) {
	t.Helper()
	u := must.Get(url.Parse(owner))(t)
	user = `functions "` + uuid.NewString() + `"`
	u.User = url.UserPassword(user, password)
	return user, u.String()
}

func TestLogin(t *testing.T) {
	t.Parallel()
	owner := postgrestest.URL(t)
	conn := postgrestest.Conn(t, owner)
	user, app := loginURL(t, owner, `o'ne"%`)
	defer func() { postgrestest.Exec(t, conn, "DROP ROLE "+pgx.Identifier{user}.Sanitize()) }()
	for range 2 { // each deployment
		must.OK(t, schema.PutLogin(t.Context(), owner, app))
	}
	programs := postgrestest.Conn(t, app)
	postgrestest.Exec(t, programs, "INSERT INTO tenant (id, name) VALUES (gen_random_uuid(), 'a')")
	if _, err := programs.Exec(t.Context(), "CREATE TABLE a (b int)"); err == nil {
		t.Error("the programs may create tables")
	}
	stored := postgrestest.Value[string](t, conn, "SELECT rolpassword FROM pg_authid WHERE rolname = $1", user)
	if !strings.HasPrefix(stored, "SCRAM-SHA-256$4096:") {
		t.Errorf("stored %.20s", stored)
	}
	if err := schema.PutLogin(t.Context(), owner, owner); !errors.Is(err, schema.ErrOwnLogin) {
		t.Errorf("got %v", err)
	}
}

// The verifier of the exchange in RFC 7677 must prove both sides there.
func TestVerifierOfRFC(t *testing.T) {
	t.Parallel()
	base := base64.StdEncoding
	parts := strings.FieldsFunc(schema.Salted("pencil", must.Get(base.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ=="))(t)), func(r rune) bool { return r == '$' || r == ':' })
	const nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
	const exchange = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=" + nonce + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=" + nonce
	sign := func(key []byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(exchange))
		return h.Sum(nil)
	}
	stored, server := must.Get(base.DecodeString(parts[3]))(t), must.Get(base.DecodeString(parts[4]))(t)
	if got := base.EncodeToString(sign(server)); got != "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=" {
		t.Errorf("server's signature %s", got)
	}
	clientKey := must.Get(base.DecodeString("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="))(t)
	for i, b := range sign(stored) {
		clientKey[i] ^= b
	}
	if got := sha256.Sum256(clientKey); !bytes.Equal(got[:], stored) {
		t.Error("the client's proof does not fit")
	}
}
