package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// parser returns the compiled parser. It waits no longer than ctx.
func (r *Reader) parser(ctx context.Context) (pdfium.Pool, error) {
	r.begin.Do(func() {
		go func() {
			defer close(r.compiled)
			r.pool, r.err = compile(r.config, r.cache)
		}()
	})
	select {
	case <-r.compiled:
		return r.pool, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func compile(c Config, cache wazero.CompilationCache) (pdfium.Pool, error) {
	const pagesPerMB = 16 // of WebAssembly: 64 KB
	return webassembly.Init(webassembly.Config{
		MaxIdle: c.Documents, MaxTotal: c.Documents,
		FSConfig: wazero.NewFSConfig(), // empty; the default is the whole disk
		Stdout:   io.Discard, Stderr: io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache).
			WithMemoryLimitPages(uint32(c.Memory) * pagesPerMB).WithCloseOnContextDone(true),
	})
}

// UserCache returns the user's folder for the compiled parser. Without one it is empty, and
// the parser is compiled at each start.
func UserCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "matchbook", "pdfium")
}

// Close releases the parser. You must close the documents before.
func (r *Reader) Close() error {
	r.begin.Do(func() { // there was no PDF
		r.err = errors.New("PDF parser is closed")
		close(r.compiled)
	})
	<-r.compiled
	if r.pool != nil {
		if err := r.pool.Close(); err != nil {
			return fmt.Errorf("close the PDF parser: %w", err)
		}
	}
	return r.cache.Close(context.Background())
}
