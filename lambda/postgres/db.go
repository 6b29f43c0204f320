// Package postgres holds Matchbook's SQL, together with the packages below it: one file per
// concern, each statement a constant next to its function. This package has the database and the
// jobs of every workload; the stores of workloads are below it, each a package that imports this
// one only. An exported method that writes is one transaction. Every write of
// an attempt carries its fence, because the attempt may have lost its row, and only the
// database's clock decides about leases.
//
// A transaction runs again after losing a race. Work also runs again while the database is away
// (repeat.go).
//
// Most errors are the driver's and may have values in their text. Before you store, log or
// send one, use failure.Of, which keeps only the SQLSTATE.
package postgres

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/failure"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// DB is a database with a bounded number of connections, safe for concurrent use. You must
// close it. DB implements the store ports of packages job and sweep for documents; for the table
// of any other function, use JobsOf.
type DB struct {
	*Jobs // of documents

	pool     *pool
	reserved *pool // for job.Store, so that settling never waits behind the work for a connection
}

// The timeouts of a transaction end abandoned statements, and transactions in the way of
// others. They are needed because a cancelled context closes the connection but not the
// statement on the server, and a frozen process keeps its locks as long as its session lasts.
const (
	statementTimeout = 30 * time.Second
	lockTimeout      = 15 * time.Second
	idleTimeout      = 15 * time.Second // between two statements
)

// Open checks the URL and prepares a pool of at most conns connections; the first connection
// is made when needed. If conns > 1, one is reserved for claiming and settling. No error
// contains the URL.
//
// Of the parameters pgx documents for a URL, you may use server settings, the settings of each
// transaction (statement_timeout, lock_timeout, idle_in_transaction_session_timeout, and jit,
// off by default), and:
//
//   - pool_max_conns, to lower conns but never raise it;
//   - default_query_exec_mode: cache_statement is faster but needs a session (or a pooler that
//     keeps prepared statements apart), so use cache_describe without one. The default is
//     cache_statement, or cache_describe once a pooler is noticed.
//
// Everything works through a pooler with a connection for each transaction, such as PgBouncer
// or RDS Proxy, because no state is left in a session.
func Open(ctx context.Context, url string, conns int) (*DB, error) {
	return OpenRenewing(ctx, url, conns, nil)
}

// OpenRenewing is Open for a URL that may change while the pool is open, such as one with a
// rotated password. When the server refuses a login, it calls renew, unless that is nil, and
// runs the statement again.
func OpenRenewing(ctx context.Context, url string, conns int, renew Renew) (*DB, error) {
	s, err := configure(url, statementTimeout)
	if err != nil {
		return nil, err
	}
	conns = min(conns, s.most)
	if settings := s.config.ConnConfig.RuntimeParams; settings["application_name"] == "" {
		settings["application_name"] = "matchbook"
	}
	as := &login{renew: renew, limits: s.limits, url: url, config: s.config.ConnConfig.Copy()}
	s.config.BeforeConnect = as.use
	s.config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		pgxuuid.Register(conn.TypeMap())
		if s.modeGiven {
			return nil
		}
		return as.look(ctx, conn)
	}
	db := &DB{}
	db.Jobs = db.JobsOf(documents)
	if db.pool, err = s.open(ctx, max(1, conns-1), as); err != nil {
		return nil, err
	}
	if db.reserved = db.pool; conns > 1 {
		s.config.MinConns, s.config.MinIdleConns = 0, 0
		if db.reserved, err = s.open(ctx, 1, as); err != nil {
			db.pool.conns.Close()
			return nil, err
		}
	}
	return db, nil
}

// source is a parsed URL.
type source struct {
	config    *pgxpool.Config
	limits    limits
	most      int  // connections
	modeGiven bool // default_query_exec_mode
}

// configure parses a URL and sets the timeouts missing in it.
func configure(url string, statement time.Duration) (s source, err error) {
	if s.config, err = pgxpool.ParseConfig(url); err != nil { // its text contains the URL
		return s, failure.Permanently("invalid PostgreSQL URL: expected postgres://user:password@host:5432/database")
	}
	s.modeGiven = strings.Contains(url, "default_query_exec_mode")
	s.most = math.MaxInt
	if strings.Contains(url, "pool_max_conns") {
		s.most = int(s.config.MaxConns)
	}
	settings := s.config.ConnConfig.RuntimeParams
	s.limits = limitsOf(settings, [][2]string{
		{"statement_timeout", milliseconds(statement)},
		{"lock_timeout", milliseconds(lockTimeout)},
		{"idle_in_transaction_session_timeout", milliseconds(idleTimeout)},
		// The planner expects many rows behind a long queue, so it would compile the
		// statement. That takes 600 ms, and running it takes one.
		{"jit", "off"},
	})
	if s.config.ConnConfig.ConnectTimeout == 0 {
		s.config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	mode := s.config.ConnConfig.DefaultQueryExecMode // other modes of pgx can't run our statements
	if mode != pgx.QueryExecModeCacheStatement && mode != pgx.QueryExecModeCacheDescribe {
		return s, failure.Permanently("unsupported default_query_exec_mode=%s: "+
			"use cache_describe or cache_statement, or leave it out", mode)
	}
	return s, nil
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func (s source) open(ctx context.Context, conns int, as *login) (*pool, error) {
	config := s.config.Copy()
	config.MaxConns = int32(conns)
	connections, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return &pool{connections, as}, nil
}

// Close closes all connections. It waits for the ones in use.
func (db *DB) Close() {
	db.pool.conns.Close()
	db.reserved.conns.Close()
}

// SendBatch makes DB a Querier. Use Rows and the like instead.
func (db *DB) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return db.pool.SendBatch(ctx, b)
}

// Ping returns an error unless the database answers.
func (db *DB) Ping(ctx context.Context) error {
	_, err := db.pool.Exec(ctx, "SELECT")
	return failure.At("reach the database", err)
}
