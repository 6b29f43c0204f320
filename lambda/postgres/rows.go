package postgres

import (
	"cmp"
	"context"

	"matchbook/lambda/job"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Querier runs the statements of Rows and the like, here and in the packages below. On a DB,
// Rows, RowsBy, Find, First and IDs run one again after a lost race; on a Steady also while the
// database is away; on a transaction never. So they may write, too.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
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
	err = again(ctx, from, func() error {
		rows, _ := from.Query(ctx, sql, args...) // rows returns its error
		list, err = pgx.CollectRows(rows, row)
		return err
	})
	return list, err
}

// again runs read as often as its Querier allows. Unlike RowsBy, it's compiled once.
func again(ctx context.Context, from Querier, read func() error) error {
	switch from.(type) {
	case *DB:
		return repeat(ctx, read)
	case Steady:
		return Steadily(ctx, read)
	}
	return read()
}

// Find reads the first row as a struct, by column position, or returns nil without any.
func Find[T any](ctx context.Context, from Querier, sql string, args ...any) (*T, error) {
	list, err := Rows[T](ctx, from, sql, args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// First is Find, but returns job.ErrNotFound without a row.
func First[T any](ctx context.Context, from Querier, sql string, args ...any) (first T, err error) {
	found, err := Find[T](ctx, from, sql, args...)
	if found == nil {
		return first, cmp.Or(err, job.ErrNotFound)
	}
	return *found, nil
}

// Map reads rows of a key and a value.
func Map[M ~map[K]V, K comparable, V any](ctx context.Context, from Querier, sql string, args ...any) (M, error) {
	var key K
	var value V
	m := M{}
	rows, _ := from.Query(ctx, sql, args...) // rows returns its error
	_, err := pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		m[key] = value
		return nil
	})
	return m, err
}

// All collects the rows of a statement in a batch, as Rows does.
func All[T any](into *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		return err
	}
}
