// Package simclock moves the clock of a PostgreSQL database for tests and trial runs, without
// changes to the programs using it: connections opened with its URL see a replaced now(). All
// other connections to the database keep the real time.
package simclock

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Clock is the clock of one database.
type Clock struct {
	url    string // database URL, with the real clock
	schema string // schema of the replaced now()

	mu   sync.Mutex
	conn *pgx.Conn // kept open because connecting costs more than its use; may be closed
}

const installSQL = `
CREATE SCHEMA %[1]s;
CREATE TABLE %[1]s.state (frozen_at timestamptz, shift interval NOT NULL);
INSERT INTO %[1]s.state VALUES (%[2]s, interval '0');
CREATE FUNCTION %[1]s.now() RETURNS timestamptz LANGUAGE sql STABLE AS
	'SELECT coalesce(frozen_at, pg_catalog.now()) + shift FROM %[1]s.state';
GRANT USAGE ON SCHEMA %[1]s TO PUBLIC;
GRANT SELECT ON %[1]s.state TO PUBLIC`

// Install gives the database at databaseURL a clock, running from now or frozen at frozenAt if
// that isn't zero. The caller must call Close or Remove.
func Install(ctx context.Context, databaseURL string, frozenAt time.Time) (*Clock, error) {
	id := uuid.New()
	c := &Clock{url: databaseURL, schema: fmt.Sprintf("simclock_%x", id[:6])}
	frozen := "NULL"
	if !frozenAt.IsZero() {
		frozen = frozenAt.UTC().Format("'2006-01-02T15:04:05.000000Z'")
	}
	if err := c.exec(ctx, fmt.Sprintf(installSQL, c.schema, frozen)); err != nil {
		c.Close()
		return nil, fmt.Errorf("install database clock: %w", err)
	}
	return c, nil
}

// URL returns the database URL for programs that should see this clock.
func (c *Clock) URL() (string, error) {
	u, err := url.Parse(c.url)
	if err != nil {
		return "", fmt.Errorf("parse database URL: %w", err)
	}
	q := u.Query()
	q.Set("search_path", "public,"+c.schema+",pg_catalog")  // public first, for migrations
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // PostgreSQL takes a plus literally
	return u.String(), nil
}

// Advance moves the clock forward.
func (c *Clock) Advance(ctx context.Context, d time.Duration) error {
	return c.exec(ctx, fmt.Sprintf("UPDATE %s.state SET shift = shift + interval '%d microseconds'", c.schema,
		d.Microseconds()))
}

// Remove removes the clock from the database and closes it.
func (c *Clock) Remove(ctx context.Context) error {
	defer c.Close()
	return c.exec(ctx, fmt.Sprintf("DROP SCHEMA %s CASCADE", c.schema))
}

// Close closes the clock's connection. The database keeps its clock.
func (c *Clock) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.Close(context.Background())
	}
}

func (c *Clock) exec(ctx context.Context, sql string) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The server may have restarted since the last use.
	if c.conn == nil || c.conn.Ping(ctx) != nil {
		if c.conn, err = pgx.Connect(ctx, c.url); err != nil {
			return err
		}
	}
	_, err = c.conn.Exec(ctx, sql)
	return err
}
