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
	"reflect"
	"runtime"
	"sync"
	"time"

	"matchbook/lambda/failure"

	"github.com/klippa-app/go-pdfium"
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
	CacheDir   string        // keeps the compiled parser; without it each Reader compiles for seconds
	Documents  int           // open at once: the number of cores
	Memory     int           // MB for each document: 256
	Pages      int           // of a document: 1,000
	Pixels     int           // of an image of a page: 40 million
	Characters int           // of a page: 100,000
	Embedded   int           // bytes of the embedded XML files together: 10 MB
	Time       time.Duration // for each operation, on a document or on a page: 20 s
	Total      time.Duration // for all operations on a document: 5 min
}

func (c Config) withDefaults() Config {
	c.Documents = cmp.Or(c.Documents, runtime.GOMAXPROCS(0))
	c.Memory = cmp.Or(c.Memory, 256)
	c.Pages = cmp.Or(c.Pages, 1000)
	c.Pixels = cmp.Or(c.Pixels, 40_000_000)
	c.Characters = cmp.Or(c.Characters, 100_000)
	c.Embedded = cmp.Or(c.Embedded, 10<<20)
	c.Time = cmp.Or(c.Time, 20*time.Second)
	c.Total = cmp.Or(c.Total, 5*time.Minute)
	return c
}

// Reader opens PDFs. It may be used concurrently.
type Reader struct {
	config Config
	cache  wazero.CompilationCache

	begin    sync.Once // compiles the parser
	compiled chan struct{}
	pool     pdfium.Pool // once compiled is closed, as err
	err      error
}

// New makes a Reader. Its parser is compiled for the first PDF, or taken from
// the cache: a function starts without it, and its other files do not wait.
func New(c Config) (*Reader, error) {
	c = c.withDefaults()
	cache := wazero.NewCompilationCache()
	if c.CacheDir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(c.CacheDir); err != nil {
			return nil, fmt.Errorf("open the parser's cache: %w", err)
		}
	}
	return &Reader{config: c, cache: cache, compiled: make(chan struct{})}, nil
}

// Open opens a PDF of that many bytes, once fewer than Config.Documents are
// open. Its errors are permanent when the file is at fault.
func (r *Reader) Open(ctx context.Context, file io.Reader, size int64) (*Document, error) {
	pool, err := r.parser(ctx)
	if err != nil {
		return nil, failure.At("compile the PDF parser", err)
	}
	instance, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, failure.At("wait for a PDF parser", cmp.Or(ctx.Err(), err))
	}
	d := &Document{config: r.config, instance: instance, module: moduleOf(instance), left: r.config.Total}
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
