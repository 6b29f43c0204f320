package simclock_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

func now(t *testing.T, conn *pgx.Conn) (now time.Time) {
	t.Helper()
	must.OK(t, conn.QueryRow(t.Context(), "SELECT now()").Scan(&now))
	return now
}

func install(t *testing.T, frozenAt time.Time) (c *simclock.Clock, simulated, real *pgx.Conn) {
	t.Helper()
	url := postgrestest.URL(t)
	c = must.Get(simclock.Install(t.Context(), url, frozenAt))(t)
	t.Cleanup(c.Close)
	simURL := must.Get(c.URL())(t)
	return c, postgrestest.Conn(t, simURL), postgrestest.Conn(t, url)
}

func TestFrozenClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 9, 0, 0, 123456000, time.UTC)
	c, simulated, _ := install(t, at)
	if got := now(t, simulated); !got.Equal(at) {
		t.Errorf("got %v, want %v", got, at)
	}
	must.OK(t, c.Advance(t.Context(), 30*time.Minute))
	if got, want := now(t, simulated), at.Add(30*time.Minute); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFlowingClock(t *testing.T) {
	t.Parallel()
	c, simulated, real := install(t, time.Time{})
	must.OK(t, c.Advance(t.Context(), time.Hour))
	before := now(t, real)
	got := now(t, simulated).Add(-time.Hour)
	after := now(t, real)
	if got.Before(before) || got.After(after) {
		t.Errorf("got %v less an hour, want between %v and %v", got, before, after)
	}
}

// A server that was restarted, or an operator, may have ended the connection.
func TestCutConnection(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	c, simulated, real := install(t, at)
	must.Get(real.Exec(t.Context(), `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE '%CREATE SCHEMA simclock%' AND pid <> pg_backend_pid()`))(t)
	must.OK(t, c.Advance(t.Context(), time.Hour))
	if got, want := now(t, simulated), at.Add(time.Hour); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	c, _, real := install(t, time.Time{})
	must.OK(t, c.Remove(t.Context()))
	var left int
	if err := real.QueryRow(t.Context(),
		"SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'simclock%'").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d schemas are left (%v)", left, err)
	}
}
