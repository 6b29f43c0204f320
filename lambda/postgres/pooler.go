package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errPooled is the reason to connect again in another mode.
var errPooled = errors.New("unexpected pooler in front of the server")

// Pooled reports whether a pooler sits in front of the server. It compares process ids: a
// server sends its real one for cancellations, a pooler makes one up.
func Pooled(ctx context.Context, conn *pgx.Conn) (bool, error) {
	own, err := limits{}.setOwn(ctx, conn)
	return !own, err
}

// setOwn sets the limits and the isolation level for the session if it belongs to the
// connection, and reports whether it does. It must be one statement, because behind a pooler
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

// ownSession marks a connection with its own session.
const ownSession = "own session"

// isOwn reports whether a connection has its own session, so that settings last.
func isOwn(c *pgxpool.Conn) bool { return c.Conn().PgConn().CustomData()[ownSession] != nil }

// look checks a new connection for a pooler, unless the URL sets the mode. In an own session,
// statements stay prepared and take a third of the time, and limits need setting only once,
// which is half of a claim. Behind a pooler neither works, because each transaction has
// another session.
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
