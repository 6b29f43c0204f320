// Package pdf reads PDFs: the text layer with the place of each line, embedded
// XML, and images of pages. The parser is PDFium, compiled to WebAssembly; no C
// is linked.
//
// A PDF may be hostile. Each open document has an instance of its own, whose
// memory is capped and which sees no file, no network and no clock. An
// operation that exceeds its time is ended inside the parser's own loops, and
// its instance is thrown away. TestHostileFiles shows the outcome of each kind
// of hostile file.
//
// Ending the parser costs time: the instance checks in each loop whether its
// time is over, which makes it three times as slow (measured: 97 ms instead of
// 32 ms of processor time for text and image of a page). Without them, native
// code could not even be paused by the garbage collector, and one bad file
// would freeze all work of the process.
package pdf

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"time"

	"matchbook/lambda/failure"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Engine and Version name the parser in a transcription.
const (
	Engine  = "pdfium"
	Version = "go-pdfium 1.17.0"
)

// Config configures a Reader. The zero value of each field is a default.
type Config struct {
	CacheDir   string        // keeps the compiled parser; without it each New compiles for seconds
	Documents  int           // open at once: the number of cores
	Memory     int           // MB for each document: 256
	Pages      int           // of a document: 1,000
	Pixels     int           // of an image of a page: 40 million
	Characters int           // of a page: 100,000
	Embedded   int           // bytes of an embedded file: 10 MB
	Time       time.Duration // for each operation, on a document or on a page: 20 s
}

func (c Config) withDefaults() Config {
	c.Documents = cmp.Or(c.Documents, runtime.GOMAXPROCS(0))
	c.Memory = cmp.Or(c.Memory, 256)
	c.Pages = cmp.Or(c.Pages, 1000)
	c.Pixels = cmp.Or(c.Pixels, 40_000_000)
	c.Characters = cmp.Or(c.Characters, 100_000)
	c.Embedded = cmp.Or(c.Embedded, 10<<20)
	c.Time = cmp.Or(c.Time, 20*time.Second)
	return c
}

// Reader opens PDFs. It may be used concurrently.
type Reader struct {
	config Config
	pool   pdfium.Pool
	cache  wazero.CompilationCache
}

// New compiles the parser, or takes it from the cache.
func New(c Config) (*Reader, error) {
	c = c.withDefaults()
	cache := wazero.NewCompilationCache()
	if c.CacheDir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(c.CacheDir); err != nil {
			return nil, fmt.Errorf("open the parser's cache: %w", err)
		}
	}
	const pagesPerMB = 16 // of WebAssembly: 64 KB
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: c.Documents, MaxTotal: c.Documents,
		FSConfig: wazero.NewFSConfig(), // empty; the default is the whole disk
		Stdout:   io.Discard, Stderr: io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache).
			WithMemoryLimitPages(uint32(c.Memory) * pagesPerMB).WithCloseOnContextDone(true),
	})
	if err != nil {
		return nil, fmt.Errorf("compile the PDF parser: %w", err)
	}
	return &Reader{c, pool, cache}, nil
}

// UserCache is a folder of the user for the compiled parser; empty, and the
// parser is compiled at each start, where the user has none.
func UserCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "matchbook", "pdfium")
}

// Close releases the parser. Documents are closed before.
func (r *Reader) Close() error {
	if err := r.pool.Close(); err != nil {
		return fmt.Errorf("close the PDF parser: %w", err)
	}
	return r.cache.Close(context.Background())
}

// Open opens a PDF of that many bytes, once fewer than Config.Documents are
// open. Its errors are permanent when the file is at fault.
func (r *Reader) Open(ctx context.Context, file io.Reader, size int64) (*Document, error) {
	instance, err := r.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, failure.At("wait for a PDF parser", cmp.Or(ctx.Err(), err))
	}
	d := &Document{config: r.config, instance: instance, module: moduleOf(instance)}
	if err := d.open(ctx, file, size); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// moduleOf returns the instance's WebAssembly module. Calls through the library
// have no context, so that nothing could end them; calls of the module have.
// The library holds it in a public field of a type that it does not export.
func moduleOf(instance pdfium.Pdfium) api.Module {
	return reflect.ValueOf(instance.GetImplementation()).Elem().FieldByName("Module").Interface().(api.Module)
}
