// Package tesseract reads images of pages with the tesseract program. You must install it:
// apt-get install tesseract-ocr tesseract-ocr-deu.
//
// Each page is one process with one thread; as many run at once as there are cores. A process
// ends with its context or after Config.Time, together with all processes it started, because
// noise would keep it busy for as long as there is time.
package tesseract

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/ocr"
)

const name = "tesseract" // of the engine, in a transcription

// Config configures an Engine. A zero field means its default.
type Config struct {
	Program   string // a path, or a name on the PATH; default tesseract
	Languages string // installed language data, joined by +; default deu+eng
	DPI       int    // for drawing pages; default 300
	Processes int    // at once; default the number of cores

	Time time.Duration // for each page, which takes seconds; default 2 min
}

// Engine transcribes images. It is safe for concurrent use.
type Engine struct{ *ocr.Engine }

type reader struct {
	Config
	version string
}

// Version returns the version of the program.
func (r *reader) Version() string { return r.version }

// New asks the program for its version and languages. If the program or a language is missing,
// it returns a permanent failure with the remedy.
func New(ctx context.Context, c Config) (*Engine, error) {
	c.Program = cmp.Or(c.Program, "tesseract")
	c.Languages = cmp.Or(c.Languages, "deu+eng")
	c.DPI = cmp.Or(c.DPI, 300)
	c.Processes = cmp.Or(c.Processes, runtime.GOMAXPROCS(0))
	c.Time = cmp.Or(c.Time, 2*time.Minute)
	r := &reader{Config: c}
	out, err := r.run(ctx, nil, "--version")
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	r.version = strings.TrimSpace(strings.TrimPrefix(first, name))
	return &Engine{ocr.New(r, name, c.DPI, c.Processes)}, r.checkLanguages(ctx)
}

func (r *reader) checkLanguages(ctx context.Context) error {
	out, err := r.run(ctx, nil, "--list-langs")
	if err != nil {
		return err
	}
	installed := strings.Fields(string(out))
	for _, language := range strings.Split(r.Languages, "+") {
		if !slices.Contains(installed, language) {
			return failure.Permanently("missing language data %q for tesseract; "+
				"run apt-get install tesseract-ocr-%[1]s", language)
		}
	}
	return nil
}
