// Package ingesteval measures the rules of ingestion on PDFs with an embedded e-invoice: the
// XML is the truth, and the pages are read as if it were missing.
package ingesteval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/tesseract"
)

// Options are the options of a measurement.
type Options struct {
	JSON bool
	Jobs int // files read concurrently; 0 is the number of cores
}

// Run measures the PDFs below folders, prints the result, and reports whether no wrong value
// passed.
func (o Options) Run(ctx context.Context, dirs []string, out io.Writer, m *term.Meter) (bool, error) {
	result, err := o.Measure(ctx, dirs, m)
	if err != nil {
		return false, err
	}
	return len(result.Wrong) == 0, term.Print(out, result, o.JSON)
}

// Measure reads the PDFs below folders. Use Run to print the result.
func (o Options) Measure(ctx context.Context, dirs []string, m *term.Meter) (*Result, error) {
	paths, err := find(dirs)
	if err != nil {
		return nil, err
	}
	pdfs, err := pdf.New(pdf.Config{CacheDir: pdf.UserCache()})
	if err != nil {
		return nil, err
	}
	defer func() { _ = pdfs.Close() }()
	r := reader{pdfs: pdfs, ocr: "tesseract"}
	if engine, err := tesseract.New(ctx, tesseract.Config{}); err == nil {
		r.engine = engine
	} else {
		r.ocr = "none: " + err.Error()
	}
	outcomes, err := o.all(ctx, r, paths, m)
	if err != nil {
		return nil, err
	}
	result := &Result{Dirs: dirs, OCR: r.ocr}
	for i, path := range paths {
		result.add(path, outcomes[i])
	}
	if result.Files == 0 {
		return nil, errors.New("missing e-invoices in the PDFs")
	}
	return result, nil
}

// all reads the files, several at a time, and keeps their order.
func (o Options) all(ctx context.Context, r reader, paths []string, m *term.Meter) ([]outcome, error) {
	outcomes, failures := make([]outcome, len(paths)), make([]error, len(paths))
	done, began := 0, time.Now()
	var mu sync.Mutex
	m.Watch(func() string {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprintf("%d of %d PDFs, %.0f s", done, len(paths), time.Since(began).Seconds())
	})
	defer m.Watch(nil)
	free := make(chan struct{}, cmp.Or(o.Jobs, runtime.NumCPU()))
	var working sync.WaitGroup
	for i, path := range paths {
		free <- struct{}{}
		working.Go(func() {
			defer func() { <-free }()
			outcomes[i], failures[i] = r.measure(ctx, path)
			mu.Lock()
			done++
			mu.Unlock()
		})
	}
	working.Wait()
	return outcomes, errors.Join(errors.Join(failures...), ctx.Err())
}

// reader reads a file's XML and its pages.
type reader struct {
	pdfs   *pdf.Reader
	engine ingest.OCR // nil: pages without text aren't read
	ocr    string     // for the report
}
