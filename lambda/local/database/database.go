// Package database opens a command's database: the one in DATABASE_URL, a private server kept
// in a folder, or a private server stopped with the program.
package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/schema"
)

// Choice selects a database. The zero Choice is a private server stopped with the program.
type Choice struct {
	Named bool   // use DATABASE_URL
	Keep  string // folder of a private server to keep
}

// Fill opens and migrates the chosen database and returns its URL. The caller must call stop,
// which is never nil. DATABASE_URL is used only with Named, because Fill migrates and fills
// the database and the variable may be set for another command. MATCHBOOK_POSTGRES overrides
// the choice.
func (c Choice) Fill(ctx context.Context, env func(string) string, m *term.Meter) (
	url string, stop func() error, err error,
) {
	stop = func() error { return nil }
	source, url, err := c.read(env, m)
	if err != nil {
		return "", stop, err
	}
	if url == "" {
		if url, stop, err = c.start(ctx, source, m); err != nil {
			return "", stop, err
		}
	}
	done, err := Migrate(ctx, url)
	if err != nil {
		return "", stop, errors.Join(err, stop())
	}
	if len(done) > 0 {
		m.Say("%s applied", plural.Of(len(done), "migration", "migrations"))
	}
	return url, stop, nil
}

// Check returns Fill's error if it would find no PostgreSQL to start.
func (c Choice) Check(ctx context.Context, env func(string) string) error {
	source, url, err := pgserver.ReadSource(env, variable.DatabaseURL)
	if err != nil || c.Named || env(variable.Postgres) == "url" && url != "" {
		return err
	}
	return pgserver.Check(ctx, source)
}

// read returns the URL of the chosen database, or "" for a private one.
func (c Choice) read(env func(string) string, m *term.Meter) (source pgserver.Source, url string, err error) {
	source, url, err = pgserver.ReadSource(env, variable.DatabaseURL)
	named := c.Named || env(variable.Postgres) == "url"
	switch {
	case err != nil:
	case c.Named && url == "":
		err = fmt.Errorf("--database: missing %s, or %s overrides it",
			variable.DatabaseURL, variable.Postgres)
	case named && c.Keep != "":
		err = errors.New("--keep must not be used with --database: it keeps a private PostgreSQL")
	case !named && url != "":
		m.Say("ignoring %s and using a private PostgreSQL; use --database to migrate and fill that database",
			variable.DatabaseURL)
		url = ""
	}
	return source, url, err
}

// start starts a private server.
func (c Choice) start(ctx context.Context, source pgserver.Source, m *term.Meter) (
	url string, stop func() error, err error,
) {
	started := time.Now()
	url, stop, err = startServer(ctx, pgserver.Options{
		Dir: c.Keep, Source: source, Durable: c.Keep != "", Progress: func(s string) { m.Say("%s", s) },
	})
	if err != nil {
		return "", func() error { return nil }, err
	}
	where := "private, removed on exit"
	if c.Keep != "" {
		where = "private, kept in " + c.Keep
	}
	m.Say("PostgreSQL started in %.1f s (%s)", time.Since(started).Seconds(), where)
	return url, stop, nil
}

func startServer(ctx context.Context, o pgserver.Options) (url string, stop func() error, err error) {
	server, err := pgserver.Start(ctx, o)
	if err != nil {
		return "", nil, err
	}
	return server.URL("postgres"), server.Stop, nil
}

// Kept opens an existing database without migrating it: the one in DATABASE_URL, or the
// private one in the folder keep.
func Kept(ctx context.Context, env func(string) string, keep string, progress io.Writer) (
	url string, stop func() error, err error,
) {
	source, url, err := pgserver.ReadSource(env, variable.DatabaseURL)
	switch {
	case err != nil:
		return "", nil, err
	case url != "" && keep != "":
		return "", nil, errors.New("--keep must not be used with DATABASE_URL: unset DATABASE_URL, or omit --keep")
	case url != "":
		return url, func() error { return nil }, nil
	case keep == "":
		return "", nil, errors.New("missing database: set DATABASE_URL, or use --keep for the one " +
			"kept by \"matchbook match DIR --keep\"")
	}
	if _, err := os.Stat(filepath.Join(keep, "data")); errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("database not found in %s: create one with \"matchbook match DIR --keep\"", keep)
	}
	return startServer(ctx, pgserver.Options{Dir: keep, Source: source, Durable: true,
		Progress: func(s string) { fmt.Fprintln(progress, s) }})
}

// serverSettings speed up autovacuum: it analyzes a freshly filled database within a second
// instead of a minute, and until then queries use the plans for empty tables.
var serverSettings = map[string]string{"autovacuum_naptime": "1s"}

// Server returns the URL of a server for creating databases: DATABASE_URL, or a private
// server's. It changes nothing in the database of that URL.
func Server(ctx context.Context, env func(string) string, m *term.Meter) (
	url string, stop func() error, err error,
) {
	source, url, err := pgserver.ReadSource(env, variable.DatabaseURL)
	if err != nil || url != "" {
		return url, func() error { return nil }, err
	}
	m.Step("PostgreSQL")
	defer m.Watch(nil)
	return startServer(ctx, pgserver.Options{Source: source, Settings: serverSettings,
		Progress: func(s string) { m.Say("%s", s) }})
}

// Folder returns the folder for --keep without a value. It must be reachable for the server's
// user, so root gets one outside its home directory.
func Folder() string {
	if os.Geteuid() == 0 {
		return "/var/lib/matchbook/postgres"
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = filepath.Join(os.TempDir(), fmt.Sprintf("matchbook-%d", os.Geteuid()))
	}
	return filepath.Join(cache, "matchbook", "postgres")
}

// Migrate applies the missing migrations. It refuses a schema newer than this program.
func Migrate(ctx context.Context, url string) ([]schema.Migration, error) {
	if err := RefuseNewer(ctx, url); err != nil {
		return nil, err
	}
	return schema.Migrate(ctx, url)
}

// MigrateDown reverts the newest migration. It refuses a schema newer than this program.
func MigrateDown(ctx context.Context, url string) ([]schema.Migration, error) {
	if err := RefuseNewer(ctx, url); err != nil {
		return nil, err
	}
	return schema.MigrateDown(ctx, url)
}

// RefuseNewer returns an error if the schema is newer than this program.
func RefuseNewer(ctx context.Context, url string) error {
	c, err := checkup.Open(ctx, url)
	if err != nil {
		return errors.New(errtext.Describe(err))
	}
	defer c.Close(ctx)
	s, err := c.Schema(ctx)
	if err != nil {
		return errors.New(errtext.Describe(err))
	}
	return s.TooNew()
}
