// Package skip leaves tests out, each with a sentence that names the reason.
package skip

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Without skips the test where a program is missing, and returns the program's
// path. remedy is the command that installs it.
func Without(t testing.TB, program, remedy string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(t, program+" is not on the PATH: "+remedy)
	}
	return path
}

// Missing skips a test that lacks a part of the machine. With CI in the
// environment, as .ci/run sets it, the test fails: everything is there.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("CI runs every test: " + what)
	}
	t.Skip("skipped: " + what)
}

// LeftToCI skips a test unless CI is in the environment, as .ci/run sets it, or
// -thorough is given: all tests by hand are to take three minutes on two cores. why
// says what this one needs its time for.
func LeftToCI(t testing.TB, why string) {
	t.Helper()
	thorough := flag.Lookup("thorough")
	if os.Getenv("CI") == "" && (thorough == nil || thorough.Value.String() != "true") {
		t.Skip("skipped without CI=true: it " + why)
	}
}

// Shared returns the path of a file or folder of the shared data, which are not
// part of the repository: in the folder that MATCHBOOK_SHARED names, or in shared
// beside the repository. The test is skipped where it is absent.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(cmp.Or(os.Getenv("MATCHBOOK_SHARED"), filepath.Join(root(t), "..", "shared")),
		filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("skipped without shared data: set MATCHBOOK_SHARED to the folder that holds them: %v", err)
	}
	return path
}

// root returns the folder of the repository: a test runs in the one of its package.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the folder of the test")
		}
		dir = filepath.Dir(dir)
	}
}

// OneGoroutine skips a test with -short, as the race step of .ci/run does: the
// test takes seconds and shares nothing with another goroutine, so that the
// race detector has nothing to find. The step before it runs every test.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped with -short: it takes seconds, in one goroutine, in which there are no races")
	}
}
