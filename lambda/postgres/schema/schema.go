// Package schema migrates a database's schema up to this program's migrations or one step
// back, and compares the two. See migrations/README.md for the schema itself.
package schema

import (
	"context"
	"io/fs"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"
	"matchbook/migrations"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// State is the difference between the applied migrations and this program's.
type State struct {
	Lacking []string // names of the missing ones
	Newer   int64    // newest applied one if unknown to this program, or else 0
	Known   int64    // newest one known to this program
}

// TooNew returns an error if the schema belongs to a later version of the program. The program
// must not work on it, because rows may have another meaning.
func (s State) TooNew() error {
	if s.Newer == 0 {
		return nil
	}
	return failure.Permanently("database schema version %d is newer than this program's %d: "+
		"use the release that made the schema, or a later one", s.Newer, s.Known)
}

// Use these statements instead of goose to read the versions, because goose creates a table
// and waits for a migration under way.
const (
	versionTableSQL = `SELECT to_regclass('goose_db_version') IS NOT NULL`
	versionsSQL     = `SELECT DISTINCT ON (version_id) version_id, is_applied
		FROM goose_db_version ORDER BY version_id, id DESC`
)

// Reader is a postgres.DB, or a transaction.
type Reader interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Read compares the applied migrations with this program's. The database may be empty.
func Read(ctx context.Context, from Reader) (s State, err error) {
	applied, err := versions(ctx, from)
	if err != nil {
		return s, err
	}
	return compare(applied)
}

// Newest returns the newest applied migration; 0 without any. It needs no migration, so a function
// that calls it doesn't carry them.
func Newest(ctx context.Context, from Reader) (newest int64, err error) {
	applied, err := versions(ctx, from)
	for version, is := range applied {
		if is {
			newest = max(newest, version)
		}
	}
	return newest, err
}

// Newer returns the newest applied migration if it's unknown to this program, or else 0.
func Newer(ctx context.Context, from Reader) (newer int64, err error) {
	newest, err := Newest(ctx, from)
	if newest > migrations.Newest {
		newer = newest
	}
	return newer, err
}

// versions maps the versions of migrations to whether they are applied.
func versions(ctx context.Context, from Reader) (applied map[int64]bool, err error) {
	var there bool
	if err := from.QueryRow(ctx, versionTableSQL).Scan(&there); err != nil || !there {
		return nil, err
	}
	return postgres.Map[map[int64]bool](ctx, from, versionsSQL)
}

func compare(applied map[int64]bool) (s State, err error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return s, err
		}
		s.Known = max(s.Known, version)
		if !applied[version] {
			s.Lacking = append(s.Lacking, strings.TrimSuffix(name, ".sql"))
		}
	}
	for version, is := range applied {
		if is && version > s.Known {
			s.Newer = max(s.Newer, version)
		}
	}
	return s, err
}
