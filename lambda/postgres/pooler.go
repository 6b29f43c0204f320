package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// errPooled is the reason to make a connection again, in another mode.
var errPooled = errors.New("there is a pooler between us and the server")

// Pooled reports whether a pooler is between us and the server. A pooler makes
// up the process id that a client needs for a cancellation; a server gives its
// own.
func Pooled(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var pid uint32
	err := conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid != conn.PgConn().PID(), err
}

// look is for pgxpool.Config.AfterConnect, if the URL does not set the mode.
// Statements that stay prepared in a session take a third of the time of those
// that are prepared each time; but a pooler has another session for each
// transaction.
func (l *login) look(ctx context.Context, conn *pgx.Conn) error {
	if conn.Config().DefaultQueryExecMode == pgx.QueryExecModeCacheDescribe {
		return nil
	}
	between, err := Pooled(ctx, conn)
	if err != nil || !between {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pooled = true
	return errPooled
}
