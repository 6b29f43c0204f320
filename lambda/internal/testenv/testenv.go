// Package testenv decides what a run of the tests leaves out. By default it is quick:
// three minutes on two cores. One flag turns on the rest, at full size:
//
//	go test ./lambda/postgres -thorough
//
// A test that lacks a part of the machine is skipped visibly, and fails where CI is set
// in the environment.
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

// Thorough reports whether -thorough was given.
func Thorough() bool { return *thorough }

// OnlyThorough skips a test without -thorough. why says what it needs its time for.
func OnlyThorough(t testing.TB, why string) {
	t.Helper()
	if !*thorough {
		t.Skip("skipped without -thorough: it " + why)
	}
}

// Size returns how much of a test is run: quick, or with -thorough full.
func Size(quick, full int) int {
	if *thorough {
		return full
	}
	return quick
}

// Program returns the path of a program that the test needs, and skips the test as
// Missing does where it is not on the PATH. remedy is the command that installs it.
func Program(t testing.TB, name, remedy string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name+" is not on the PATH: "+remedy)
	}
	return path
}

// Missing skips a test that lacks a part of the machine. With CI in the environment,
// as .ci/run sets it, the test fails, so that a new machine does not pass by skipping.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("CI skips no test: " + what)
	}
	t.Skip("skipped: " + what)
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
