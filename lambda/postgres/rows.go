package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Querier runs reads: a DB or a transaction. Rows, IDs and Map use it, here and in the
// packages below.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Rows reads rows as structs, by column position.
func Rows[T any](ctx context.Context, from Querier, sql string, args ...any) ([]T, error) {
	return rowsBy(ctx, from, pgx.RowToStructByPos[T], sql, args...)
}

// IDs reads rows of one id each.
func IDs(ctx context.Context, from Querier, sql string, args ...any) ([]uuid.UUID, error) {
	return rowsBy(ctx, from, pgx.RowTo[uuid.UUID], sql, args...)
}

func rowsBy[T any](ctx context.Context, from Querier, row pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, _ := from.Query(ctx, sql, args...) // rows returns its error
	return pgx.CollectRows(rows, row)
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

// all collects the rows of a statement in a batch, as Rows does.
func all[T any](into *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		return err
	}
}
