// Package postgres holds all of Matchbook's SQL: one file per concern, each
// statement a constant beside the one method that runs it. An exported method
// is one transaction. Every write of an attempt carries its fence, and only
// the database's clock decides about leases.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"matchbook/lambda/failure"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is a pool of connections to one database. It implements the store ports
// of the packages job, match and sweep.
type DB struct {
	pool *pool
}

// statementTimeout ends what the client has given up on: a cancelled context
// closes the connection, but the server would go on.
const statementTimeout = 30 * time.Second

// Open checks the URL and prepares a pool of at most conns connections; the
// first is made when it is needed. pool_max_conns, default_query_exec_mode
// (for poolers that keep no prepared statements) and server settings may be
// given in the URL, as pgx documents. No error of it holds the URL.
func Open(ctx context.Context, url string, conns int) (*DB, error) {
	return OpenRenewing(ctx, url, conns, nil)
}

// OpenRenewing is Open for a URL that may change while the pool is open, with
// the password in it: renew, if it is not nil, is asked when the server has
// refused a login, and what needed the connection is done once more.
func OpenRenewing(ctx context.Context, url string, conns int, renew Renew) (*DB, error) {
	config, err := configure(url, statementTimeout)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(conns)
	if settings := config.ConnConfig.RuntimeParams; settings["application_name"] == "" {
		settings["application_name"] = "matchbook"
	}
	who := &login{renew: renew, url: url, config: config.ConnConfig.Copy()}
	if renew != nil {
		config.BeforeConnect = who.use
	}
	connections, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return &DB{&pool{connections, who}}, nil
}

// configure reads a URL and sets the timeouts that it leaves open.
func configure(url string, statement time.Duration) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil { // its text holds the URL
		return nil, failure.Permanently("not a PostgreSQL URL such as postgres://user:password@host:5432/database")
	}
	if settings := config.ConnConfig.RuntimeParams; settings["statement_timeout"] == "" {
		settings["statement_timeout"] = strconv.FormatInt(statement.Milliseconds(), 10)
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	return config, nil
}

// Close closes all connections.
func (db *DB) Close() { db.pool.Close() }

// Ping makes sure that the database answers.
func (db *DB) Ping(ctx context.Context) error {
	return failure.At("reach the database", db.pool.Ping(ctx))
}

// maxTries is how often a transaction is tried when it lost a race.
const maxTries = 3

// repeat runs fn again when it lost a race against another transaction. What
// it runs must be all or nothing. An error of a lost connection is not
// repeated: its commit may have been done.
func repeat(ctx context.Context, fn func() error) error {
	var err error
	for range maxTries {
		if err = fn(); err == nil || ctx.Err() != nil {
			return err
		}
		var pgErr *pgconn.PgError
		if !errors.As(err, &pgErr) {
			return err
		}
		switch pgErr.Code {
		case "40001", "40P01", "23503", "23505": // serialization, deadlock, keys
		default:
			return err
		}
	}
	return err
}

// inTx runs fn in a transaction, all or nothing, again if it lost a race.
func (db *DB) inTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return repeat(ctx, func() error {
		return pgx.BeginFunc(ctx, db.pool, fn)
	})
}
