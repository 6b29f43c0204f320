package pgserver_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"matchbook/lambda/internal/executable"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/pgserver"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func ExampleStart() {
	ctx := context.Background()
	s, err := pgserver.Start(ctx, pgserver.Options{}) // a throw-away server
	if err != nil {
		log.Fatal(err)
	}
	defer s.Stop()

	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close(ctx)
	var sum int
	if err := conn.QueryRow(ctx, "SELECT 40 + 2").Scan(&sum); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum)
	// Output: 42
}

func TestStopRemovesFolder(t *testing.T) {
	t.Parallel()
	var progress []string
	s, err := pgserver.Start(t.Context(), pgserver.Options{
		Progress: func(line string) { progress = append(progress, line) },
		Settings: map[string]string{"work_mem": "7MB", "listen_addresses": "*", "port": "1"},
	})
	must.OK(t, err)
	defer s.Stop()
	dir := socketDir(t, s.URL("postgres"))
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder: got %v, %v; want 0700", info.Mode(), err)
	}
	if n := len(progress); n == 0 || !strings.Contains(progress[n-1], dir) { // after a download, perhaps
		t.Errorf("progress: got %q, want a last line that names %s", progress, dir)
	}
	settings := map[string]string{
		"listen_addresses": "", "unix_socket_permissions": "0700", // private, in spite of Settings
		"server_encoding": "UTF8", "lc_collate": "C", "lc_ctype": "C", "timezone": "UTC",
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
		"max_connections": "200", "shared_buffers": "64MB", "autovacuum": "on", "work_mem": "7MB",
	}
	for name, want := range settings {
		sql := "SELECT current_setting('" + name + "')"
		if strings.HasPrefix(name, "lc_c") { // no settings any more since PostgreSQL 16
			sql = "SELECT dat" + strings.TrimPrefix(name, "lc_") + "::text FROM pg_database WHERE datname = 'template1'"
		}
		if got := query(t, s.URL("postgres"), sql); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}

	// A connection that is at work does not hold the server.
	conn := must.Get(pgx.Connect(t.Context(), s.URL("postgres")))(t)
	defer conn.Close(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.WithoutCancel(t.Context()), "SELECT pg_sleep(3600)")
		ended <- err
	}()
	eventually(t, "its statement runs", func() bool {
		return query(t, s.URL("postgres"), "SELECT count(*)::text FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3600)'") == "1"
	})
	for range 2 {
		must.OK(t, s.Stop())
	}
	var said *pgconn.PgError
	if err := <-ended; !errors.As(err, &said) || said.Code != "57P01" { // 57P02 after an immediate one
		t.Errorf("got %v, want the end by a fast shutdown", err)
	}
	if !missing(dir) {
		t.Errorf("%s is still there", dir)
	}
	if left := processes(t, dir); left != "" {
		t.Errorf("still running:\n%s", left)
	}
}

func TestKeptFolder(t *testing.T) {
	t.Parallel()
	// The parents are missing, too. The second name is too long for a socket.
	for _, name := range []string{"a/with a space + two", "long/" + strings.Repeat("x", 100)} {
		o := pgserver.Options{Dir: filepath.Join(sharedTemp(t), name), Durable: true}
		s := start(t, o)
		for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
			if got := query(t, s.URL("postgres"), "SHOW "+name); got != "on" {
				t.Errorf("%s: got %s, want on", name, got)
			}
		}
		keepWord(t, s.URL("postgres"))
		socket := socketDir(t, s.URL("postgres"))
		must.OK(t, s.Stop())
		if socket != o.Dir && !missing(socket) {
			t.Errorf("%s, made for the socket, is still there", socket)
		}
		leaveStalePID(t, o.Dir) // as a machine that crashed does

		o.Progress = func(line string) { t.Errorf("second start says %q", line) }
		s = start(t, o)
		wantWord(t, s.URL("postgres"))
	}
}

