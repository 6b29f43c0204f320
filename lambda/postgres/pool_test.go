package postgres_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

// setting is the URL with this setting.
func setting(t *testing.T, text, name, value string) string {
	t.Helper()
	u := must.Get(url.Parse(text))(t)
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// Work may use all connections but one.
func TestReservedConnection(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	simURL := must.Get(f.clock.URL())(t)
	for _, conns := range []int{1, 2, manifest.Match.PoolSize} {
		db := must.Get(postgres.Open(t.Context(), setting(t, simURL, "application_name", fmt.Sprint("conns ", conns)), conns))(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		give, busy := db.TakeAll(ctx)
		if want := max(1, conns-1); busy != want {
			t.Errorf("%d connections: work has %d, want %d", conns, busy, want)
		}
		if conns == 1 {
			give() // the only one
		}
		id := f.document("matching_status = 'pending'")
		claims := must.Get(db.Claim(ctx, []job.Delivery{{ID: id}}, time.Minute, false))(t)
		if ok, err := db.Release(ctx, claims[0].Attempt, job.Release{Status: job.StatusPending, Reason: "later"}); err != nil || !ok {
			t.Errorf("%d connections: settle: %v, %v", conns, ok, err)
		}
		if row, err := db.Find(ctx, id); err != nil || row.Status != job.StatusPending {
			t.Errorf("%d connections: find: %+v, %v", conns, row, err)
		}
		if got := f.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", fmt.Sprint("conns ", conns)); got > conns {
			t.Errorf("%d connections are open, want at most %d", got, conns)
		}
		if conns > 1 {
			give()
		}
		cancel()
		db.Close()
	}
}

// What a server has for a default changes nothing.
func TestIsolationLevel(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"serializable", "repeatable read"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			address := postgrestest.URL(t)
			conn := postgrestest.Conn(t, address)
			must.Get(conn.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %q SET default_transaction_isolation = '%s'", conn.Config().Database, level)))(t)
			db := postgrestest.Open(t, address)
			for name, show := range db.Show("transaction_isolation") {
				if got, err := show(t.Context()); err != nil || got != "read committed" {
					t.Errorf("%s: got %q, %v", name, got, err)
				}
			}
			matchAtOnce(t, address, testenv.Size(1, 10), db)
		})
	}
}

func TestTransactionSettings(t *testing.T) {
	t.Parallel()
	address := postgrestest.URL(t)
	changed := setting(t, setting(t, setting(t, address, "lock_timeout", "7s"), "statement_timeout", "8000"), "jit", "on")
	for _, tc := range []struct{ url, statement, lock, idle, jit string }{
		{address, "30s", "15s", "15s", "off"},
		{changed, "8s", "7s", "15s", "on"},
	} {
		db := postgrestest.Open(t, tc.url)
		for name, want := range map[string]string{"statement_timeout": tc.statement, "lock_timeout": tc.lock,
			"idle_in_transaction_session_timeout": tc.idle, "jit": tc.jit} {
			for how, show := range db.Show(name) {
				if got, err := show(t.Context()); err != nil || got != want {
					t.Errorf("%s of %s: got %q, %v; want %s", name, how, got, err, want)
				}
			}
		}
	}
}

// The rows of a statement come before its commit, which may still fail.
func TestFailedCommit(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"cache_statement", "cache_describe", ""} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			address := postgrestest.URL(t)
			conn := postgrestest.Conn(t, address)
			must.Get(conn.Exec(t.Context(), `CREATE TABLE late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO late VALUES (1)`))(t)
			if mode != "" {
				address = setting(t, address, "default_query_exec_mode", mode)
			}
			db := postgrestest.Open(t, address)
			const again = "INSERT INTO late VALUES (1) RETURNING id"
			ways := map[string]func() error{
				"a query": func() error {
					rows, _ := db.Query(t.Context(), again)
					_, err := pgx.CollectRows(rows, pgx.RowTo[int])
					return err
				},
				"a row":       func() error { var id int; return db.QueryRow(t.Context(), again).Scan(&id) },
				"a statement": func() error { return db.Run(t.Context(), again) },
				"a transaction": func() error {
					return db.InTx(t.Context(), func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), again); return err })
				},
			}
			for name, way := range ways {
				if err := way(); err == nil || !strings.Contains(err.Error(), "23505") {
					t.Errorf("%s: got %v, want SQLSTATE 23505", name, err)
				}
			}
			must.OK(t, db.Ping(t.Context()), "the connection afterwards")
			var n int
			if err := db.QueryRow(t.Context(), "SELECT count(*) FROM late").Scan(&n); err != nil || n != 1 {
				t.Errorf("%d rows, %v; want the first one", n, err)
			}
		})
	}
}
