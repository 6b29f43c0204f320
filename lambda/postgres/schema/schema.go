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

// Read compares the applied migrations with this program's. The database may be empty.
func Read(ctx context.Context, from postgres.Querier) (s State, err error) {
	applied, err := postgres.Versions(ctx, from)
	if err != nil {
		return s, err
	}
	return compare(applied)
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