// keepWord writes what wantWord finds again.
func keepWord(t *testing.T, url string) {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(t.Context())
	must.Get(conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT text 'old' AS word"))(t)
}

func wantWord(t *testing.T, url string) {
	t.Helper()
	if got := query(t, url, "SELECT word FROM kept"); got != "old" {
		t.Errorf("got %q, want old", got)
	}
}

// leaveStalePID writes a postmaster.pid of a process that ended.
func leaveStalePID(t *testing.T, dir string) {
	t.Helper()
	dead := exec.Command("true")
	must.OK(t, dead.Run())
	write(t, filepath.Join(dir, "data", "postmaster.pid"), postmasterPID(dead.Process.Pid, dir))
}

// postmasterPID is the file that a server with a socket in that folder writes.
func postmasterPID(pid int, socket string) string {
	return fmt.Sprintf("%d\n/data\n1700000000\n5432\n%s\n\n", pid, socket)
}

// write writes a file that belongs to the owner of its folder.
func write(t *testing.T, name, text string) {
	t.Helper()
	must.OK(t, os.WriteFile(name, []byte(text), 0o600))
	info := must.Get(os.Stat(filepath.Dir(name)))(t)
	owner := info.Sys().(*syscall.Stat_t)
	must.OK(t, os.Chown(name, int(owner.Uid), int(owner.Gid)))
}

// keptFolder is a folder like one that a server left, as far as Start looks at
// it before it starts anything.
func keptFolder(t *testing.T, version string) string {
	t.Helper()
	dir := sharedTemp(t)
	must.OK(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	write(t, filepath.Join(dir, "pgserver.lock"), "")
	write(t, filepath.Join(dir, "data", "PG_VERSION"), version+"\n")
	return dir
}

func TestClusterCopy(t *testing.T) {
	t.Parallel()
	like := pgserver.Options{Dir: filepath.Join(sharedTemp(t), "kept")}
	s := start(t, like)
	keepWord(t, s.URL("postgres"))
	must.OK(t, s.Stop())
	version := filepath.Join(like.Dir, "data", "PG_VERSION")
	ours := must.Get(os.ReadFile(version))(t)
	for _, tc := range []struct{ dir, version, tables string }{
		{like.Dir, "9\n", "0"}, {like.Dir, string(ours), "1"}, {"/nowhere", string(ours), "0"},
	} {
		write(t, version, tc.version)
		s := start(t, pgserver.Options{Like: tc.dir})
		if got := query(t, s.URL("postgres"), "SELECT count(*)::text FROM pg_class WHERE relname = 'kept'"); got != tc.tables {
			t.Errorf("like %s of version %q: the table is there %s times, want %s", tc.dir, tc.version, got, tc.tables)
		}
	}
	wantWord(t, start(t, like).URL("postgres")) // it is as it was
}

func TestOneRunPerFolder(t *testing.T) {
	t.Parallel()
	o := pgserver.Options{Dir: filepath.Join(sharedTemp(t), "kept")}
	const runs = 4
	servers, errs := make([]*pgserver.Server, runs), make([]error, runs)
	var all sync.WaitGroup
	for i := range runs {
		all.Go(func() { servers[i], errs[i] = pgserver.Start(t.Context(), o) })
	}
	all.Wait()
	var winner *pgserver.Server
	for i := range runs {
		switch {
		case servers[i] == nil && !strings.Contains(errs[i].Error(), o.Dir+" is in use by another run"):
			t.Errorf("run %d: got %v, want an error about the folder's other run", i, errs[i])
		case servers[i] != nil && winner != nil:
			t.Error("two runs got the folder")
			defer servers[i].Stop()
		case servers[i] != nil:
			winner = servers[i]
			defer winner.Stop()
		}
	}
	if winner == nil {
		t.Fatalf("no run got the folder: %v", errs)
	}
	query(t, winner.URL("postgres"), "SELECT 'alive'")
	wantError(t, o, "folder "+o.Dir+" is in use by another run, or its server is still stopping") // the lock is held, not only taken
}

func TestManualServerIsSeen(t *testing.T) {
	t.Parallel()
	dir := keptFolder(t, "15")
	socket := sharedTemp(t)
	l := must.Get(net.Listen("unix", filepath.Join(socket, ".s.PGSQL.5432")))(t)
	defer l.Close()
	write(t, filepath.Join(dir, "data", "postmaster.pid"), postmasterPID(4711, socket))
	wantError(t, pgserver.Options{Dir: dir}, dir+" is in use by another run", "process 4711")
}

// wantError wants Start to fail with an error that holds the texts.
func wantError(t *testing.T, o pgserver.Options, texts ...string) {
	t.Helper()
	s, err := pgserver.Start(t.Context(), o)
	if err == nil {
		s.Stop()
		t.Fatal("got a server, want an error")
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("got error %v, want one that holds %q", err, text)
		}
	}
}

func TestOtherVersion(t *testing.T) {
	t.Parallel()
	_, version, err := pgserver.MachineBin(t.Context())
	must.OK(t, err)
	wantError(t, pgserver.Options{Dir: keptFolder(t, "9")}, "created by PostgreSQL 9", "version "+version)
}

func TestForeignFolder(t *testing.T) {
	t.Parallel()
	dir := sharedTemp(t)
	write(t, filepath.Join(dir, "thesis.txt"), "")
	wantError(t, pgserver.Options{Dir: dir}, "unknown files in "+dir)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder now holds %v, %v; want thesis.txt alone", entries, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("the folder's mode changed: %v, %v", info.Mode(), err)
	}
}

