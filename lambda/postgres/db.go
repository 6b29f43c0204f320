// Package postgres holds Matchbook's SQL, with the packages below it: one file
// per concern, each statement a constant near the function that runs it. An
// exported method that writes is one transaction. Every write of an attempt
// carries its fence, and only the database's clock decides about leases.
//
// A transaction that loses a race runs again; that of the work, such as DB.Write,
// also while the database is away (repeat.go). The documentation of DB.Write
// lists all statements of a match.
package postgres

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/match/score"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// DB is a database, through a bounded number of connections. It implements the
// store ports of the packages job, match and sweep.
type DB struct {
	*Jobs // of documents

	pool     *pool
	reserved *pool // for job.Store, which never waits for a connection behind the work that it settles
	turns    turns
	attempts sync.Map // *progress by the name of the table

	loads    *joint[*score.Raw]
	searches *joint[*around]
}

// The timeouts of a transaction. They end statements that the client has given
// up on, and transactions that hold up others: a cancelled context closes the
// connection, but the server continues; a frozen process keeps its locks as long
// as its session lasts.
const (
	statementTimeout = 30 * time.Second
	lockTimeout      = 15 * time.Second
	idleTimeout      = 15 * time.Second // between two statements
)

// Open checks the URL and prepares at most conns connections; the first is made
// when it is needed. One of them, if there are several, is kept free for
// claiming and settling. No error contains the URL.
//
// Of the parameters that pgx documents for a URL, it accepts the settings of the
// server, those of each transaction (the timeouts statement_timeout, lock_timeout and
// idle_in_transaction_session_timeout, and jit, which is off), and:
//
//   - pool_max_conns, which lowers conns but never raises it;
//   - default_query_exec_mode: cache_statement, the faster one, which needs a
//     session (or a pooler that keeps prepared statements apart), or
//     cache_describe, which does not. If it is not given, it is cache_statement
//     unless a pooler is noticed.
//
// Everything works through a pooler that gives a connection to each transaction,
// such as PgBouncer or RDS Proxy: no state is left in a session.
func Open(ctx context.Context, url string, conns int) (*DB, error) {
	return OpenRenewing(ctx, url, conns, nil)
}

// OpenRenewing is Open for a URL that may change while the pool is open, with
// the password in it: renew, if it is not nil, is called when the server has
// refused a login, and the statement that needed the connection is run again.
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
	db.loads = newJoint(db.loadAll, db.gather(loading, gatherFor))
	db.searches = newJoint(db.searchAll, db.gather(searching, gatherSearches))
	if db.pool, err = s.open(ctx, max(1, conns-1), as); err != nil {
		return nil, err
	}
	if db.reserved = db.pool; conns > 1 {
		s.config.MinConns, s.config.MinIdleConns = 0, 0
		if db.reserved, err = s.open(ctx, 1, as); err != nil {
			db.pool.Close()
			return nil, err
		}
	}
	return db, nil
}

// source is a URL, parsed.
type source struct {
	config    *pgxpool.Config
	limits    limits
	most      int  // connections
	modeGiven bool // default_query_exec_mode
}

// configure parses a URL and sets the timeouts that it leaves open.
func configure(url string, statement time.Duration) (s source, err error) {
	if s.config, err = pgxpool.ParseConfig(url); err != nil { // its text holds the URL
		return s, failure.Permanently("not a PostgreSQL URL such as postgres://user:password@host:5432/database")
	}
	given, err := pgx.ParseConfig(url)
	if err != nil {
		return s, failure.Permanently("not a PostgreSQL URL such as postgres://user:password@host:5432/database")
	}
	s.modeGiven = strings.Contains(url, "default_query_exec_mode")
	s.most = math.MaxInt
	if given.RuntimeParams["pool_max_conns"] != "" {
		s.most = int(s.config.MaxConns)
	}
	settings := s.config.ConnConfig.RuntimeParams
	s.limits = limitsOf(settings, [][2]string{
		{"statement_timeout", milliseconds(statement)},
		{"lock_timeout", milliseconds(lockTimeout)},
		{"idle_in_transaction_session_timeout", milliseconds(idleTimeout)},
		// The planner expects many rows of a statement with a long queue before it, and has
		// it compiled: that takes 600 ms, and the statement one.
		{"jit", "off"},
	})
	if s.config.ConnConfig.ConnectTimeout == 0 {
		s.config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	return s, execMode(s.config.ConnConfig)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// execMode refuses the modes of pgx that cannot run our statements.
func execMode(config *pgx.ConnConfig) error {
	switch config.DefaultQueryExecMode {
	case pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe:
		return nil
	}
	return failure.Permanently("default_query_exec_mode=%s is not supported: "+
		"use cache_describe, or cache_statement, or leave it out", config.DefaultQueryExecMode)
}

func (s source) open(ctx context.Context, conns int, as *login) (*pool, error) {
	config := s.config.Copy()
	config.MaxConns = int32(conns)
	connections, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return &pool{connections, as, s.limits}, nil
}

// Close closes all connections.
func (db *DB) Close() {
	db.pool.Close()
	db.reserved.Close()
}

// Query runs a read as a transaction by itself; its rows must be read to their
// end or closed. It is for the packages below this one, which hold SQL, too.
func (db *DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return db.pool.Query(ctx, sql, args...)
}

// QueryRow is Query for a single row.
func (db *DB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return db.pool.QueryRow(ctx, sql, args...)
}

// Ping returns an error unless the database answers.
func (db *DB) Ping(ctx context.Context) error {
	return failure.At("reach the database", db.pool.Ping(ctx))
}
