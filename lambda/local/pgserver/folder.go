package pgserver

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"matchbook/lambda/manifest/variable"
)

// folder is the locked folder of one server.
type folder struct {
	home      string              // holds everything except a socket with too long a name
	data      string              // the cluster
	socket    string              // directory of the socket
	temporary string              // removed with the server: home, socket, or ""
	inMemory  bool                // may place a temporary folder in memory
	fresh     bool                // without a cluster yet
	user      *syscall.Credential // the server's user; nil for the program's user
	lock, log *os.File
}

// openFolder creates and locks the folder o.Dir, or a temporary one for "". The lock ends with
// the last copy of folder.lock.
func openFolder(o Options, bin, version string) (_ *folder, err error) {
	dir, f := o.Dir, &folder{inMemory: o.InMemory}
	defer func() {
		if err != nil {
			f.discard()
		}
	}()
	if f.user, err = serverUser(dir); err != nil {
		return nil, err
	}
	if err = reachable(bin, f.user); err != nil {
		return nil, err
	}
	if err = f.place(dir); err != nil {
		return nil, err
	}
	f.data = filepath.Join(f.home, "data")
	if f.lock, err = f.open("pgserver.lock"); err != nil {
		return nil, err
	}
	if err = f.claim(); err != nil {
		return nil, err
	}
	if err = f.fits(bin, version); err != nil {
		return nil, err
	}
	if f.log, err = f.open("server.log"); err != nil {
		return nil, err
	}
	return f, f.log.Truncate(0)
}

// discard gives up a folder before a supervisor takes over.
func (f *folder) discard() {
	for _, file := range []*os.File{f.lock, f.log} {
		if file != nil {
			file.Close()
		}
	}
	if f.temporary != "" {
		os.RemoveAll(f.temporary)
	}
}

// place creates home and the place for the socket.
func (f *folder) place(dir string) (err error) {
	if dir == "" {
		f.home, err = f.makeTemporary()
		f.socket = f.home
		return err
	}
	if f.home, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := f.makeKept(); err != nil {
		return err
	}
	// PostgreSQL, server and clients, would split the path at a comma.
	if f.socket = f.home; !short(f.home) || strings.Contains(f.home, ",") {
		f.socket, err = f.makeTemporary()
	}
	return err
}

// Memory returns an in-memory folder on Linux if it has 4 GB free, since containers may have
// only 64 MB there; otherwise "".
func Memory() string {
	const dir = "/dev/shm"
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil || s.Bavail*uint64(s.Bsize) < 4<<30 {
		return ""
	}
	return dir
}

// makeTemporary creates a folder to be removed with the server. The socket's name must fit
// there, and the server's user must be able to remove it.
func (f *folder) makeTemporary() (string, error) {
	var problem error
	parents := []string{os.TempDir(), "/tmp"}
	if dir := Memory(); f.inMemory && dir != "" {
		parents = append([]string{dir}, parents...)
	}
	for _, parent := range parents {
		if !short(filepath.Join(parent, "matchbook-pg-0123456789")) {
			problem = fmt.Errorf("path %s is too long for a socket", parent)
			continue
		}
		if problem = cmp.Or(reachable(parent, f.user), allowed(parent, f.user, 3)); problem != nil {
			continue
		}
		dir, err := os.MkdirTemp(parent, "matchbook-pg-")
		if err != nil {
			problem = err
			continue
		}
		f.temporary = dir
		return dir, f.own(dir)
	}
	return "", problem
}

// makeKept creates home, or checks that the existing folder can be used.
func (f *folder) makeKept() error {
	parent := filepath.Dir(f.home)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	if err := reachable(parent, f.user); err != nil {
		return err
	}
	if err := os.Mkdir(f.home, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	entries, err := os.ReadDir(f.home)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(f.home, "pgserver.lock")); err != nil && len(entries) > 0 {
		return fmt.Errorf("unknown files in %s: use an empty or new folder", f.home)
	}
	return f.own(f.home)
}

// own gives a folder to the server's user alone.
func (f *folder) own(dir string) error {
	if f.user != nil {
		if err := os.Lchown(dir, int(f.user.Uid), int(f.user.Gid)); err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o700)
}

