package main

import (
	"context"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup"

	"github.com/jackc/pgx/v5"
)

// schemaSQL would be a migration. The indexes are needed because otherwise every sweep would
// read the whole table.
const schemaSQL = `
CREATE TABLE lamp (
	id uuid PRIMARY KEY, tenant_id uuid NOT NULL REFERENCES tenant, arrived_at timestamptz NOT NULL DEFAULT now(),
	volts integer, lit boolean NOT NULL DEFAULT false,
	status text, error text, attempts integer NOT NULL DEFAULT 0, failed_at timestamptz, lease_until timestamptz,
	published_at timestamptz, due_at timestamptz DEFAULT now(), republished smallint NOT NULL DEFAULT 0,
	lapses smallint NOT NULL DEFAULT 0, parked_for text
);
CREATE TRIGGER lamp_attempt_end AFTER UPDATE OF status ON lamp FOR EACH ROW
	WHEN (OLD.status = 'in-progress' AND NEW.status IS DISTINCT FROM 'in-progress'
		AND NEW.published_at IS NOT DISTINCT FROM OLD.published_at) EXECUTE FUNCTION attempt_end('lamp');
GRANT SELECT, INSERT, UPDATE, DELETE ON lamp TO matchbook_app; -- the role of the functions, which may create nothing
CREATE INDEX lamp_waiting_idx ON lamp (tenant_id, status, coalesce(lease_until, due_at, arrived_at))
	WHERE status IN ('pending', 'in-progress');
CREATE INDEX lamp_unpublished_idx ON lamp (coalesce(due_at, arrived_at))
	WHERE published_at IS NULL AND attempts = 0
		AND (status = 'pending' OR status IS NULL AND due_at IS NOT NULL AND error IS NULL AND volts IS NOT NULL)`

// lamps is the function's row in the manifest, and its table.
var lamps = setup.Workload{
	Function: manifest.Function{
		Name: "lamp", Purpose: "Lights lamps", Subject: "lamp", Package: "matchbook/lambda/acceptance/example",
		Timeout: time.Minute, MemoryMB: 128, BatchSize: 10, MaxConcurrency: 2, PoolSize: 2,
		Retries: []time.Duration{time.Minute, 5 * time.Minute},
	},
	Table: postgres.Table{
		Name: "lamp", Arrived: "arrived_at", Subject: "lamp",
		Complete:   `volts IS NOT NULL`,
		Unworkable: `CASE WHEN volts IS NULL THEN 'the lamp has no voltage' END`,
	},
}

// store has the workload's only write.
type store struct{ *postgres.Jobs }

const (
	voltsSQL = `SELECT volts FROM lamp WHERE id = $1`
	lightSQL = `UPDATE lamp SET lit = true WHERE id = $1`
)

func (s store) light(ctx context.Context, f job.Attempt, bearable func(volts int) error) error {
	return s.Succeed(ctx, f, func(tx pgx.Tx) error {
		var volts int
		if err := tx.QueryRow(ctx, voltsSQL, f.ID).Scan(&volts); err != nil {
			return err
		}
		if err := bearable(volts); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, lightSQL, f.ID)
		return err
	})
}

// lamp is the work. In a real workload, its Store would be an interface of its package.
type lamp struct {
	store interface {
		light(ctx context.Context, f job.Attempt, bearable func(volts int) error) error
	}
}

// Light lights a lamp. A lamp for another voltage breaks.
func (l lamp) Light(ctx context.Context, f job.Attempt) error {
	return failure.At("light the lamp", l.store.light(ctx, f, func(volts int) error {
		if volts > 24 {
			return failure.Permanently("%d volts are too many", volts)
		}
		return nil
	}))
}
