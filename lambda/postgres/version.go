package postgres

import "context"

// Use these statements instead of goose to read the versions, because goose creates a table
// and waits for a migration under way.
const (
	versionTableSQL = `SELECT to_regclass('goose_db_version') IS NOT NULL`
	versionsSQL     = `SELECT DISTINCT ON (version_id) version_id, is_applied
		FROM goose_db_version ORDER BY version_id, id DESC`
)

// SchemaVersion returns the newest applied migration; 0 without any. It is here, and not with the
// migrations in package schema, because each function calls it and only one migrates.
func (db *DB) SchemaVersion(ctx context.Context) (newest int64, err error) {
	applied, err := Versions(ctx, db)
	for version, is := range applied {
		if is {
			newest = max(newest, version)
		}
	}
	return newest, err
}

// Versions maps the versions of migrations to whether they are applied. The database may be empty.
func Versions(ctx context.Context, from Querier) (applied map[int64]bool, err error) {
	if there, err := Value[bool](ctx, from, versionTableSQL); err != nil || !there {
		return nil, err
	}
	return Map[map[int64]bool](ctx, from, versionsSQL)
}
