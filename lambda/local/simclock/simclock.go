// Package simclock moves the clock of a PostgreSQL database, for tests and
// trial runs, without a change to the programs that use it: connections opened
// with its URL find a function now() of ours before PostgreSQL's own. All other
// connections to the database keep the real time.
package simclock

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Clock is the clock of one database.
type Clock struct {
	url    string // of the database, with the real clock
	schema string // of our now()
}

const installSQL = `
CREATE SCHEMA %[1]s;
CREATE TABLE %[1]s.state (frozen_at timestamptz, shift interval NOT NULL);
INSERT INTO %[1]s.state VALUES (%[2]s, interval '0');
CREATE FUNCTION %[1]s.now() RETURNS timestamptz LANGUAGE sql STABLE AS
	'SELECT coalesce(frozen_at, pg_catalog.now()) + shift FROM %[1]s.state';
GRANT USAGE ON SCHEMA %[1]s TO PUBLIC;
GRANT SELECT ON %[1]s.state TO PUBLIC`

// Install gives the database at databaseURL a clock that runs on from now, or
// stands at frozenAt if that is not zero.
func Install(ctx context.Context, databaseURL string, frozenAt time.Time) (*Clock, error) {
	id := uuid.New()
	c := &Clock{databaseURL, fmt.Sprintf("simclock_%x", id[:6])}
	frozen := "NULL"
	if !frozenAt.IsZero() {
		frozen = frozenAt.UTC().Format("'2006-01-02T15:04:05.000000Z'")
	}
	if err := c.exec(ctx, fmt.Sprintf(installSQL, c.schema, frozen)); err != nil {
		return nil, fmt.Errorf("install a clock in the database: %w", err)
	}
	return c, nil
}

// URL returns the database's URL for the programs that are to see this clock.
func (c *Clock) URL() (string, error) {
	u, err := url.Parse(c.url)
	if err != nil {
		return "", fmt.Errorf("database URL: %w", err)
	}
	q := u.Query()
	q.Set("search_path", c.schema+",pg_catalog,public")
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // to PostgreSQL a plus is a plus
	return u.String(), nil
}

// Advance moves the clock forward.
func (c *Clock) Advance(ctx context.Context, d time.Duration) error {
	return c.exec(ctx, fmt.Sprintf("UPDATE %s.state SET shift = shift + interval '%d microseconds'", c.schema,
		d.Microseconds()))
}

// Remove takes the clock out of the database.
func (c *Clock) Remove(ctx context.Context) error {
	return c.exec(ctx, fmt.Sprintf("DROP SCHEMA %s CASCADE", c.schema))
}

func (c *Clock) exec(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, c.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}
