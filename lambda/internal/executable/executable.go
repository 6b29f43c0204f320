// Package executable writes programs for tests to run.
package executable

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// Script writes a script.
func Script(t testing.TB, path, text string) {
	t.Helper()
	write(t, path, strings.NewReader(text))
}

// Copy copies a program.
func Copy(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	write(t, to, in)
}

// write keeps other tests from starting a process meanwhile, because that process would hold
// the file open for writing until it runs its program, and the kernel refuses to run a file
// open for writing ("text file busy").
func write(t testing.TB, path string, content io.Reader) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, content); err != nil {
		t.Error(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
