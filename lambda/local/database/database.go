// Package database opens the database of a command: the one that DATABASE_URL
// names, a private one that is kept in a folder, or a private one that ends
// with the program.
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
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/schema"
)

// Choice selects a database. The zero Choice is a private one that ends with
// the program.
type Choice struct {
	Named bool   // the one that DATABASE_URL names
	Keep  string // the folder of a private one that is kept
}

// Fill opens a database for documents, migrated, and returns its URL.
// DATABASE_URL alone does not select the one that it names: the variable may be
// set for another command, and Fill would migrate and fill that database.
// MATCHBOOK_POSTGRES forces the choice.
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
		m.Say("%d migrations applied", len(done))
	}
	return url, stop, nil
}

// read returns the URL of the chosen database, or "" for a private one.
func (c Choice) read(env func(string) string, m *term.Meter) (source pgserver.Source, url string, err error) {
	source, url, err = pgserver.ReadSource(env, variable.DatabaseURL)
	named := c.Named || env(variable.Postgres) == "url"
	switch {
	case err != nil:
	case c.Named && url == "":
		err = fmt.Errorf("--database: %s is not set, or %s forces another one",
			variable.DatabaseURL, variable.Postgres)
	case named && c.Keep != "":
		err = errors.New("--keep is for the private PostgreSQL: leave it or --database out")
	case !named && url != "":
		m.Say("%s is ignored, a private PostgreSQL is used: --database would migrate and fill the one that it names",
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
	where := "private, gone with this program"
	if c.Keep != "" {
		where = "private, kept in " + c.Keep
	}
	m.Say("PostgreSQL is up after %.1f s (%s)", time.Since(started).Seconds(), where)
	return url, stop, nil
}

func startServer(ctx context.Context, o pgserver.Options) (url string, stop func() error, err error) {
	server, err := pgserver.Start(ctx, o)
	if err != nil {
		return "", nil, err
	}
	return server.URL("postgres"), server.Stop, nil
}

// Kept opens a database that exists already, and leaves its schema as it is:
// the one that DATABASE_URL names, or the private one in the folder keep.
func Kept(ctx context.Context, env func(string) string, keep string, progress io.Writer) (
	url string, stop func() error, err error,
) {
	source, url, err := pgserver.ReadSource(env, variable.DatabaseURL)
	switch {
	case err != nil:
		return "", nil, err
	case url != "" && keep != "":
		return "", nil, errors.New("--keep is for the private PostgreSQL: unset DATABASE_URL, or leave --keep out")
	case url != "":
		return url, func() error { return nil }, nil
	case keep == "":
		return "", nil, errors.New("which database? Set DATABASE_URL, or give --keep for the one " +
			"that \"matchbook match DIR --keep\" keeps")
	}
	if _, err := os.Stat(filepath.Join(keep, "data")); errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("nothing is kept in %s: \"matchbook match DIR --keep\" keeps a database", keep)
	}
	return startServer(ctx, pgserver.Options{Dir: keep, Source: source, Durable: true,
		Progress: func(s string) { fmt.Fprintln(progress, s) }})
}

// serverSettings make the server analyse a database that was just filled within
// a second instead of a minute: until then the plans are those of empty tables.
var serverSettings = map[string]string{"autovacuum_naptime": "1s"}

// Server returns the URL of a database beside which others can be created: the
// one that DATABASE_URL names, or one on a private server. It changes nothing in
// that database.
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

// Folder is the folder of --keep without a value. The user that the server runs
// as must be able to reach it, and root's home is closed to that user.
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

// Migrate applies the migrations that are missing, unless a later version of
// this program has migrated the database.
func Migrate(ctx context.Context, url string) ([]schema.Migration, error) {
	if err := RefuseNewer(ctx, url); err != nil {
		return nil, err
	}
	return schema.Migrate(ctx, url)
}

// MigrateDown undoes the newest migration, unless a later version of this
// program has migrated the database.
func MigrateDown(ctx context.Context, url string) ([]schema.Migration, error) {
	if err := RefuseNewer(ctx, url); err != nil {
		return nil, err
	}
	return schema.MigrateDown(ctx, url)
}

// RefuseNewer returns an error when the schema is that of a later version of
// this program.
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