func TestStartFailureHasLog(t *testing.T) {
	tmp := sharedTemp(t)
	t.Setenv("TMPDIR", tmp)
	wantError(t, pgserver.Options{Settings: map[string]string{"shared_buffers": "plenty"}},
		"start postgres: ", "exit status 1", `invalid value for parameter "shared_buffers": "plenty"`)
	if glob(tmp, "*") {
		t.Error("something is left in the temporary folder")
	}
}

func TestCancelledStart(t *testing.T) {
	tmp := sharedTemp(t)
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := pgserver.Start(ctx, pgserver.Options{Progress: func(string) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v; want context.Canceled", s, err)
	}
	if left := processes(t, tmp); glob(tmp, "*") || left != "" {
		entries, _ := os.ReadDir(tmp)
		t.Errorf("files %v and processes %q are left", entries, left)
	}
}

func TestSocketPathFits(t *testing.T) {
	for _, problem := range []string{"long", "closed"} {
		t.Run(problem, func(t *testing.T) {
			tmp := filepath.Join(sharedTemp(t), problem)
			switch problem {
			case "long":
				tmp = filepath.Join(tmp, strings.Repeat("x", 100))
				must.OK(t, os.MkdirAll(tmp, 0o777))
			case "closed": // to the server's user, or to us when we are not root
				must.OK(t, os.Mkdir(tmp, 0o500))
			}
			t.Setenv("TMPDIR", tmp)
			if dir, err := pgserver.TemporaryFolder(t.Context()); err != nil || filepath.Dir(dir) != "/tmp" {
				t.Errorf("got %s, %v, want a folder in /tmp", dir, err)
			}
		})
	}
}

// The URL is for pgx and for psql.
func TestSpaceInFolderName(t *testing.T) {
	tmp := filepath.Join(sharedTemp(t), "a b+c")
	must.OK(t, os.Mkdir(tmp, 0o777))
	must.OK(t, os.Chmod(tmp, 0o777)) // under any umask
	t.Setenv("TMPDIR", tmp)
	s := start(t, pgserver.Options{})
	if dir := socketDir(t, s.URL("postgres")); filepath.Dir(dir) != tmp {
		t.Errorf("got %s, want a folder in %s", dir, tmp)
	}
	query(t, s.URL("postgres"), "SELECT 'alive'")
	t.Run("psql", func(t *testing.T) {
		psql := testenv.Program(t, "psql", "apt-get install postgresql-client")
		cmd := exec.Command(psql, "-XAtc", "SELECT current_user", s.URL("postgres"))
		cmd.Env = append(os.Environ(), "PGPORT=1", "PGHOST=nowhere.invalid", "PGUSER=somebody")
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != "matchbook" {
			t.Errorf("psql: got %q, %v; want matchbook", got, err)
		}
	})
}

func TestKillLeavesNoServer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		when func(t *testing.T, p *program, tmp string) // returns when the program is to be killed
	}{
		{"when ready and interrupted", func(t *testing.T, p *program, _ string) { interrupt(t, p) }},
		{"during initdb", func(t *testing.T, _ *program, tmp string) {
			eventually(t, "initdb writes", func() bool { return glob(tmp, "*", "data.new", "PG_VERSION") })
		}},
		{"at the end of initdb", func(t *testing.T, _ *program, tmp string) {
			eventually(t, "initdb ends", func() bool { return glob(tmp, "*", "data") })
		}},
		{"during the start", func(t *testing.T, _ *program, tmp string) {
			eventually(t, "postgres starts", func() bool { return glob(tmp, "*", "data", "postmaster.pid") })
		}},
	}
	for _, test := range tests[:testenv.Size(2, len(tests))] {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tmp := sharedTemp(t)
			p := startProgram(t, "", tmp)
			test.when(t, p, tmp)
			p.kill()
			gone(t, tmp)
			if glob(tmp, "*") {
				t.Error("something is left in the temporary folder")
			}
		})
	}
}

