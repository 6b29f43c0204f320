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

func (db *DB) inTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return repeat(ctx, func() error {
		return pgx.BeginFunc(ctx, db.pool, fn)
	})
}

// within is inTx with a result. On an error, the result is zero.
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

// awayFor is the longest wait for a database that is away. A restart or fail-over takes less.
const awayFor = 90 * time.Second

// steadily is repeat, and also runs fn again while the database is away, so that a restart
// costs time but no delivery. Use it for work, because work ends with its context, and for
// statements that may run twice: reads, inserts by key, and fenced writes. If a fenced write
// was committed and its answer lost, the second run reports a lost fence, so the runtime reads
// the row again.
func steadily(ctx context.Context, fn func() error) error {
	began := time.Now()
	for waits := (backoff.Waits{First: 50 * time.Millisecond, Longest: time.Second}); ; {
		err := repeat(ctx, fn)
		if !away(err) || time.Since(began) > awayFor || !waits.Next(ctx) {
			return err
		}
	}
}

// steadyRows is Rows, steadily.
func steadyRows[T any](ctx context.Context, db *DB, sql string, args ...any) ([]T, error) {
	return steadyRowsBy(ctx, db, pgx.RowToStructByPos[T], sql, args...)
}

func steadyRowsBy[T any](ctx context.Context, db *DB, row pgx.RowToFunc[T], sql string, args ...any) (list []T, err error) {
	err = steadily(ctx, func() error {
		list, err = rowsBy(ctx, db.pool, row, sql, args...)
		return err
	})
	return list, err
}

// exec runs a statement steadily.
func (db *DB) exec(ctx context.Context, sql string, args ...any) error {
	return steadily(ctx, func() error {
		_, err := db.pool.Exec(ctx, sql, args...)
		return err
	})
}

// removes is exec, and reports whether there were such rows.
func (db *DB) removes(ctx context.Context, sql string, args ...any) (found bool, err error) {
	err = steadily(ctx, func() error {
		tag, err := db.pool.Exec(ctx, sql, args...)
		found = found || tag.RowsAffected() > 0 // an earlier try may have removed them
		return err
	})
	return found, err
}

// away reports whether an error means a stopping, starting or unreachable database, or a lost
// connection.
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
