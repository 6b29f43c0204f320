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

// ErrNotFound reports that no PostgreSQL server was found, neither installed nor
// through npm. The errors that wrap it list the attempts and the remedies.
var ErrNotFound = errors.New("no PostgreSQL server found")

const oldest = 13 // the oldest major version that will do

// usual are the folders where installers put a server without putting it on
// the PATH: Debian; openSUSE; the PostgreSQL project's RPMs; Alpine; Homebrew
// on its three homes; Postgres.app.
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

// find finds an installed PostgreSQL server, version 13 or newer: the folder
// that holds initdb and postgres, and the version, such as "15.18". The folders
// of path come first, then those that fit the patterns, the newest version
// first.
func find(path string, patterns []string) (dir, version string, err error) {
	var tooOld []string
	try := func(dirs []string) bool {
		best := 0
		for _, d := range dirs {
			v, rank := serverVersion(d)
			switch {
			case rank == 0:
			case rank < oldest*1000:
				tooOld = append(tooOld, fmt.Sprintf("  %s (version %s is too old)", d, v))
			case rank > best:
				dir, version, best = d, v, rank
			}
		}
		return best > 0
	}
	for _, d := range filepath.SplitList(path) {
		// A link, such as a package manager's, leads to the folder with all
		// programs.
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

// serverVersion returns the version of the server in dir and a number to
// compare it by, 15.18 being 15018; "" and 0 without one that runs.
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
	minor, _ := strconv.Atoi(m[3]) // a beta has none
	return m[1], major*1000 + minor
}

func notInstalled(patterns, tooOld []string) error {
	text := fmt.Sprintf("looked for initdb and postgres, version %d or newer, in the folders of PATH and in", oldest)
	for row := range slices.Chunk(patterns, 3) {
		text += "\n  " + strings.Join(row, "  ")
	}
	if len(tooOld) > 0 {
		text += "\nand found only\n" + strings.Join(tooOld, "\n")
	}
	return errors.New(text)
}

// notFound is ErrNotFound on one screen.
func notFound(attempts error) error {
	return fmt.Errorf(`%w

%w

Install PostgreSQL (it need not run, a private server is started from it):
  Debian, Ubuntu  sudo apt-get install postgresql
  Fedora          sudo dnf install postgresql-server postgresql-contrib
  macOS           brew install postgresql@17
or Node.js, whose npm then downloads one (not on musl); or name a server that runs:
  %s=postgres://...                 for runs
  %s=postgres://...  for tests`, ErrNotFound, attempts, variable.DatabaseURL, variable.ServerForTests)
}
