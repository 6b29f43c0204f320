package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Statements whose plans are tested.
const (
	CandidatesSQL  = candidatesSQL
	CompetitionSQL = competitionSQL
	LockRowsSQL    = lockRowsSQL
	GaugesSQL      = gaugesSQL
	PendingSQL     = pendingSQL
	LastToldSQL    = lastToldSQL
	UntoldSQL      = untoldSQL
	LateSQL        = lateSQL
	NumberedSQL    = numberedSQL
)

// MigrateFiles is Migrate with other files, and another wait between the tries.
var MigrateFiles = migrate

// Read is the transaction that a Checkup asks in.
func (c *Checkup) Read(ctx context.Context, ask func(pgx.Tx) error) error { return c.read(ctx, ask) }

// Run and RunRow run any statement, as the methods of DB run theirs.
func (db *DB) Run(ctx context.Context, sql string) error {
	_, err := db.pool.Exec(ctx, sql)
	return err
}

func (db *DB) RunRow(ctx context.Context, sql string) error {
	var value any
	return db.pool.QueryRow(ctx, sql).Scan(&value)
}
