package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// errPooled is why a connection is made once more, in another mode.
var errPooled = errors.New("there is a pooler between us and the server")

// Pooled reports whether a pooler is between us and the server. A pooler makes
// up the process id that a client needs for a cancellation; a server gives its
// own.
func Pooled(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var pid uint32
	err := conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid != conn.PgConn().PID(), err
}

// look is for pgxpool.Config.AfterConnect, where the URL leaves the mode open.
// Statements stay prepared in a session, which takes a third of the time that
// it takes to prepare them each time; a pooler has another session for each
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
