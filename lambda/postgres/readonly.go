package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// ReadOnly is one connection for read-only transactions. It needs no schema.
type ReadOnly struct {
	conn   *pgx.Conn
	limits limits
}

// OpenReadOnly connects under a name shown in the server's statistics. It reads the URL like
// Open, and its errors don't contain the password. You must close the connection.
func OpenReadOnly(ctx context.Context, url, name string) (*ReadOnly, error) {
	s, err := configure(url, 10*time.Second)
	if err != nil {
		return nil, err
	}
	s.config.ConnConfig.RuntimeParams["application_name"] = name
	s.config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // there may be a pooler
	conn, err := pgx.ConnectConfig(ctx, s.config.ConnConfig)
	if err != nil {
		return nil, err
	}
	return &ReadOnly{conn, s.limits}, nil
}

// Close closes the connection, even after ctx has ended.
func (r *ReadOnly) Close(ctx context.Context) { _ = r.conn.Close(context.WithoutCancel(ctx)) }

// Read runs fn in a read-only transaction.
func (r *ReadOnly) Read(ctx context.Context, fn func(pgx.Tx) error) error {
	begin := append([]string{beginSQL + " read only"}, r.limits.local()...) // in one round trip
	return pgx.BeginTxFunc(ctx, r.conn, pgx.TxOptions{BeginQuery: strings.Join(begin, "; ")}, fn)
}

// Now reads the server's clock at the start of a transaction.
func (r *ReadOnly) Now(ctx context.Context) (now time.Time, err error) {
	err = r.conn.QueryRow(ctx, `SELECT now()`).Scan(&now)
	return now, err
}
