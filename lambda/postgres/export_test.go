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
)

// Read is the transaction that a Checkup asks in.
func (c *Checkup) Read(ctx context.Context, ask func(pgx.Tx) error) error { return c.read(ctx, ask) }
