package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Statements with tested plans.
const (
	PendingSQL  = pendingSQL
	LastSentSQL = lastSentSQL
	UnsentSQL   = unsentSQL
)

// GaugesSQL is about documents.
var GaugesSQL = documents.sql(gaugesSQL)

// ExtendSQL and SucceedAllSQL are about documents.
var ExtendSQL, SucceedAllSQL = documents.sql(extendSQL), documents.sql(succeedAllSQL)

// Run and RunRow run any statement, as the methods of DB run theirs.
func (db *DB) Run(ctx context.Context, sql string) error {
	_, err := db.pool.Exec(ctx, sql)
	return err
}

func (db *DB) RunRow(ctx context.Context, sql string) error {
	_, err := Value[any](ctx, db.pool, sql)
	return err
}

// TakeAll takes the connections that work may use, and returns how many they
// are and what gives them back.
func (db *DB) TakeAll(ctx context.Context) (give func(), n int) {
	var all []*pgxpool.Conn
	for range db.pool.conns.Stat().MaxConns() {
		c, err := db.pool.conns.Acquire(ctx)
		if err != nil {
			break
		}
		all = append(all, c)
	}
	return func() {
		for _, c := range all {
			c.Release()
		}
	}, len(all)
}

// Show reads a setting of the server in each of the ways in which statements run.
func (db *DB) Show(name string) map[string]func(context.Context) (string, error) {
	const showSQL = "SELECT current_setting($1)"
	return map[string]func(context.Context) (string, error){
		"a query": func(ctx context.Context) (value string, err error) {
			err = Read(ctx, db.pool, Each([]any{&value}, func() {}), showSQL, name)
			return value, err
		},
		"a row": func(ctx context.Context) (value string, err error) {
			return Value[string](ctx, db.reserved, showSQL, name)
		},
		"a batch": func(ctx context.Context) (value string, err error) {
			b := &pgx.Batch{}
			b.Queue(showSQL, name).Query(func(rows pgx.Rows) (err error) {
				value, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
				return err
			})
			err = db.pool.SendBatch(ctx, b).Close()
			return value, err
		},
		"a transaction": func(ctx context.Context) (value string, err error) {
			err = db.InTx(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, showSQL, name).Scan(&value) })
			return value, err
		},
	}
}

// KnownTables returns the tables that erasing knows.
func KnownTables() (names []string) {
	for _, t := range erasables {
		names = append(names, t.table)
	}
	return append(names, unrelated...)
}
