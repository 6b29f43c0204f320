package postgres

import (
	"cmp"
	"context"

	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Querier runs the statements of Read and the like, here and in the packages below. On a DB, Read
// runs one again after a lost race; on a Steady also while the database is away; on a transaction
// never. So it may write, too.
type Querier interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Read runs a statement, and reads its rows with a function.
func Read(ctx context.Context, from Querier, read func(pgx.Rows) error, sql string, args ...any) error {
	return again(ctx, from, func() error {
		b := &pgx.Batch{}
		b.Queue(sql, args...).Query(read)
		return from.SendBatch(ctx, b).Close()
	})
}

// again runs fn as often as its Querier allows.
func again(ctx context.Context, from Querier, fn func() error) error {
	switch from.(type) {
	case *DB:
		return repeat(ctx, fn)
	case Steady:
		return Steadily(ctx, fn)
	}
	return fn()
}

// Rows reads rows as structs, by column position.
func Rows[T any](ctx context.Context, from Querier, sql string, args ...any) ([]T, error) {
	return RowsBy(ctx, from, pgx.RowToStructByPos[T], sql, args...)
}

// IDs reads rows of one id each.
func IDs(ctx context.Context, from Querier, sql string, args ...any) ([]uuid.UUID, error) {
	return RowsBy(ctx, from, pgx.RowTo[uuid.UUID], sql, args...)
}

// RowsBy reads rows with a function.
func RowsBy[T any](ctx context.Context, from Querier, row pgx.RowToFunc[T], sql string, args ...any) (list []T, err error) {
	err = Read(ctx, from, collect(&list, row), sql, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Find reads the first row as a struct, by column position, or returns nil without any.
func Find[T any](ctx context.Context, from Querier, sql string, args ...any) (*T, error) {
	list, err := Rows[T](ctx, from, sql, args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// First reads the first row as a struct, or returns job.ErrNotFound without any.
func First[T any](ctx context.Context, from Querier, sql string, args ...any) (T, error) {
	return first(Rows[T](ctx, from, sql, args...))
}

// FirstBy is First with a function.
func FirstBy[T any](ctx context.Context, from Querier, row pgx.RowToFunc[T], sql string, args ...any) (T, error) {
	return first(RowsBy(ctx, from, row, sql, args...))
}

// Value reads the one column of the first row, or returns job.ErrNotFound without any.
func Value[T any](ctx context.Context, from Querier, sql string, args ...any) (T, error) {
	return first(RowsBy(ctx, from, pgx.RowTo[T], sql, args...))
}

// Scan reads the only row into columns, or returns job.ErrNotFound without any.
func Scan(ctx context.Context, from Querier, columns []any, sql string, args ...any) error {
	missing := job.ErrNotFound
	err := Read(ctx, from, Each(columns, func() { missing = nil }), sql, args...)
	return cmp.Or(err, missing)
}

func first[T any](list []T, err error) (first T, _ error) {
	if err != nil || len(list) == 0 {
		return first, cmp.Or(err, job.ErrNotFound)
	}
	return list[0], nil
}

// OrNull returns nil, which is NULL, for the zero value.
func OrNull[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// Map reads rows of a key and a value.
func Map[M ~map[K]V, K comparable, V any](ctx context.Context, from Querier, sql string, args ...any) (m M, err error) {
	var key K
	var value V
	err = Read(ctx, from, func(rows pgx.Rows) error {
		m = M{}
		return Each([]any{&key, &value}, func() { m[key] = value })(rows)
	}, sql, args...)
	return m, err
}

// All collects the rows of a statement in a batch, as Rows does.
func All[T any](into *[]T) func(pgx.Rows) error { return collect(into, pgx.RowToStructByPos[T]) }

func collect[T any](into *[]T, row pgx.RowToFunc[T]) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, row)
		return err
	}
}

// Each scans each row of a statement into the columns before it calls fn.
func Each(columns []any, fn func()) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, columns, func() error {
			fn()
			return nil
		})
		return err
	}
}
