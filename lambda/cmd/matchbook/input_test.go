package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const oneInvoice = `{"type":"invoice","structured_data":{"number":"1"}}`

// What cannot be read is named, and the rest goes on. A FIFO is not opened:
// that would wait for ever.
func TestFilesThatCannotBeReadAreNamedAndSkipped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(in("good.json"), []byte(oneInvoice), 0o600))
	must(syscall.Mkfifo(in("fifo.jsonl"), 0o600))
	must(os.Symlink("nowhere", in("dangling.json")))
	must(os.Symlink("loop.json", in("loop.json")))
	must(os.Mkdir(in("folder"), 0o700))
	must(os.Symlink("folder", in("folder.json")))
	want := []string{"dangling.json: cannot be read: a link that leads nowhere", "fifo.jsonl: cannot be read: not a regular file",
		"folder.json: cannot be read: not a regular file", "loop.json: cannot be read: too many levels of symbolic links"}
	if runtime.GOOS == "linux" { // a regular file, of which nothing can be read
		must(os.Symlink("/proc/self/mem", in("memory.json")))
		want = append(want, "memory.json: cannot be read: input/output error")
	}
	if os.Geteuid() != 0 { // to whom nothing is closed
		must(os.WriteFile(in("private.json"), []byte(oneInvoice), 0))
		must(os.Mkdir(in("closed"), 0))
		want = append(want, "closed: cannot be read: permission denied", "private.json: cannot be read: permission denied")
	}
	read := make(chan *input, 1)
	go func() {
		got, err := readInput(dir)
		if err != nil {
			t.Error(err)
			got = &input{}
		}
		read <- got
	}()
	select {
	case got := <-read:
		var problems []string
		for _, p := range got.Problems {
			problems = append(problems, filepath.Base(p.where())+": "+p.What)
		}
		slices.Sort(problems)
		slices.Sort(want)
		if len(got.Documents) != 1 || !slices.Equal(problems, want) {
			t.Errorf("read %d documents, and\n%s\nwant 1, and\n%s", len(got.Documents), strings.Join(problems, "\n"), strings.Join(want, "\n"))
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for a FIFO")
	}
}
