// Package testenv decides which tests a run leaves out. The default is quick: three minutes on
// two cores. Use a flag to run everything at full size:
//
//	go test ./lambda/postgres/matches -thorough
//
// If the machine lacks something, tests that need it are skipped visibly. With CI set in the
// environment they fail instead.
package testenv

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var thorough = flag.Bool("thorough", false, "run all tests, at full size: without it they take three minutes on two cores")

// Thorough reports whether -thorough is set.
func Thorough() bool { return *thorough }

// OnlyThorough skips a test without -thorough. Use why to explain why it takes long.
func OnlyThorough(t testing.TB, why string) {
	t.Helper()
	if !*thorough {
		t.Skip("skipped without -thorough: it " + why)
	}
}

// Size returns quick, or full with -thorough.
func Size(quick, full int) int {
	if *thorough {
		return full
	}
	return quick
}

// Program returns the path of a program needed by the test. If it isn't on the PATH, it skips
// the test like Missing; remedy must be the command to install it.
func Program(t testing.TB, name, remedy string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name+" is not on the PATH: "+remedy)
	}
	return path
}

// Missing skips a test because the machine lacks something. With CI in the environment, as set
// by .ci/run, the test fails, so that a new machine doesn't pass by skipping.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("CI skips no test: " + what)
	}
	t.Skip("skipped: " + what)
}

// Shared returns the path of a file or folder of the shared data, outside the repository: in
// the folder MATCHBOOK_SHARED, or in shared next to the repository. It skips the test if it is
// missing.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(cmp.Or(os.Getenv("MATCHBOOK_SHARED"), filepath.Join(root(t), "..", "shared")),
		filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("skipped without shared data: set MATCHBOOK_SHARED to the folder that holds them: %v", err)
	}
	return path
}

// root returns the repository's folder, since a test runs in its package's.
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
