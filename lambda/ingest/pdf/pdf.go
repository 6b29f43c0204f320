// Package pdf reads PDFs: the text layer with the place of each line, embedded XML, and images
// of pages. The parser is PDFium compiled to WebAssembly, so no C is linked.
//
// A PDF may be hostile. So each open document has a separate instance with capped memory and
// without access to files, network and clock. An operation beyond its time is ended inside the
// parser's loops, and its instance is thrown away. See TestHostileFiles for the outcome of
// each kind of hostile file.
//
// Ending the parser costs time, because the instance checks its time in each loop. That makes
// it three times as slow (measured: 97 ms instead of 32 ms of processor time for text and
// image of a page). Without the checks the garbage collector couldn't even pause native code,
// and one bad file would freeze all work of the process.
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

// Config configures a Reader. A zero field means its default.
type Config struct {
	CacheDir   string        // keeps the compiled parser; without it each Reader compiles for seconds
	Documents  int           // open at once; default the number of cores
	Memory     int           // MB for each document; default 256
	Pages      int           // of a document; default 1,000
	Pixels     int           // of an image of a page; default 40 million
	Characters int           // of a page; default 100,000
	Embedded   int           // bytes of the embedded XML files together; default 10 MB
	Time       time.Duration // for each operation, on a document or on a page; default 20 s
	Total      time.Duration // for all operations on a document; default 5 min
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

// Reader opens PDFs. It is safe for concurrent use.
type Reader struct {
	config Config
	cache  wazero.CompilationCache

	begin    sync.Once // compiles the parser
	compiled chan struct{}
	pool     pdfium.Pool // set once compiled is closed, like err
	err      error
}

// New returns a Reader. It compiles the parser for the first PDF, or takes it from the cache,
// so a function starts without it and other files don't wait.
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

// Open opens a PDF of size bytes, once fewer than Config.Documents are open. Its errors are
// permanent if the file is at fault. You must close the document.
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

// moduleOf returns the instance's WebAssembly module. You must call the module: the library's
// calls take no context, so nothing could end them. The library keeps the module in an
// exported field of an unexported type.
func moduleOf(instance pdfium.Pdfium) api.Module {
	return reflect.ValueOf(instance.GetImplementation()).Elem().FieldByName("Module").Interface().(api.Module)
}
