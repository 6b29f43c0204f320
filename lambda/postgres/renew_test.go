package postgres_test

import (
	"context"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"
)

// What ran is never run again, whatever it says: only a refused login means
// that nothing was done.
func TestRenewRunsOnce(t *testing.T) {
	t.Parallel()
	address := postgrestest.URL(t)
	conn := postgrestest.Conn(t, address)
	must.Get(conn.Exec(t.Context(), "CREATE SEQUENCE ran"))(t)
	db := must.Get(postgres.OpenRenewing(t.Context(), address, 1, func(_ context.Context, refused string) (string, bool) { return refused, true }))(t)
	defer db.Close()
	for _, run := range []func(context.Context, string) error{db.Run, db.RunRow} {
		if err := run(t.Context(), "DO $$ BEGIN PERFORM nextval('ran'); RAISE 'refused' USING ERRCODE = '28P01'; END $$"); err == nil {
			t.Fatal("no error")
		}
	}
	postgrestest.Equal(t, "runs of two statements", postgrestest.Value[int](t, conn, "SELECT last_value FROM ran"), 2)
}

// What may be said of a pool does not stop a migration.
func TestMigrateTakesPoolURL(t *testing.T) {
	t.Parallel()
	must.Get(schema.Migrate(t.Context(), postgrestest.Setting(t, postgrestest.EmptyURL(t), "pool_max_conns", "3")))(t)
}
