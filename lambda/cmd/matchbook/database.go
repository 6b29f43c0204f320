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
	"matchbook/lambda/postgres"
)

// openDatabase returns the URL of a migrated database: the one that
// DATABASE_URL names, or one on a private server, which lives in the folder
// keep, or as long as this program if that is empty. MATCHBOOK_POSTGRES forces
// one of them.
func (w *world) openDatabase(ctx context.Context, keep string, p *progress) (url string, stop func() error, err error) {
	stop = func() error { return nil }
	source, url, err := pgserver.ReadSource(w.env, manifest.EnvDatabaseURL)
	if err != nil {
		return "", stop, err
	}
	if url == "" {
		started := time.Now()
		server, err := pgserver.Start(ctx, pgserver.Options{
			Dir: keep, Source: source, Durable: keep != "", Progress: func(s string) { p.say("%s", s) },
		})
		if err != nil {
			return "", stop, err
		}
		url, stop = server.URL("postgres"), server.Stop
		where := "private, gone with this program"
		if keep != "" {
			where = "private, kept in " + keep
		}
		p.say("PostgreSQL is up after %.1f s (%s)", time.Since(started).Seconds(), where)
	} else if keep != "" {
		return "", stop, errors.New("--keep is for the private PostgreSQL: unset DATABASE_URL, whose database is kept anyway")
	}
	done, err := postgres.Migrate(ctx, url)
	if err != nil {
		return "", stop, errors.Join(err, stop())
	}
	if len(done) > 0 {
		p.say("%d migrations applied", len(done))
	}
	return url, stop, nil
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
