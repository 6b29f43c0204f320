package postgres_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/llm"
	"matchbook/lambda/manifest"
	"matchbook/lambda/notify"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/checkup"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// serverConnections is the pooler's number of connections to each database: fewer than the
// clients have, so that transactions do go from one to the next.
const serverConnections = 3

// pgbouncer starts one in transaction mode in front of the server of the
// database at address, for the test, and returns the address through it.
func pgbouncer(t *testing.T, address string) string {
	t.Helper()
	program := "/usr/sbin/pgbouncer" // which is on the PATH of root alone
	if exec.Command(program, "--version").Run() != nil {
		program = testenv.Program(t, "pgbouncer", "apt-get install pgbouncer")
	}
	dir := must.Get(os.MkdirTemp("", "pgbouncer"))(t) //nolint:usetesting // a folder of t is closed to the other user
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must.OK(t, os.Chmod(dir, 0o777)) // it refuses to run as root
	server := must.Get(pgx.ParseConfig(address))(t)
	const port = 6432 // the name of a socket
	ini := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n* = host=%s port=%d user=%s", server.Host, server.Port, server.User)
	if server.Password != "" {
		text += " password=" + server.Password
	}
	text += fmt.Sprintf("\n[pgbouncer]\nunix_socket_dir = %s\nlisten_port = %d\nauth_type = any\nserver_login_retry = 1\npool_mode = transaction\ndefault_pool_size = %d\nmax_client_conn = 200\n", dir, port, serverConnections)
	must.OK(t, os.WriteFile(ini, []byte(text), 0o644)) //nolint:gosec // another user reads it
	p := exec.Command(program, ini)
	p.SysProcAttr = &syscall.SysProcAttr{Credential: unprivileged(t, server.Host)}
	var log strings.Builder
	p.Stdout, p.Stderr = &log, &log
	must.OK(t, p.Start())
	ended := make(chan struct{})
	go func() {
		_ = p.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-ended
	})
	through := (&url.URL{Scheme: "postgres", User: url.User(server.User), Path: "/" + server.Database,
		RawQuery: url.Values{"host": {dir}, "port": {strconv.Itoa(port)}}.Encode()}).String()
	waitUntil(t, "pgbouncer answers", func() bool {
		select {
		case <-ended:
			t.Fatalf("pgbouncer has ended:\n%s", &log)
		default:
		}
		conn, err := pgx.Connect(t.Context(), through)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err == nil
	})
	return through
}

// unprivileged is the user of a program that refuses to run as root: the owner
// of the server's socket, or nobody. It is nil if we are not root.
func unprivileged(t *testing.T, socket string) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	if info, err := os.Stat(socket); err == nil {
		owner := info.Sys().(*syscall.Stat_t)
		return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	}
	u := must.Get(user.Lookup("nobody"))(t)
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// throughFixture is newFixture with another way to the database for its store.
// The clock is in the database's settings, not in the address.
func throughFixture(t *testing.T, way func(address string) string) *fixture {
	t.Helper()
	address := postgrestest.URL(t)
	clock, simURL := postgrestest.WithClock(t, address, start)
	u := must.Get(url.Parse(simURL))(t)
	conn := postgrestest.Conn(t, simURL)
	must.Get(conn.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %q SET search_path = %s", conn.Config().Database, u.Query().Get("search_path"))))(t)
	db := must.Get(postgres.Open(t.Context(), way(address), manifest.Match.PoolSize))(t)
	t.Cleanup(db.Close)
	f := with(&postgrestest.Fixture{DB: db, Conn: conn, Clock: clock, T: t})
	f.Exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	return f
}

// conforms runs what the store of any workload must do.
func conforms(t *testing.T, way func(address string) string) {
	t.Helper()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture { return throughFixture(t, way).conformance() })
}

// Through PgBouncer in transaction mode, with nothing configured.
func TestPoolerStoreConforms(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "is the whole suite of stores once more")
	conforms(t, shared(t))
}

// shared is the way through one pooler for all databases of the server.
func shared(t *testing.T) func(address string) string {
	t.Helper()
	through := must.Get(url.Parse(pgbouncer(t, postgrestest.URL(t))))(t)
	return func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			panic(err)
		}
		way := *through
		way.Path = u.Path
		return way.String()
	}
}

