// Package ocr is the part shared by all OCR engines: it reads a few pages at once, and reads
// bad pages again after repairing their defects.
package ocr

import (
	"context"
	"image"
	"sync"

	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
)

// Reader reads one image of a page at a time. It must be safe for concurrent use.
type Reader interface {
	// Read returns the text of an image, with its quality and defects.
	Read(ctx context.Context, m *image.Gray) (transcript.Page, error)
	// Orientation returns by how many quarters you must turn an image clockwise. Return 0 if
	// the reader can't decide, or reads text in any direction.
	Orientation(ctx context.Context, m *image.Gray) int
	// Version returns the version of the engine, once an image was read.
	Version() string
}

// Engine transcribes files page by page. It is safe for concurrent use.
type Engine struct {
	reader Reader
	name   string
	dpi    int
	slots  chan struct{}
	kept   int64 // pixels of repaired images, at most
}

// New returns an engine that draws pages at dpi dots per inch and reads at most atOnce of them
// at once.
func New(r Reader, name string, dpi, atOnce int) *Engine {
	return &Engine{r, name, dpi, make(chan struct{}, atOnce), maxKept}
}

// Transcribe reads all pages of a file.
func (e *Engine) Transcribe(ctx context.Context, file transcript.Images) (transcript.Transcription, error) {
	t := transcript.Transcription{Engine: e.name, Pages: make([]transcript.Page, file.Pages())}
	err := e.Each(ctx, len(t.Pages), func(ctx context.Context, i int) error {
		drawn, err := file.Render(ctx, i+1, e.dpi)
		if err != nil {
			return err
		}
		t.Pages[i], err = e.read(ctx, straight(scan.Unrepaired(drawn)))
		t.Pages[i].Number = i + 1
		return err
	})
	t.Version = e.reader.Version()
	t.Round()
	return t, err
}

// straight levels the lines of a page if they fall or rise. A page is straightened before it is
// read, because words of a tilted row look like words of its neighbours.
func straight(r scan.Repair) scan.Repair {
	const tilted = 0.5 // degrees
	if angle := scan.Skew(r.Image); angle >= tilted || angle <= -tilted {
		return r.Straighten(angle)
	}
	return r
}

// read reads an image, which may be a repaired one.
func (e *Engine) read(ctx context.Context, r scan.Repair) (transcript.Page, error) {
	page, err := e.reader.Read(ctx, r.Image)
	if page.Turned&1 == 1 && r.Tilt != 0 { // turned after it was straightened
		r.Aspect = 1 / r.Aspect
	}
	page.Placement = transcript.Placement{Turned: (r.Turned + page.Turned) & 3, Tilt: r.Tilt, Aspect: r.Aspect}
	if r.Tilt != 0 {
		page.Defects = append(page.Defects, transcript.Skew)
	}
	return page, err
}

// Each runs work for n parts of a file, at most as many at once as the engine reads pages. It
// stops at the first failure and returns it.
func (e *Engine) Each(ctx context.Context, n int, work func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var parts sync.WaitGroup
	for i := range n {
		if !e.slot(ctx) {
			break
		}
		parts.Go(func() {
			defer func() { <-e.slots }()
			if err := work(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	parts.Wait()
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
