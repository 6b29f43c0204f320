package postgres

import (
	"context"
	"io/fs"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/migrations"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// Checkup asks a database how it is, over one connection and in transactions
// that cannot write. But for Backlog the schema may be any, or none.
type Checkup struct {
	conn   *pgx.Conn
	limits limits
}

// OpenCheckup connects. The URL is read as Open reads it, and no error holds
// its password.
func OpenCheckup(ctx context.Context, url string) (*Checkup, error) {
	s, err := configure(url, 10*time.Second)
	if err != nil {
		return nil, err
	}
	s.config.ConnConfig.RuntimeParams["application_name"] = "matchbook doctor"
	s.config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // for there may be a pooler
	conn, err := pgx.ConnectConfig(ctx, s.config.ConnConfig)
	if err != nil {
		return nil, err
	}
	return &Checkup{conn, s.limits}, nil
}

// Close closes the connection, also when ctx has ended.
func (c *Checkup) Close(ctx context.Context) { _ = c.conn.Close(context.WithoutCancel(ctx)) }

// read runs ask in a transaction that cannot write.
func (c *Checkup) read(ctx context.Context, ask func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, c.conn, c.limits.begin(beginSQL+" read only"), ask)
}

// Skew is how far the database's clock is ahead of this machine's, and how
// exactly that is known.
type Skew struct{ Ahead, Within time.Duration }

const clockSQL = `SELECT now()`

// Skew compares the clocks: the database's time was read at some moment
// between question and answer. The quickest of a few rounds is the best measure. Each
// is a transaction by itself, for now() is when that began.
func (c *Checkup) Skew(ctx context.Context) (best Skew, err error) {
	for i := range 3 {
		var there time.Time
		before := time.Now()
		if err := c.conn.QueryRow(ctx, clockSQL).Scan(&there); err != nil {
			return best, err
		}
		half := time.Since(before) / 2
		if i == 0 || half < best.Within {
			best = Skew{Ahead: there.Sub(before.Add(half)), Within: half}
		}
	}
	return best, nil
}

// Limit is one of the limits to the number of connections.
type Limit struct {
	Name     string // the setting
	Most     int    // connections that roles like ours can have in all
	Reserved int    // of these, for superusers and others
	Others   int    // of these, in use by others
}

// limitsSQL has one row for each limit: that of the server, of the database
// and of our role. Superusers are above the last two.
const limitsSQL = `
WITH used AS (
	SELECT datname, usename FROM pg_stat_activity
	WHERE datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend' AND pid <> pg_backend_pid()
		AND NOT (application_name = 'matchbook' AND datname = current_database())
)
SELECT 'max_connections', current_setting('max_connections')::int,
	current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int,
	(SELECT count(*) FROM used)::int
UNION ALL
SELECT 'the CONNECTION LIMIT of the database', datconnlimit, 0, (SELECT count(*) FROM used WHERE datname = current_database())::int
FROM pg_database WHERE datname = current_database() AND datconnlimit >= 0 AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
UNION ALL
SELECT 'the CONNECTION LIMIT of the role', rolconnlimit, 0, (SELECT count(*) FROM used WHERE usename = current_user)::int
FROM pg_roles WHERE rolname = current_user AND rolconnlimit >= 0 AND NOT rolsuper`

// Limits are the connection limits of our role; at least that of the server.
func (c *Checkup) Limits(ctx context.Context) (limits []Limit, err error) {
	err = c.read(ctx, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, limitsSQL)
		limits, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Limit])
		return err
	})
	return limits, err
}

// Schema is which migrations were applied.
type Schema struct {
	Lacking []string // the names of the missing ones
	Newer   int64    // the newest one if this program does not know it, or else 0
	Known   int64    // the newest one that this program knows
}

// TooNew is an error if the schema is that of a later version of the program,
// whose rows may mean something else there.
func (s Schema) TooNew() error {
	if s.Newer == 0 {
		return nil
	}
	return failure.Permanently("the database's schema is at version %d, and this program knows versions up to %d: "+
		"use the program that the schema is of, or a later one", s.Newer, s.Known)
}

// The schema's versions are read here and not by the runner of the migrations,
// which makes a table of its own and waits for a migration under way.
const (
	versionTableSQL = `SELECT to_regclass('goose_db_version') IS NOT NULL`
	versionsSQL     = `SELECT DISTINCT ON (version_id) version_id, is_applied FROM goose_db_version ORDER BY version_id, id DESC`
)

// Schema compares the applied migrations with those of this program.
func (c *Checkup) Schema(ctx context.Context) (s Schema, err error) {
	err = c.read(ctx, func(tx pgx.Tx) (err error) {
		s, err = readSchema(ctx, tx)
		return err
	})
	return s, err
}

// Schema is Checkup.Schema for a database that is open.
func (db *DB) Schema(ctx context.Context) (Schema, error) { return readSchema(ctx, db.pool) }

func readSchema(ctx context.Context, from interface {
	querier
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (s Schema, err error) {
	applied := map[int64]bool{}
	var there bool
	if err := from.QueryRow(ctx, versionTableSQL).Scan(&there); err != nil {
		return s, err
	}
	if there {
		rows, _ := from.Query(ctx, versionsSQL)
		var version int64
		var is bool
		if _, err := pgx.ForEachRow(rows, []any{&version, &is}, func() error {
			applied[version] = is
			return nil
		}); err != nil {
			return s, err
		}
	}
	return compare(applied)
}

func compare(applied map[int64]bool) (s Schema, err error) {
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

// Backlog counts the work that stands still.
type Backlog struct {
	Overdue   int           // pending ones whose message should have come
	Oldest    time.Duration // how long ago the longest waiting document was due
	Abandoned int           // in progress beyond their lease
	Unsent    int           // notifications that should have been sent by now
}

// backlogSQL is about the rows that are under way, which an index finds. A
// document is overdue by the rule of the sweep.
var backlogSQL = documents.sql(`
SELECT count(*) FILTER (WHERE ` + overdue + `),
	coalesce(now() - min(` + waitsSince + `) FILTER (WHERE {status} = 'pending'), interval '0'),
	count(*) FILTER (WHERE {status} = 'in-progress' AND ` + waitsSince + ` < now())
FROM {table} WHERE {status} IN ('pending', 'in-progress')`)

// lateSQL counts the deliveries that are late on a channel. Those older than two
// weeks are never sent.
const lateSQL = `
SELECT count(*) FROM notification_delivery
WHERE channel = ANY ($1) AND status = 'pending' AND created_at > now() - interval '14 days' AND created_at < now() - $2::interval`

// Backlog measures the work that stands still, in a schema that is up to date:
// the rows whose message was due before the queue's visibility timeout, and the
// notifications that should have been sent on a channel within sendWithin.
func (c *Checkup) Backlog(ctx context.Context, visibility time.Duration, channels []string, sendWithin time.Duration) (b Backlog, err error) {
	err = c.read(ctx, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, backlogSQL, visibility).Scan(&b.Overdue, &b.Oldest, &b.Abandoned); err != nil {
			return err
		}
		return tx.QueryRow(ctx, lateSQL, channels, sendWithin).Scan(&b.Unsent)
	})
	return b, err
}
