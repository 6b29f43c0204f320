package pgserver_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

const (
	// helperEnv turns the test binary into a program that starts a server in
	// the folder it names ("-" for a temporary one), and then waits to be
	// killed.
	helperEnv = "PGSERVER_TEST_HELPER"
	// cacheEnv makes the server that of the npm package, in this cache; npmEnv
	// names another client than npm.
	cacheEnv = "PGSERVER_TEST_CACHE"
	npmEnv   = "PGSERVER_TEST_NPM"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperEnv); dir != "" {
		if err := hold(strings.TrimPrefix(dir, "-")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	postgrestest.Parallel("6")
	os.Exit(m.Run())
}

// hold prints the server's URL when it is ready, then waits for ever.
func hold(dir string) error {
	signal.Ignore(os.Interrupt) // like a program that takes its time to stop
	o := pgserver.Options{Dir: dir, Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	if cache := os.Getenv(cacheEnv); cache != "" {
		syscall.Umask(0o077) // the files that the server's user needs are open all the same
		o = pgserver.WithNPM(o, cache, cmp.Or(os.Getenv(npmEnv), "npm"))
	}
	s, err := pgserver.Start(context.Background(), o)
	if err != nil {
		return err
	}
	url := s.URL("postgres")
	// Only the URL is used from here on: the server must live without s.
	for range 3 {
		runtime.GC()
	}
	// A child that outlives the program must not keep the server alive. It
	// ends with its standard input, whose other end the test holds.
	child := exec.Command("cat")
	child.Stdin = os.Stdin
	if err := child.Start(); err != nil {
		return err
	}
	fmt.Println(url)
	select {}
}

// program is a helper process.
type program struct {
	*exec.Cmd
	stdout *bufio.Reader
}

// startProgram runs the test binary as a program with a server in dir, and with
// temporary folders in tmp.
func startProgram(t *testing.T, dir, tmp string, env ...string) *program {
	t.Helper()
	return startAs(t, nil, os.Args[0], dir, tmp, env...)
}

// startAs is startProgram for a copy of the test binary, as another user.
func startAs(t *testing.T, who *syscall.Credential, binary, dir, tmp string, env ...string) *program {
	t.Helper()
	if dir == "" {
		dir = "-"
	}
	cmd := exec.Command(binary)
	cmd.Dir = tmp
	cmd.Env = append(append(os.Environ(), helperEnv+"="+dir, "TMPDIR="+tmp), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: who}
	stdin, in, err := os.Pipe()
	must.OK(t, err)
	t.Cleanup(func() { in.Close() })
	defer stdin.Close()
	cmd.Stdin, cmd.Stderr = stdin, new(bytes.Buffer)
	out := must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	p := &program{Cmd: cmd, stdout: bufio.NewReader(out)}
	t.Cleanup(p.kill)
	return p
}

// url waits for the program's server.
func (p *program) url(t *testing.T) string {
	t.Helper()
	line, err := p.stdout.ReadString('\n')
	if err != nil {
		p.kill()
		t.Fatalf("the program ended without a server: %v\n%s", err, p.said())
	}
	return strings.TrimSpace(line)
}

// said returns the output of a program that was killed.
func (p *program) said() string { return p.Stderr.(*bytes.Buffer).String() }

// kill ends the program by SIGKILL, and it alone.
func (p *program) kill() {
	p.Process.Kill()
	io.Copy(io.Discard, p.stdout)
	p.Wait()
}

// sharedTemp is an empty folder that every user may enter and write to, with a
// short name, removed at the end of the test.
func sharedTemp(t *testing.T) string {
	t.Helper()
	return sharedTempIn(t, cmp.Or(pgserver.Memory(), "/tmp"))
}

// sharedForPrograms is sharedTemp on disk: a file system in memory may refuse to run
// programs.
func sharedForPrograms(t *testing.T) string {
	t.Helper()
	return sharedTempIn(t, "/tmp")
}

func sharedTempIn(t *testing.T, parent string) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp(parent, "pgserver-test-"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must.OK(t, os.Chmod(dir, 0o777|os.ModeSticky))
	return dir
}

// start starts a server that is stopped at the end of the test.
func start(t *testing.T, o pgserver.Options) *pgserver.Server {
	t.Helper()
	s := must.Get(pgserver.Start(t.Context(), o))(t)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// query runs a statement that answers with one text.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(t.Context())
	var answer string
	must.OK(t, conn.QueryRow(t.Context(), sql).Scan(&answer), sql)
	return answer
}

// socketDir is the folder that a server's URL names.
func socketDir(t *testing.T, url string) string {
	t.Helper()
	config := must.Get(pgx.ParseConfig(url))(t)
	return config.Host
}

// processes returns the ones that have text in their command line.
func processes(t *testing.T, text string) string {
	t.Helper()
	lines := must.Get(commandLines())(t)
	var found []string
	for _, line := range lines {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}

// commandLines returns those of all processes: from /proc, as a small Linux has
// no ps, or else from ps.
func commandLines() ([]string, error) {
	var lines []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		args, err := os.ReadFile(file)
		if err == nil { // it has not ended since
			lines = append(lines, filepath.Dir(file)+" "+strings.ReplaceAll(string(args), "\x00", " "))
		}
	}
	if len(lines) > 0 {
		return lines, nil
	}
	out, err := exec.Command("ps", "-A", "-ww", "-o", "pid,args").Output()
	return strings.Split(string(out), "\n"), err
}

// eventually waits until ok holds, for minutes where the machine is slow.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	every(t, 5*time.Millisecond, what, ok)
}

func every(t *testing.T, pause time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting: %s", what)
		}
		<-time.After(pause)
	}
}

// gone waits until no process works in dir any more. To read the command lines of
// all processes costs milliseconds.
func gone(t *testing.T, dir string) {
	t.Helper()
	every(t, 100*time.Millisecond, "processes in "+dir+" end", func() bool { return processes(t, dir) == "" })
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return os.IsNotExist(err)
}

// glob reports whether a file fits the pattern.
func glob(pattern ...string) bool {
	files, _ := filepath.Glob(filepath.Join(pattern...))
	return len(files) > 0
}

// ordinaryUser is the user nobody, for a test that is root.
func ordinaryUser(t *testing.T) *syscall.Credential {
	t.Helper()
	nobody, err := user.Lookup("nobody")
	if err != nil {
		testenv.Missing(t, "the user nobody: "+err.Error())
	}
	uid, err1 := strconv.ParseInt(nobody.Uid, 10, 64)
	gid, err2 := strconv.ParseInt(nobody.Gid, 10, 64)
	must.OK(t, errors.Join(err1, err2))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
