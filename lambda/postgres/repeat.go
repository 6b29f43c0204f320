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

// maxTries is the number of runs of a transaction that loses races.
const maxTries = 3

// repeat runs fn again when it lost a race against another transaction. fn must
// be all or nothing. It is not run again after a lost connection, because its
// commit may have been done.
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

// within is inTx for a transaction with a result, which is zero with an error.
func within[T any](ctx context.Context, db *DB, fn func(pgx.Tx) (T, error)) (result T, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		result, err = fn(tx)
		return err
	})
	if err != nil {
		return *new(T), err
	}
	return result, nil
}

// awayFor is the time that work waits for a database that is away: longer than a
// restart or a fail-over takes.
const awayFor = 90 * time.Second

// steadily is repeat, and also runs fn again while the database is away, so that
// a restart costs time and no delivery. It is for work, which ends with its
// context, and for statements that may run twice: reads, inserts by key, and
// writes that carry a fence. If a fenced write was committed and its answer was
// lost, the second run reports the fence as lost, and the runtime reads the row
// again.
func steadily(ctx context.Context, fn func() error) error {
	began := time.Now()
	for waits := (backoff.Waits{First: 50 * time.Millisecond, Longest: time.Second}); ; {
		err := repeat(ctx, fn)
		if !away(err) || time.Since(began) > awayFor || !waits.Next(ctx) {
			return err
		}
	}
}

// exec runs a statement steadily.
func (db *DB) exec(ctx context.Context, sql string, args ...any) error {
	return steadily(ctx, func() error {
		_, err := db.pool.Exec(ctx, sql, args...)
		return err
	})
}

// away reports whether an error is that of a database which is stopping,
// starting or out of reach, or of a connection that is gone.
func away(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return strings.HasPrefix(pgErr.Code, "08") || slices.Contains([]string{
			"57P01", "57P02", "57P03", // shut down, crashed, cannot connect now
			"53300", // too many connections
		}, pgErr.Code)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
