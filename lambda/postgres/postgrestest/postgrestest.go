// Package postgrestest gives each test a separate, migrated database on a real server. By
// default that is a private server, gone with the test binary; it starts as a copy of a
// migrated one in the user's cache. To use another server, set MATCHBOOK_TEST_DATABASE_URL; it
// must be for nothing but tests. MATCHBOOK_POSTGRES forces one of the two; no other variable
// is ever read. Tests use a private server in memory, benchmarks use one on disk, with fsync.
package postgrestest

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/schema"
	"matchbook/migrations"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// URL creates a migrated database for the test and returns its URL. The database is dropped
// when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	return create(t, shared().template)
}

// EmptyURL is URL without the migrations.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, "template0")
}

func create(t testing.TB, template string) string {
	t.Helper()
	s := shared()
	if s.err != nil {
		t.Fatalf("no PostgreSQL for tests: %v", s.err)
	}
	name := "test_" + uuid.NewString()
	execute(t, s.pool, s.createSQL(name, template))
	t.Cleanup(func() { execute(t, s.pool, fmt.Sprintf("DROP DATABASE %q WITH (FORCE)", name)) })
	return withDatabase(s.admin, name)
}

// Open opens a store on the database at url, and closes it when the test ends.
func Open(t testing.TB, url string) *postgres.DB {
	t.Helper()
	db := must.Get(postgres.Open(t.Context(), url, 12))(t)
	t.Cleanup(db.Close)
	return db
}

// Conn opens a connection for the test's own SQL, and closes it when the test ends.
func Conn(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// Exec runs a statement.
func Exec(t testing.TB, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	must.Get(conn.Exec(t.Context(), sql, args...))(t)
}

// Value returns the single value of a query.
func Value[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) (value T) {
	t.Helper()
	must.OK(t, conn.QueryRow(t.Context(), sql, args...).Scan(&value))
	return value
}

// WithClock gives the database at url a clock standing still at a time. It returns the clock,
// and the URL to use for connections with it.
func WithClock(t testing.TB, url string, at time.Time) (clock *simclock.Clock, simURL string) {
	t.Helper()
	clock = must.Get(simclock.Install(t.Context(), url, at))(t)
	t.Cleanup(clock.Close)
	return clock, must.Get(clock.URL())(t)
}

type server struct {
	admin    string        // URL of a database to create others from
	pool     *pgxpool.Pool // on that database
	template string        // name of the migrated template
	strategy string        // option of CREATE DATABASE
	err      error
}

func (s server) createSQL(name, template string) string {
	return fmt.Sprintf("CREATE DATABASE %q TEMPLATE %q %s", name, template, s.strategy)
}

// shared prepares the server once for a test binary.
var shared = sync.OnceValue(func() server {
	ctx := context.Background()
	source, admin, err := pgserver.ReadSource(os.Getenv, variable.ServerForTests)
	if err != nil {
		return server{err: err}
	}
	if admin == "" {
		// The server stops by itself when this process ends. No vacuum or analyze runs, and no
		// plan changes, during a test unless it says so.
		o := pgserver.Options{Source: source, Like: migrated(ctx, source), InMemory: true,
			Settings: map[string]string{"autovacuum": "off"}}
		if flag.Lookup("test.bench").Value.String() != "" {
			o = pgserver.Options{Source: source, Durable: true, Settings: map[string]string{"max_connections": "200"}}
		}
		private, err := pgserver.Start(ctx, o)
		if err != nil && o.Like != "" { // it may be damaged, so the next binary makes another
			_ = os.RemoveAll(o.Like)
			o.Like = ""
			private, err = pgserver.Start(ctx, o)
		}
		if err != nil {
			return server{err: err}
		}
		admin = private.URL("postgres")
	}
	template, err := prepareTemplate(ctx, admin)
	if err != nil {
		return server{err: err}
	}
	pool, err := pgxpool.New(ctx, admin)
	if err != nil {
		return server{err: err}
	}
	strategy, err := fastestCopy(ctx, pool)
	return server{admin, pool, template, strategy, err}
})

// prepareTemplate migrates a template named by the content of the migrations, so that test
// binaries can share it.
func prepareTemplate(ctx context.Context, admin string) (string, error) {
	id, err := migrationsID()
	if err != nil {
		return "", err
	}
	name := "matchbook_template_" + id
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return "", err
	}
	var exists bool
	const existsSQL = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
	if err := conn.QueryRow(ctx, existsSQL, name).Scan(&exists); err != nil || exists {
		return name, err
	}
	unfinished := name + "_" + uuid.NewString()[:8]
	if _, err := conn.Exec(ctx, fmt.Sprintf("CREATE DATABASE %q TEMPLATE template0", unfinished)); err != nil {
		return "", err
	}
	if _, err := schema.Migrate(ctx, withDatabase(admin, unfinished)); err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("ALTER DATABASE %q RENAME TO %q", unfinished, name))
	return name, err
}

func migrationsID() (string, error) {
	sum := sha256.New()
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		sql, err := migrations.FS.ReadFile(f)
		if err != nil {
			return "", err
		}
		sum.Write([]byte(f)) // because a migration may get another number
		sum.Write(sql)
	}
	sum.Write([]byte(schema.GrantSQL))
	return fmt.Sprintf("%x", sum.Sum(nil)[:6]), nil
}

// fastestCopy returns the option of CREATE DATABASE to copy a small template at half the
// default's cost; PostgreSQL has it since version 15.
func fastestCopy(ctx context.Context, pool *pgxpool.Pool) (option string, err error) {
	err = pool.QueryRow(ctx, `SELECT CASE WHEN current_setting('server_version_num')::int >= 150000
		THEN 'STRATEGY FILE_COPY' ELSE '' END`).Scan(&option)
	return option, err
}

func execute(t testing.TB, pool *pgxpool.Pool, sql string) {
	t.Helper()
	must.Get(pool.Exec(context.Background(), sql))(t)
}

func withDatabase(rawURL, name string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		panic(err) // it was used to connect
	}
	u.Path = "/" + name
	return u.String()
}
