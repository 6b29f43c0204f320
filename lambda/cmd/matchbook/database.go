package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/schema"
	"matchbook/lambda/term"

	"github.com/spf13/cobra"
)

// databaseOptions say which database documents go into.
type databaseOptions struct {
	named bool   // the one that DATABASE_URL names
	keep  string // the folder of a private one that is kept
}

func (o *databaseOptions) flag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.named, "database", false, "migrate and fill the database that "+manifest.EnvDatabaseURL+" names, not a private one")
}

// wanted is the URL of the database that the user has asked for, or "" for a
// private one. DATABASE_URL alone is no such wish: it may be set for another
// command, and its database would be migrated and filled.
func (w *invocation) wanted(o databaseOptions, p *term.Meter) (source pgserver.Source, url string, err error) {
	source, url, err = pgserver.ReadSource(w.env, manifest.EnvDatabaseURL)
	named := o.named || w.env(manifest.EnvPostgres) == "url"
	switch {
	case err != nil:
	case o.named && url == "":
		err = fmt.Errorf("--database: %s is not set, or %s forces another one", manifest.EnvDatabaseURL, manifest.EnvPostgres)
	case named && o.keep != "":
		err = errors.New("--keep is for the private PostgreSQL: leave it or --database out")
	case !named && url != "":
		p.Say("%s is ignored, a private PostgreSQL is used: --database would migrate and fill the one that it names", manifest.EnvDatabaseURL)
		url = ""
	}
	return source, url, err
}

// openDatabase returns the URL of a migrated database: the one that is wanted,
// or one on a private server, which lives in the folder to keep it in, or as
// long as this program if that is empty. MATCHBOOK_POSTGRES forces one of them.
func (w *invocation) openDatabase(ctx context.Context, o databaseOptions, p *term.Meter) (url string, stop func() error, err error) {
	stop = func() error { return nil }
	keep := o.keep
	source, url, err := w.wanted(o, p)
	if err != nil {
		return "", stop, err
	}
	if url == "" {
		started := time.Now()
		server, err := pgserver.Start(ctx, pgserver.Options{
			Dir: keep, Source: source, Durable: keep != "", Progress: func(s string) { p.Say("%s", s) },
		})
		if err != nil {
			return "", stop, err
		}
		url, stop = server.URL("postgres"), server.Stop
		where := "private, gone with this program"
		if keep != "" {
			where = "private, kept in " + keep
		}
		p.Say("PostgreSQL is up after %.1f s (%s)", time.Since(started).Seconds(), where)
	}
	done, err := migrateKnown(ctx, url)
	if err != nil {
		return "", stop, errors.Join(err, stop())
	}
	if len(done) > 0 {
		p.Say("%d migrations applied", len(done))
	}
	return url, stop, nil
}

// migrateKnown migrates, unless a later version has been there.
func migrateKnown(ctx context.Context, url string) ([]schema.Migration, error) {
	if err := refuseNewer(ctx, url); err != nil {
		return nil, err
	}
	return schema.Migrate(ctx, url)
}

// keepDefault is where --keep keeps the database when it names no folder. The
// user that the server runs as must be able to reach it, which root's home
// does not allow.
func keepDefault() string {
	if os.Geteuid() == 0 {
		return "/var/lib/matchbook/postgres"
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = filepath.Join(os.TempDir(), fmt.Sprintf("matchbook-%d", os.Geteuid()))
	}
	return filepath.Join(cache, "matchbook", "postgres")
}
