package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/migrations"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// tellWithin is how long a notification may take. The relay tries again within
// minutes.
const tellWithin = 10 * time.Minute

// askDatabase looks at the server, the schema and the rows, in transactions
// that only read. away is whether it may be out of reach from this machine:
// then that is no finding.
func (l *look) askDatabase(ctx context.Context, f *facts, url string, channels []string, away bool) {
	l.Progress("asking the database")
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn, err := connect(ctx, url)
	if err != nil {
		f.database = known(problem("the database does not answer: " + sentence(err)))
		if refused := (*pgconn.PgError)(nil); away && !errors.As(err, &refused) {
			f.database = unknown[problem]("the database cannot be reached from this machine (" + sentence(err) + "): run doctor where it can")
		}
		f.blind("the database does not answer", l.Connections)
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	f.database = known(problem(""))
	f.skew = measure(ctx, conn)
	f.server = inside(ctx, conn, readServer)
	f.schema = inside(ctx, conn, readSchema)
	f.backlog = unknown[backlog]("the schema is not up to date")
	if f.schema.is && len(f.schema.value.lacking) == 0 {
		f.backlog = inside(ctx, conn, func(ctx context.Context, tx pgx.Tx) (backlog, error) { return readBacklog(ctx, tx, channels) })
	}
}

// blind is what is known of a database that was not looked at: what a person
// says of its connections.
func (f *facts) blind(why string, connections int) {
	f.skew, f.schema, f.backlog = unknown[skew](why), unknown[schema](why), unknown[backlog](why)
	f.server = unknown[server](why + ": --connections N says how many it has")
	if connections > 0 {
		f.server = known(server{most: connections, stated: true})
	}
}

// connect opens a connection. The URL is read as the functions read it.
func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%w", errNoURL)
	}
	c := config.ConnConfig
	c.RuntimeParams["application_name"] = "matchbook doctor"
	if c.RuntimeParams["statement_timeout"] == "" {
		c.RuntimeParams["statement_timeout"] = "10000"
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 5 * time.Second
	}
	return pgx.ConnectConfig(ctx, c)
}

var errNoURL = errors.New("not a PostgreSQL URL such as postgres://user:password@host:5432/database")

// inside runs a question in a transaction that cannot write.
func inside[T any](ctx context.Context, conn *pgx.Conn, ask func(context.Context, pgx.Tx) (T, error)) fact[T] {
	var found T
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		found, err = ask(ctx, tx)
		return err
	})
	if err != nil {
		return unknown[T]("the database was asked, and failed: " + sentence(err))
	}
	return known(found)
}

// measure compares the clocks: the database's time was read at some moment
// between question and answer. The quickest of a few rounds says it best.
func measure(ctx context.Context, conn *pgx.Conn) fact[skew] {
	var best skew
	for i := range 3 {
		var there time.Time
		before := time.Now()
		if err := conn.QueryRow(ctx, "SELECT now()").Scan(&there); err != nil {
			return unknown[skew]("the database was asked, and failed: " + sentence(err))
		}
		half := time.Since(before) / 2
		if i == 0 || half < best.within {
			best = skew{ahead: there.Sub(before.Add(half)), within: half}
		}
	}
	return known(best)
}

// serverSQL has one row for each limit: that of the server, of the database
// and of our role. Superusers are above the last two.
const serverSQL = `
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

// readServer finds the limit that leaves least.
func readServer(ctx context.Context, tx pgx.Tx) (least server, err error) {
	rows, _ := tx.Query(ctx, serverSQL)
	var s server
	first := true
	_, err = pgx.ForEachRow(rows, []any{&s.limit, &s.most, &s.reserved, &s.others}, func() error {
		if first || s.free() < least.free() {
			least, first = s, false
		}
		return nil
	})
	return least, err
}

// The schema's versions are read here and not by the runner of the migrations,
// which makes a table of its own and waits for who migrates.
const (
	versionTableSQL = `SELECT to_regclass('goose_db_version') IS NOT NULL`
	versionsSQL     = `SELECT DISTINCT ON (version_id) version_id, is_applied FROM goose_db_version ORDER BY version_id, id DESC`
)

func readSchema(ctx context.Context, tx pgx.Tx) (s schema, err error) {
	var there bool
	if err := tx.QueryRow(ctx, versionTableSQL).Scan(&there); err != nil {
		return s, err
	}
	applied := map[int64]bool{}
	if there {
		rows, _ := tx.Query(ctx, versionsSQL)
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

// compare compares what was applied with the migrations that this program has.
func compare(applied map[int64]bool) (s schema, err error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	var newest int64
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		version, convErr := strconv.ParseInt(number, 10, 64)
		if convErr != nil {
			return s, fmt.Errorf("migration %s has no number", name)
		}
		newest = max(newest, version)
		if !applied[version] {
			s.lacking = append(s.lacking, strings.TrimSuffix(name, ".sql"))
		}
	}
	for version, is := range applied {
		if is && version > newest {
			s.newer = max(s.newer, version)
		}
	}
	return s, err
}

// backlogSQL is about the rows that are under way, which an index finds. A
// document is overdue by the rule of the sweep.
const backlogSQL = `
SELECT count(*) FILTER (WHERE matching_status = 'pending' AND matching_due_at + $1::interval * power(2, matching_republished) < now()),
	coalesce(extract(epoch FROM now() - min(matching_due_at) FILTER (WHERE matching_status = 'pending')), 0)::float8,
	count(*) FILTER (WHERE matching_status = 'in-progress' AND matching_lease_until < now())
FROM document WHERE matching_status IN ('pending', 'in-progress')`

// untoldSQL counts what a channel was not told; what is older than two weeks
// is told to nobody.
const untoldSQL = `
SELECT count(*) FROM notification AS n CROSS JOIN unnest($1::text[]) AS c (name)
LEFT JOIN notification_delivery AS d ON d.notification_id = n.id AND d.channel = c.name
WHERE n.created_at > now() - interval '14 days' AND n.created_at < now() - $2::interval AND coalesce(d.status, 'pending') = 'pending'`

func readBacklog(ctx context.Context, tx pgx.Tx, channels []string) (b backlog, err error) {
	var waited float64
	if err := tx.QueryRow(ctx, backlogSQL, manifest.Match.Visibility()).Scan(&b.overdue, &waited, &b.abandoned); err != nil {
		return b, err
	}
	b.oldest = time.Duration(waited * float64(time.Second))
	err = tx.QueryRow(ctx, untoldSQL, channels, tellWithin).Scan(&b.untold)
	return b, err
}