// All else that functions do with the database.
func TestPoolerEverything(t *testing.T) {
	t.Parallel()
	f := throughFixture(t, shared(t))
	f.lamps()
	must.OK(t, f.says(num(1), num(2), "confirmed"))
	f.wantEdges("matched, and one confirmed", "1-2 person", "", "1 1 0")

	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := f.Add(t.Context(), imports(num(4), num(5)), postgres.AddOptions{Replace: true, Send: true})
	check("import", err)
	_, err = f.Publish(t.Context(), []uuid.UUID{num(4), num(5)})
	check("publish", err)
	failed := f.take(num(4))
	_, err = f.Release(t.Context(), failed, job.Release{Status: job.StatusFailed, Reason: "no", Kind: "permanent", Delivery: 1})
	check("fail", err)
	recorder := &notify.Recorder{}
	(&notify.Relay{Outbox: f.DB, Senders: []notify.Sender{recorder}, Log: slog.New(slog.DiscardHandler)}).Run(t.Context())
	postgrestest.Equal(t, "sent notifications", len(recorder.Sent()), 1)
	_, err = f.Gauges(t.Context(), []string{"recorder"})
	check("gauges", err)
	_, err = f.Near(t.Context(), num(1), key("k"), document.Types)
	check("near", err)
	_, err = f.Ranked(t.Context(), []uuid.UUID{num(1), num(2)}, 10)
	check("ranked", err)
	key := llm.Key{Tenant: tenant, Model: "m"}
	_, err = f.KeepAnswer(t.Context(), key, num(1), llm.Answer{Text: "yes"}, "")
	check("keep an answer", err)
	if _, text, found, err := f.FindAnswer(t.Context(), key); err != nil || !found || text != "yes" {
		t.Errorf("the answer: %q, %v, %v", text, found, err)
	}
	check("keep vectors", f.KeepVectors(t.Context(), tenant, "e", map[string]llm.Vector{"h": {1}}, llm.Usage{PromptTokens: 1}))
	if found, err := f.FindVectors(t.Context(), tenant, "e", [][]byte{[]byte("h")}); err != nil || len(found) != 1 {
		t.Errorf("the vector: %v, %v", found, err)
	}
	for name, show := range f.Show("lock_timeout") {
		if got, err := show(t.Context()); err != nil || got != "15s" {
			t.Errorf("lock_timeout of %s: %q, %v", name, got, err)
		}
	}
	f.Clock.Close() // its connection goes past the pooler
	if left := f.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"); left > serverConnections {
		t.Errorf("the server has %d connections, want the pooler's %d at most", left, serverConnections)
	}
}

// I13 through a pooler, under load.
func TestPoolerConcurrent(t *testing.T) {
	t.Parallel()
	way, address := shared(t), postgrestest.URL(t)
	matchAtOnce(t, address, testenv.Size(1, 20), postgrestest.Open(t, way(address)), postgrestest.Open(t, way(address)))
}

// The doctor asks the same way.
func TestPoolerDoctor(t *testing.T) {
	t.Parallel()
	address := postgrestest.URL(t)
	c := must.Get(checkup.Open(t.Context(), pgbouncer(t, address)))(t)
	defer c.Close(t.Context())
	for range 5 {
		if s, err := c.Schema(t.Context()); err != nil || len(s.Lacking) > 0 {
			t.Errorf("schema: %+v, %v", s, err)
		}
		if _, err := c.Skew(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := c.Backlog(t.Context(), time.Minute, []string{"slack"}, time.Minute); err != nil {
			t.Error(err)
		}
	}
}

// Migrations hold a lock of the session while they run.
func TestMigrateRefusesPooler(t *testing.T) {
	t.Parallel()
	through := pgbouncer(t, postgrestest.EmptyURL(t))
	for name, run := range map[string]func(context.Context, string) ([]schema.Migration, error){
		"up": schema.Migrate, "down": schema.MigrateDown,
	} {
		if _, err := run(t.Context(), through); err == nil || !strings.Contains(err.Error(), "pooler") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// pgx has five modes. Two of them run all that we run (the whole conformance runs
// with cache_statement in TestStoreConforms and with cache_describe in
// TestPoolerStoreConforms); the others are refused before anything is
// tried.
func TestExecModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"cache_statement", "cache_describe"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := throughFixture(t, func(address string) string { return setting(t, address, "default_query_exec_mode", mode) })
			f.lamps()
			f.wantEdges("matched", "", "1-2 rules, 1-3 rules", "0 0 0")
		})
	}
	for _, mode := range []string{"describe_exec", "exec", "simple_protocol"} {
		_, err := postgres.Open(t.Context(), "postgres://me:SECRET@localhost/db?default_query_exec_mode="+mode, 1)
		if err == nil || !strings.Contains(err.Error(), "use cache_describe") || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v", mode, err)
		}
	}
}

// pool_max_conns makes fewer connections, never more than the manifest counts.
func TestPoolMaxConns(t *testing.T) {
	t.Parallel()
	address := postgrestest.URL(t)
	for given, want := range map[string]int{"": 5, "3": 3, "1": 1, "50": 5} {
		name := "limit " + given
		way := setting(t, address, "application_name", name)
		if given != "" {
			way = setting(t, way, "pool_max_conns", given)
		}
		db := must.Get(postgres.Open(t.Context(), way, 5))(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		give, n := db.TakeAll(ctx)
		if wanted := max(1, want-1); n != wanted {
			t.Errorf("pool_max_conns=%s: work has %d connections, want %d", given, n, wanted)
		}
		give()
		cancel()
		db.Close()
	}
}