func TestKillKeepsFolder(t *testing.T) {
	t.Parallel()
	o := pgserver.Options{Dir: filepath.Join(sharedTemp(t), "kept")}
	p := startProgram(t, o.Dir, sharedTemp(t))
	keepWord(t, p.url(t))
	p.kill()
	gone(t, o.Dir)
	s := start(t, o)
	wantWord(t, s.URL("postgres"))
}

func TestKilledInitdb(t *testing.T) {
	testenv.OnlyThorough(t, "makes clusters and kills what makes them")
	t.Parallel()
	o := pgserver.Options{Dir: filepath.Join(sharedTemp(t), "kept")}
	p := startProgram(t, o.Dir, sharedTemp(t))
	eventually(t, "initdb writes", func() bool { return glob(o.Dir, "data.new", "PG_VERSION") })
	p.kill()
	gone(t, o.Dir)
	s := start(t, o)
	query(t, s.URL("postgres"), "SELECT 'alive'")
}

func TestIncompleteCluster(t *testing.T) {
	testenv.OnlyThorough(t, "makes clusters and kills what makes them")
	t.Parallel()
	o := pgserver.Options{Dir: filepath.Join(sharedTemp(t), "kept")}
	must.OK(t, start(t, o).Stop())
	// As a machine leaves it that crashed during initdb.
	data := filepath.Join(o.Dir, "data")
	must.OK(t, os.Rename(data, data+".new"))
	s := start(t, o)
	query(t, s.URL("postgres"), "SELECT 'alive'")
}

// interrupt does what a terminal does on Ctrl-C: it signals the whole group of
// the program, which ignores it. The server has to go on.
func interrupt(t *testing.T, p *program) {
	t.Helper()
	url := p.url(t)
	must.OK(t, syscall.Kill(-p.Process.Pid, syscall.SIGINT))
	// Were the server in that group, it would have the signal by now, and go.
	for range 20 {
		query(t, url, "SELECT 'alive'")
	}
}

func TestClosedFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: only then does the server run as another user")
	}
	t.Parallel()
	closed := filepath.Join(sharedTemp(t), "closed")
	must.OK(t, os.MkdirAll(filepath.Join(closed, "open"), 0o755))
	must.OK(t, os.Chmod(closed, 0o700))
	dir := filepath.Join(closed, "open", "kept")
	wantError(t, pgserver.Options{Dir: dir}, "folder "+closed+" (mode drwx------) must be open")
	if !missing(dir) {
		t.Errorf("%s was made for nothing", dir)
	}
}

func TestOrdinaryUser(t *testing.T) {
	testenv.OnlyThorough(t, "runs other tests once more")
	if os.Geteuid() != 0 {
		t.Skip("needs root: otherwise all other tests run as an ordinary user already")
	}
	t.Parallel()
	nobody := ordinaryUser(t)
	bin, _, err := pgserver.MachineBin(t.Context()) // the user nobody has no home for a copy of its own
	must.OK(t, err)
	tmp := sharedForPrograms(t)
	binary := filepath.Join(tmp, "pgserver.test")
	executable.Copy(t, os.Args[0], binary)

	names := []string{"TestStopRemovesFolder", "TestKeptFolder"}
	cmd := exec.Command(binary, "-test.v", "-test.run=^("+strings.Join(names, "|")+")$")
	cmd.Dir = tmp
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=/", "TMPDIR=" + tmp}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	for _, name := range names {
		if !strings.Contains(string(out), "--- PASS: "+name) {
			t.Errorf("%s did not pass as nobody:\n%s", name, out)
		}
	}
}
