package postgrestest

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"matchbook/lambda/local/pgserver"

	"github.com/google/uuid"
)

const kept = "test-cluster-" // and the identity of the migrations

// migrated returns the folder of a stopped server with the template, kept on this machine by
// the first test binary, because initdb and all migrations take longer than most tests. It
// returns "" if none can be kept, so each binary must begin with nothing.
func migrated(ctx context.Context, source pgserver.Source) (dir string) {
	id, err := migrationsID()
	if err != nil {
		return "" // prepareTemplate reports it
	}
	cache, err := pgserver.CacheFolder()
	if err != nil || pgserver.MakeCache(cache) != nil {
		return ""
	}
	dir = filepath.Join(cache, kept+id)
	now := time.Now()
	if os.Chtimes(dir, now, now) == nil {
		return dir
	}
	removeOld(cache, now.AddDate(0, 0, -7))
	unfinished := filepath.Join(cache, kept+uuid.NewString())
	defer func() { _ = os.RemoveAll(unfinished) }()
	if fill(ctx, pgserver.Options{Source: source, Dir: unfinished, Durable: true}) != nil {
		return "" // the start without it reports it
	}
	if err := os.Rename(unfinished, dir); err != nil && !os.IsExist(err) { // by another binary
		return ""
	}
	return dir
}

func fill(ctx context.Context, o pgserver.Options) error {
	server, err := pgserver.Start(ctx, o)
	if err != nil {
		return err
	}
	if _, err := prepareTemplate(ctx, server.URL("postgres")); err != nil {
		_ = server.Stop() // err has the reason
		return err
	}
	return server.Stop()
}

// removeOld removes the clusters of other migrations not used by a test since.
func removeOld(cache string, since time.Time) {
	dirs, _ := filepath.Glob(filepath.Join(cache, kept+"*"))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.ModTime().Before(since) {
			_ = os.RemoveAll(dir)
		}
	}
}
