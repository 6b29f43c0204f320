// Package checkup reads the state of a database for the doctor: clock, connection limits,
// schema and backlog.
package checkup

import (
	"context"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/events"
	"matchbook/lambda/postgres/schema"

	"github.com/jackc/pgx/v5"
)

// Checkup reads the state of a database over one connection, in read-only transactions. Only
// Backlog needs a schema.
type Checkup struct{ *postgres.ReadOnly }

// Open connects. It reads the URL like postgres.Open, and its errors don't contain the
// password. You must close the Checkup.
func Open(ctx context.Context, url string) (*Checkup, error) {
	c, err := postgres.OpenReadOnly(ctx, url, "matchbook doctor")
	if err != nil {
		return nil, err
	}
	return &Checkup{c}, nil
}

// Skew is the difference between the database's clock and this machine's, positive if the
// database's is ahead, with the error of its measurement.
type Skew struct{ Ahead, Within time.Duration }

// Skew compares the clocks. The database read its time at some moment between question and
// answer, so the quickest of a few rounds is the best measure. Each round must be a
// transaction by itself, because now() is the start of the transaction.
func (c *Checkup) Skew(ctx context.Context) (best Skew, err error) {
	for i := range 3 {
		before := time.Now()
		there, err := c.Now(ctx)
		if err != nil {
			return best, err
		}
		half := time.Since(before) / 2
		if i == 0 || half < best.Within {
			best = Skew{Ahead: there.Sub(before.Add(half)), Within: half}
		}
	}
	return best, nil
}

// Limit is a limit to the number of connections.
type Limit struct {
	Name     string // the setting
	Most     int    // connections, for all roles like ours together
	Reserved int    // of these, for superusers and others
	Others   int    // of these, in use by others
}

// limitsSQL has one row for each limit: the server's, the database's and our role's. The last
// two don't apply to superusers.
const limitsSQL = `
WITH used AS (
	SELECT datname, usename FROM pg_stat_activity
	WHERE datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend' AND pid <> pg_backend_pid()
		AND NOT (application_name = 'matchbook' AND datname = current_database())
)
SELECT 'max_connections', current_setting('max_connections')::int,
	current_setting('superuser_reserved_connections')::int
		+ coalesce(current_setting('reserved_connections', true), '0')::int,
	(SELECT count(*) FROM used)::int
UNION ALL
SELECT 'the CONNECTION LIMIT of the database', datconnlimit, 0,
	(SELECT count(*) FROM used WHERE datname = current_database())::int
FROM pg_database WHERE datname = current_database() AND datconnlimit >= 0
	AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
UNION ALL
SELECT 'the CONNECTION LIMIT of the role', rolconnlimit, 0,
	(SELECT count(*) FROM used WHERE usename = current_user)::int
FROM pg_roles WHERE rolname = current_user AND rolconnlimit >= 0 AND NOT rolsuper`

// Limits reads the connection limits of our role. There is at least the server's.
func (c *Checkup) Limits(ctx context.Context) (limits []Limit, err error) {
	err = c.Read(ctx, func(tx pgx.Tx) (err error) {
		limits, err = postgres.Rows[Limit](ctx, tx, limitsSQL)
		return err
	})
	return limits, err
}

// Schema compares the applied migrations with this program's.
func (c *Checkup) Schema(ctx context.Context) (s schema.State, err error) {
	err = c.Read(ctx, func(tx pgx.Tx) (err error) {
		s, err = schema.Read(ctx, tx)
		return err
	})
	return s, err
}

// Backlog counts stalled work.
type Backlog struct {
	Overdue   int           // pending documents with a message that should have arrived
	Oldest    time.Duration // since the longest waiting document was due
	Abandoned int           // documents in progress beyond their lease
	Failed    int           // documents that failed and wait for a person
	Files     int           // ingestions likewise
	Chunks    int           // of reviews, likewise
	Jobs      int           // of match offers, likewise
	Unsent    int           // notifications that should be sent by now
	Events    postgres.EventGauges
	Away      []postgres.Away
}

// backlogSQL reads the rows under way and the failed ones by indexes. See the sweep for the rule of
// overdue documents.
var backlogSQL = postgres.Tables[manifest.Match.Name].SQL(`
SELECT count(*) FILTER (WHERE {overdue}),
	coalesce(now() - min({waits_since}) FILTER (WHERE {status} = 'pending'), interval '0'),
	count(*) FILTER (WHERE {status} = 'in-progress' AND {waits_since} < now()),
	(SELECT count(*) FROM document WHERE matching_status = 'failed'),
	(SELECT count(*) FROM ingestion WHERE job_status = 'failed'),
	(SELECT count(*) FROM review_chunk WHERE status = 'failed'),
	(SELECT count(*) FROM matchmaking_job WHERE job_status = 'failed')
FROM {table} WHERE {status} IN ('pending', 'in-progress')`)

// lateSQL counts a channel's late deliveries. It leaves out deliveries older than two weeks,
// which are never sent.
const lateSQL = `
SELECT count(*) FROM notification_delivery
WHERE channel = ANY ($1) AND status = 'pending'
	AND created_at > now() - interval '14 days' AND created_at < now() - $2::interval`

// Backlog counts stalled work. The schema must be up to date. A message should arrive within
// the queue's visibility timeout, and a notification should be sent on each channel within
// sendWithin.
func (c *Checkup) Backlog(
	ctx context.Context, visibility time.Duration, channels []string, sendWithin time.Duration,
) (b Backlog, err error) {
	err = c.Read(ctx, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, backlogSQL, visibility).Scan(&b.Overdue, &b.Oldest, &b.Abandoned,
			&b.Failed, &b.Files, &b.Chunks, &b.Jobs); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, lateSQL, channels, sendWithin).Scan(&b.Unsent); err != nil {
			return err
		}
		if b.Away, err = postgres.ReadAway(ctx, tx); err != nil {
			return err
		}
		b.Events, err = events.ReadGauges(ctx, tx)
		return err
	})
	return b, err
}
