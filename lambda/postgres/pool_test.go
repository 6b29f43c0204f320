package postgres_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

// Work may use all connections but one.
func TestReservedConnection(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	simURL := must.Get(f.Clock.URL())(t)
	for _, conns := range []int{1, 2, manifest.Match.PoolSize} {
		db := must.Get(postgres.Open(t.Context(), postgrestest.Setting(t, simURL, "application_name", fmt.Sprint("conns ", conns)), conns))(t)
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
		if got := f.Count("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", fmt.Sprint("conns ", conns)); got > conns {
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
		})
	}
}

func TestTransactionSettings(t *testing.T) {
	t.Parallel()
	address := postgrestest.URL(t)
	changed := postgrestest.Setting(t, postgrestest.Setting(t, postgrestest.Setting(t, address, "lock_timeout", "7s"), "statement_timeout", "8000"), "jit", "on")
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
				address = postgrestest.Setting(t, address, "default_query_exec_mode", mode)
			}
			db := postgrestest.Open(t, address)
			const again = "INSERT INTO late VALUES (1) RETURNING id"
			ways := map[string]func() error{
				"a query": func() error {
					_, err := postgres.RowsBy(t.Context(), db, pgx.RowTo[int], again)
					return err
				},
				"a row":       func() error { _, err := postgres.Value[int](t.Context(), db, again); return err },
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
			if n, err := postgres.Value[int](t.Context(), db, "SELECT count(*) FROM late"); err != nil || n != 1 {
				t.Errorf("%d rows, %v; want the first one", n, err)
			}
		})
	}
}

func TestOpenErrorsHideURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://user:SECRET@host:port/", "SECRET", "postgres://user:SECRET@host/?pool_max_conns=many"} {
		_, err := postgres.Open(t.Context(), url, 1)
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("got %v", err)
		}
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	must.OK(t, postgrestest.Open(t, postgrestest.URL(t)).Ping(t.Context()))
	db := must.Get(postgres.Open(t.Context(), "postgres://user:SECRET@127.0.0.1:1/db", 1))(t)
	defer db.Close()
	err := db.Ping(t.Context())
	if err == nil {
		t.Fatal("no server answers, and there is no error")
	}
	if got := failure.Of(err); got.Kind != failure.Transient || got.Text != "reach the database: connection failed" {
		t.Errorf("got %+v", got)
	}
}

// tlsOnly is a server that agrees to TLS and then says nothing more. It
// returns its address, and whether the client has agreed to its certificate.
func tlsOnly(t *testing.T, certificate tls.Certificate) (port string, agreed chan bool) {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	agreed = make(chan bool, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.ReadFull(conn, make([]byte, 8)) // SSLRequest
		_, _ = conn.Write([]byte("S"))
		secure := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}})
		// The client's first message comes only if it trusts us.
		_, err = secure.Read(make([]byte, 1))
		agreed <- err == nil
	}()
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port, agreed
}

// The deployed functions find the certificates of RDS by PGSSLROOTCERT.
func TestTLSRootsFromEnv(t *testing.T) {
	example := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate, of example.com and 127.0.0.1
	example.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	must.OK(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: example.Certificate().Raw}), 0o600))
	for _, tc := range []struct {
		name, host, roots string
		want              bool
	}{
		{"known", "127.0.0.1", file, true},
		{"not known", "127.0.0.1", "", false},
		{"known under another name", "localhost", file, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("PGSSLROOTCERT", tc.roots)
			port, agreed := tlsOnly(t, example.TLS.Certificates[0])
			db := must.Get(postgres.Open(t.Context(), "postgres://user:password@"+tc.host+":"+port+"/db?sslmode=verify-full", 1))(t)
			defer db.Close()
			err := db.Ping(t.Context())
			var refused *tls.CertificateVerificationError
			if got := <-agreed; got != tc.want || errors.As(err, &refused) == tc.want {
				t.Errorf("trusted: %v, %v; want %v", got, err, tc.want)
			}
		})
	}
}
