package postgres

import (
	"context"
	"errors"
	"fmt"

	"matchbook/lambda/failure"

	"github.com/jackc/pgx/v5"
)

// errPooled is why a connection is made once more, in another mode.
var errPooled = errors.New("there is a pooler between us and the server")

// pooled reports whether a pooler is between us and the server. A pooler
// makes up the process id that a client needs to cancel with; a server gives its own.
func pooled(ctx context.Context, conn *pgx.Conn) (bool, error) {
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
	between, err := pooled(ctx, conn)
	if err != nil || !between {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pooled = true
	return errPooled
}

// direct refuses a pooler.
func direct(ctx context.Context, config *pgx.ConnConfig) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Close(ctx)
	between, err := pooled(ctx, conn)
	if err == nil && between {
		err = failure.Permanently("migrations need the database itself, not a pooler in front of it such as PgBouncer or RDS Proxy: give the server's own address")
	}
	return err
}
