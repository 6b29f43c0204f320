package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/internal/backoff"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// maxTries is the number of tries of a transaction that loses races.
const maxTries = 3

// repeat runs fn again after it lost a race against another transaction. fn must be all or
// nothing. repeat doesn't run fn again after a lost connection, because the commit may have
// succeeded.
func repeat(ctx context.Context, fn func() error) error {
	err := fn()
	for tries := 1; tries < maxTries && slices.Contains(races, stateOf(err)) && ctx.Err() == nil; tries++ {
		err = fn()
	}
	return err
}

// races are the SQLSTATEs of a lost race: serialization, deadlock, foreign and unique key.
var races = []string{"40001", "40P01", "23503", "23505"}

// stateOf returns the SQLSTATE of the server's error, or "" for others.
func stateOf(err error) string {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer.Code
	}
	return ""
}

// InTx runs fn in a transaction, again if that lost a race.
func (db *DB) InTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return db.InTxWith(ctx, func(*pgx.Batch) {}, fn)
}

// InTxWith is InTx with statements that go out together with the begin, in one round trip. fn
// may commit with its last statements.
func (db *DB) InTxWith(ctx context.Context, first func(*pgx.Batch), fn func(pgx.Tx) error) error {
	return repeat(ctx, func() error {
		batch := &pgx.Batch{}
		first(batch)
		return db.pool.inTx(ctx, batch, fn)
	})
}

// Within runs fn in a transaction, again if that lost a race. On an error, the result is zero.
func Within[T any](ctx context.Context, db *DB, fn func(pgx.Tx) (T, error)) (result T, err error) {
	err = db.InTx(ctx, func(tx pgx.Tx) error {
		result, err = fn(tx)
		return err
	})
	if err != nil {
		return *new(T), err
	}
	return result, nil
}

// awayFor is the longest wait for a database that is away. A restart or fail-over takes less.
const awayFor = 90 * time.Second

// Steadily is repeat, and also runs fn again while the database is away, so that a restart
// costs time but no delivery. Work may wait, because it ends with its context. If a fenced
// write was committed and its answer lost, the second run reports a lost fence, so the runtime
// reads the row again.
func Steadily(ctx context.Context, fn func() error) error {
	began := time.Now()
	for waits := (backoff.Waits{First: 50 * time.Millisecond, Longest: time.Second}); ; {
		err := repeat(ctx, fn)
		if !away(err) || time.Since(began) > awayFor || !waits.Next(ctx) {
			return err
		}
	}
}

// Steady runs statements steadily, each as its own transaction. Rows and the like read from it.
type Steady struct{ db *DB }

// Steady returns the database for work, and for statements that may run twice: reads, inserts by
// key, and fenced writes.
func (db *DB) Steady() Steady { return Steady{db} }

// SendBatch makes Steady a Querier. Don't call it: only Rows and the like run it again.
func (s Steady) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return s.db.pool.SendBatch(ctx, b)
}

// Exec runs a statement without rows.
func (s Steady) Exec(ctx context.Context, sql string, args ...any) error {
	_, err := s.Changes(ctx, sql, args...)
	return err
}

// Changes is Exec, and reports whether the statement changed any rows.
func (s Steady) Changes(ctx context.Context, sql string, args ...any) (did bool, err error) {
	err = Steadily(ctx, func() error {
		tag, err := s.db.pool.Exec(ctx, sql, args...)
		did = did || tag.RowsAffected() > 0 // an earlier try may have left nothing to do
		return err
	})
	return did, err
}

// Batch runs statements as one transaction, in one round trip. queue is called for each try.
func (s Steady) Batch(ctx context.Context, queue func(*pgx.Batch)) error {
	return Steadily(ctx, func() error {
		b := &pgx.Batch{}
		queue(b)
		return s.db.pool.SendBatch(ctx, b).Close()
	})
}

// away reports whether an error means a stopping, starting or unreachable database, or a lost
// connection.
func away(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if state := stateOf(err); state != "" {
		return strings.HasPrefix(state, "08") || slices.Contains([]string{
			"57P01", "57P02", "57P03", // shut down, crashed, cannot connect now
			"53300", // too many connections
		}, state)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
