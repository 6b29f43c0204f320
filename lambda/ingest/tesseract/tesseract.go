// Package tesseract reads images of pages by the tesseract program, which has to
// be installed: apt-get install tesseract-ocr tesseract-ocr-deu.
//
// Each page is one process, with one thread; as many run at once as there are
// cores. A process ends with its context, together with all that it started.
package tesseract

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"
)

const name = "tesseract" // of the engine, in a transcription

// Config configures an Engine. The zero value of each field is a default.
type Config struct {
	Program   string // a path, or a name to look for on the PATH: tesseract
	Languages string // installed language data, joined by +: deu+eng
	DPI       int    // at which pages are drawn: 300
	Processes int    // at once: the number of cores
}

// Engine transcribes images. It may be used concurrently.
type Engine struct {
	config  Config
	version string
	slots   chan struct{}
}

// New asks the program for its version and its languages: a program or a
// language that is missing is a permanent failure with the remedy.
func New(ctx context.Context, c Config) (*Engine, error) {
	c.Program = cmp.Or(c.Program, "tesseract")
	c.Languages = cmp.Or(c.Languages, "deu+eng")
	c.DPI = cmp.Or(c.DPI, 300)
	c.Processes = cmp.Or(c.Processes, runtime.GOMAXPROCS(0))
	e := &Engine{config: c, slots: make(chan struct{}, c.Processes)}
	out, err := e.run(ctx, nil, "--version")
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	e.version = strings.TrimSpace(strings.TrimPrefix(first, name))
	return e, e.checkLanguages(ctx)
}

func (e *Engine) checkLanguages(ctx context.Context) error {
	out, err := e.run(ctx, nil, "--list-langs")
	if err != nil {
		return err
	}
	installed := strings.Fields(string(out))
	for _, language := range strings.Split(e.config.Languages, "+") {
		if !slices.Contains(installed, language) {
			return failure.Permanently("tesseract has no data of the language %q: "+
				"apt-get install tesseract-ocr-%[1]s", language)
		}
	}
	return nil
}

// Transcribe reads all pages of a file.
func (e *Engine) Transcribe(ctx context.Context, file transcript.Images) (transcript.Transcription, error) {
	t := transcript.Transcription{Engine: name, Version: e.version, Pages: make([]transcript.Page, file.Pages())}
	err := e.each(ctx, len(t.Pages), func(ctx context.Context, i int) error {
		drawn, err := file.Render(ctx, i+1, e.config.DPI)
		if err != nil {
			return err
		}
		read, err := e.page(ctx, drawn)
		if err != nil {
			return err
		}
		read.Page.Number = i + 1
		t.Pages[i] = read.Page
		return nil
	})
	t.Round()
	return t, err
}

// each works on n pages, at most as many at once as there are slots, and ends
// at the first failure.
func (e *Engine) each(ctx context.Context, n int, work func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var pages sync.WaitGroup
	for i := range n {
		if !e.slot(ctx) {
			break
		}
		pages.Go(func() {
			defer func() { <-e.slots }()
			if err := work(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	pages.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// slot waits for a slot; it reports false once ctx has ended.
func (e *Engine) slot(ctx context.Context) bool {
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if ctx.Err() != nil { // both were ready
		<-e.slots
		return false
	}
	return true
}
