// Package skip leaves tests out, each with a sentence that names the reason.
package skip

import (
	"os"
	"os/exec"
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

// OneGoroutine skips a test with -short, as the race step of .ci/run does: the
// test takes seconds and shares nothing with another goroutine, so that the
// race detector has nothing to find. The step before it runs every test.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped with -short: it takes seconds, in one goroutine, in which there are no races")
	}
}
