package pdf

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/testenv"
)

// Compiling takes seconds and leaves a file in the cache.
func TestParserIsNotCompiledBeforeTheFirstPDF(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := New(Config{CacheDir: dir})
	testenv.Must(t, err)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	var files []string
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) > 0 {
		t.Errorf("the cache has %q, %v; want no file", files, err)
	}
	if _, err := r.Open(t.Context(), strings.NewReader(""), 0); err == nil {
		t.Error("a closed reader opens a file")
	}
}

func TestStoppedWorkDoesNotWaitForTheParser(t *testing.T) {
	t.Parallel()
	r := &Reader{compiled: make(chan struct{})}
	r.begin.Do(func() {}) // it is compiled, and never ready
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Open(ctx, strings.NewReader(""), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
