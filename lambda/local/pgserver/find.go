package pgserver

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/manifest/variable"
)

// ErrNotFound means that a PostgreSQL server was found neither on this machine nor through
// npm. Errors wrapping it list the attempts and the remedies.
var ErrNotFound = errors.New("PostgreSQL server not found")

const oldest = 13 // oldest supported major version

// usual lists installation folders outside the PATH: Debian; openSUSE; the PostgreSQL
// project's RPMs; Alpine; Homebrew in its three locations; Postgres.app.
var usual = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/lib/postgresql*/bin",
	"/usr/pgsql-*/bin",
	"/usr/libexec/postgresql*",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// find returns the folder with initdb and postgres of an installed server, version 13 or
// newer, and the version, such as "15.18". It searches path first, then the patterns, and
// prefers the newest version of a pattern.
func find(path string, patterns []string) (dir, version string, err error) {
	var tooOld []string
	try := func(dirs []string) bool {
		best := 0
		for _, d := range dirs {
			v, rank := serverVersion(d)
			switch {
			case rank == 0:
			case rank < oldest*1000:
				tooOld = append(tooOld, fmt.Sprintf("  %s (version %s, too old)", d, v))
			case rank > best:
				dir, version, best = d, v, rank
			}
		}
		return best > 0
	}
	for _, d := range filepath.SplitList(path) {
		// Follow a package manager's link to the folder with all programs.
		initdb, err := filepath.EvalSymlinks(filepath.Join(d, "initdb"))
		if err == nil && filepath.IsAbs(initdb) && try([]string{filepath.Dir(initdb)}) {
			return dir, version, nil
		}
	}
	for _, pattern := range patterns {
		if dirs, _ := filepath.Glob(pattern); try(dirs) {
			return dir, version, nil
		}
	}
	return "", "", notInstalled(patterns, tooOld)
}

var versionText = regexp.MustCompile(`\(PostgreSQL\) ((\d+)(?:\.(\d+))?)`)

// serverVersion returns the version of the server in dir and a comparable number (15018 for
// 15.18), or "" and 0 if none runs there.
func serverVersion(dir string) (string, int) {
	if _, err := exec.LookPath(filepath.Join(dir, "initdb")); err != nil {
		return "", 0
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return "", 0
	}
	m := versionText.FindStringSubmatch(string(out))
	if m == nil {
		return "", 0
	}
	major, _ := strconv.Atoi(m[2])
	minor, _ := strconv.Atoi(m[3]) // missing in a beta
	return m[1], major*1000 + minor
}

func notInstalled(patterns, tooOld []string) error {
	text := fmt.Sprintf("searched for initdb and postgres, version %d or newer, in PATH and in", oldest)
	for row := range slices.Chunk(patterns, 3) {
		text += "\n  " + strings.Join(row, "  ")
	}
	if len(tooOld) > 0 {
		text += "\nfound only\n" + strings.Join(tooOld, "\n")
	}
	return errors.New(text)
}

// notFound is ErrNotFound with attempts and remedies, on one screen.
func notFound(attempts error) error {
	return fmt.Errorf(`%w

%w

Install PostgreSQL (it doesn't have to run, because Matchbook starts a private server):
  Debian, Ubuntu  sudo apt-get install postgresql
  Fedora          sudo dnf install postgresql-server postgresql-contrib
  macOS           brew install postgresql@17
or Node.js, so that npm can download it (not on musl); or use a running server:
  %s=postgres://...                 for runs
  %s=postgres://...  for tests`, ErrNotFound, attempts, variable.DatabaseURL, variable.ServerForTests)
}