// open opens a control file in home and gives it to the server's user, because that user may
// start the server next time.
func (f *folder) open(name string) (*os.File, error) {
	flags := os.O_RDWR | os.O_CREATE | os.O_APPEND | syscall.O_NOFOLLOW
	file, err := os.OpenFile(filepath.Join(f.home, name), flags, 0o600)
	if err != nil || f.user == nil {
		return file, err
	}
	if err := file.Chown(int(f.user.Uid), int(f.user.Gid)); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// claim takes the folder's lock. It also detects a server started by hand, since that holds no
// lock: postmaster.pid contains its socket. The socket answers only while the server lives,
// whereas the process id may belong to another process by now.
func (f *folder) claim() error {
	err := syscall.Flock(int(f.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("folder %s is in use by another run, or its server is still stopping", f.home)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.home, err)
	}
	pid, err := os.ReadFile(filepath.Join(f.data, "postmaster.pid"))
	if err != nil {
		return nil
	}
	// Lines: process, data folder, start time, port, socket folder.
	lines := append(strings.Split(string(pid), "\n"), make([]string, 5)...)
	conn, err := net.Dial("unix", filepath.Join(lines[4], ".s.PGSQL."+lines[3]))
	if err != nil {
		return nil
	}
	conn.Close()
	return fmt.Errorf("folder %s is in use by another run: its server is process %s", f.home, lines[0])
}

// fits checks that the server can read an existing cluster.
func (f *folder) fits(bin, version string) error {
	if _, err := os.Stat(f.data); errors.Is(err, os.ErrNotExist) {
		f.fresh = true
		return nil
	}
	made, err := madeBy(f.data)
	if err != nil || made == major(version) {
		return err
	}
	what := "put version " + made + " first in PATH"
	if strings.HasPrefix(npmServer, made+".") {
		what += ", set " + variable.Postgres + "=" + string(NPM)
	}
	return fmt.Errorf("unsupported data in %s: created by PostgreSQL %s, but %s has version %s; "+
		"%s, or use another folder", f.home, made, bin, version, what)
}

// readable reports whether the server's user can copy another server's cluster, and whether
// our version can read it.
func (f *folder) readable(dir, version string) bool {
	data := filepath.Join(dir, "data")
	made, err := madeBy(data)
	return dir != "" && err == nil && made == major(version) &&
		reachable(dir, f.user) == nil && allowed(data, f.user, 5) == nil
}

// madeBy returns the major version of a cluster.
func madeBy(data string) (string, error) {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	return strings.TrimSpace(string(text)), err
}

func major(version string) string {
	major, _, _ := strings.Cut(version, ".")
	return major
}

// serverUser returns the user for a server in dir: nil for the program's user. Since postgres
// refuses root, root uses the owner of the cluster in dir, else "postgres" or "nobody".
func serverUser(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(filepath.Join(dir, "data")); err == nil && dir != "" {
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 0 {
			return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseInt(u.Uid, 10, 64)
		gid, err2 := strconv.ParseInt(u.Gid, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("missing user postgres or nobody: postgres refuses to run as root")
}

// reachable checks that a user can enter dir and all its parents. Programs report misleading
// errors for unreachable files.
func reachable(dir string, who *syscall.Credential) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for {
		if err := allowed(dir, who, 1); err != nil || dir == filepath.Dir(dir) {
			return err
		}
		dir = filepath.Dir(dir)
	}
}

// allowed checks a user's permission bits (1 to enter, 2 to write) on a folder. It skips the
// check for nil, the program's user, because then the system's errors are clear.
func allowed(dir string, who *syscall.Credential, bits os.FileMode) error {
	if who == nil {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	perm, owner := info.Mode().Perm(), info.Sys().(*syscall.Stat_t)
	switch {
	case owner.Uid == who.Uid:
		perm >>= 6
	case owner.Gid == who.Gid:
		perm >>= 3
	}
	if perm&bits != bits {
		return fmt.Errorf("folder %s (mode %s) must be open to user %d, because postgres refuses root "+
			"and runs as this user: open it, or use another folder", dir, info.Mode(), who.Uid)
	}
	return nil
}

// short reports whether a socket in dir fits the system's limit: 107 bytes on Linux, 103 on
// macOS.
func short(dir string) bool {
	return len(filepath.Join(dir, ".s.PGSQL."+port)) <= 103
}
