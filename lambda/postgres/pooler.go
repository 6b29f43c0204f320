package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errPooled is the reason to make a connection again, in another mode.
var errPooled = errors.New("there is a pooler between us and the server")

// Pooled reports whether a pooler is between us and the server. A pooler makes
// up the process id that a client needs for a cancellation; a server gives its
// own.
func Pooled(ctx context.Context, conn *pgx.Conn) (bool, error) {
	own, err := limits{}.setOwn(ctx, conn)
	return !own, err
}

// setOwn sets the limits, and the isolation level, for the session if it is the
// connection's own, and reports whether it is. One statement does both: behind a pooler
// the next one would have another session.
func (l limits) setOwn(ctx context.Context, conn *pgx.Conn) (own bool, err error) {
	pid := conn.PgConn().PID()
	sql := fmt.Sprintf("SELECT pg_backend_pid() = %d", pid)
	for _, limit := range append(l, [2]string{"default_transaction_isolation", "read committed"}) {
		sql += fmt.Sprintf(", CASE pg_backend_pid() WHEN %d THEN set_config('%s', '%s', false) END",
			pid, limit[0], strings.ReplaceAll(limit[1], "'", "''"))
	}
	row, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil {
		return false, err
	}
	return string(row[0].Rows[0][0]) == "t", nil
}

// ownSession is the mark of a connection with a session of its own.
const ownSession = "own session"

// isOwn reports whether the session of a connection is its own, with settings that last.
func isOwn(c *pgxpool.Conn) bool { return c.Conn().PgConn().CustomData()[ownSession] != nil }

// look looks at a new connection, if the URL does not set the mode.
// Statements that stay prepared in a session take a third of the time of those
// that are prepared each time, and half of what a claim does is to set limits; but a
// pooler has another session for each transaction.
func (l *login) look(ctx context.Context, conn *pgx.Conn) error {
	if conn.Config().DefaultQueryExecMode == pgx.QueryExecModeCacheDescribe {
		return nil
	}
	own, err := l.limits.setOwn(ctx, conn)
	if err != nil {
		return err
	}
	if own {
		conn.PgConn().CustomData()[ownSession] = true
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pooled = true
	return errPooled
}
