package postgrestest

import (
	"context"
	"fmt"
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

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"

	"github.com/jackc/pgx/v5"
)

// Setting is the URL with this setting.
func Setting(t *testing.T, text, name, value string) string {
	t.Helper()
	u := must.Get(url.Parse(text))(t)
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// WaitUntil waits until a condition holds.
func WaitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(Stuck)
	for again := time.NewTicker(2 * time.Millisecond); !holds(); {
		select {
		case <-deadline:
			t.Fatalf("waited %s: %s", Stuck, what)
		case <-again.C:
		}
	}
}

// poolerConnections is the pooler's number of connections to each database: fewer than the
// clients have, so that transactions do go from one to the next.
const poolerConnections = 3

// Pooler starts PgBouncer in transaction mode in front of the server of the
// database at address, for the test, and returns the address through it.
func Pooler(t *testing.T, address string) string {
	t.Helper()
	program := "/usr/sbin/pgbouncer" // which is on the PATH of root alone
	if exec.CommandContext(t.Context(), program, "--version").Run() != nil {
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
	text += fmt.Sprintf("\n[pgbouncer]\nunix_socket_dir = %s\nlisten_port = %d\nauth_type = any\nserver_login_retry = 1\n"+
		"pool_mode = transaction\ndefault_pool_size = %d\nmax_client_conn = 200\n", dir, port, poolerConnections)
	must.OK(t, os.WriteFile(ini, []byte(text), 0o644))                         //nolint:gosec // another user reads it
	p := exec.CommandContext(context.WithoutCancel(t.Context()), program, ini) // until the cleanup
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
	WaitUntil(t, "pgbouncer answers", func() bool {
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
	uid, gid := must.Get(strconv.ParseUint(u.Uid, 10, 32))(t), must.Get(strconv.ParseUint(u.Gid, 10, 32))(t)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// ByPooler is the way through one pooler for all databases of the server.
func ByPooler(t *testing.T) func(address string) string {
	t.Helper()
	through := must.Get(url.Parse(Pooler(t, URL(t))))(t)
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

// Through is NewFixture with another way to the database for its store, and few connections.
// The clock is in the database's settings, not in the address.
func Through(t *testing.T, way func(address string) string) *Fixture {
	t.Helper()
	address := URL(t)
	clock, simURL := WithClock(t, address, Start)
	u := must.Get(url.Parse(simURL))(t)
	conn := Conn(t, simURL)
	Exec(t, conn, fmt.Sprintf("ALTER DATABASE %q SET search_path = %s", conn.Config().Database, u.Query().Get("search_path")))
	db := must.Get(postgres.Open(t.Context(), way(address), manifest.Match.PoolSize))(t)
	t.Cleanup(db.Close)
	f := &Fixture{db, conn, clock, t}
	f.Exec("INSERT INTO tenant VALUES ($1, 'Testers')", Tenant)
	return f
}

// WantPooled fails the test if the server has more connections than the pooler makes. The clock
// stops.
func (f *Fixture) WantPooled() {
	f.T.Helper()
	f.Clock.Close() // its connection goes past the pooler
	left := f.Count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() " +
		"AND backend_type = 'client backend' AND pid <> pg_backend_pid()")
	if left > poolerConnections {
		f.T.Errorf("%d connections of the server, want the pooler's %d at most", left, poolerConnections)
	}
}
