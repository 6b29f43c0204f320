// Package textract reads images of pages with AWS Textract's operation DetectDocumentText, one
// call for each page.
//
// Textract reports neither the quality nor the defects of an image. So the quality of a page
// is the confidence of its lines, and its defects are measured. Errors contain nothing of a
// request or a response but the HTTP status and a known error code.
package textract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"sync/atomic"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/awscall"
	"matchbook/lambda/ingest/ocr"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/llm"

	"github.com/aws/aws-sdk-go-v2/service/textract"
	"github.com/aws/aws-sdk-go-v2/service/textract/types"
)

const (
	name           = "textract" // of the engine, in a transcription
	defaultTimeout = time.Minute
)

// The limits of a call.
const (
	maxBytes = 10 << 20
	maxSide  = 10_000 // pixels
)

// API is the part of Textract in use; *textract.Client implements it.
type API interface {
	DetectDocumentText(context.Context, *textract.DetectDocumentTextInput, ...func(*textract.Options)) (
		*textract.DetectDocumentTextOutput, error)
}

// Config configures an Engine. A zero field means its default.
type Config struct {
	DPI     int           // for drawing pages; default 300
	Calls   int           // at once; default 2, since an account may have few calls a second
	Timeout time.Duration // of a call; default 1 min
	Retry   llm.Retry     // of a call; default three tries
}

// Engine transcribes files. It is safe for concurrent use.
type Engine struct{ *ocr.Engine }

// New checks the configuration. It makes no call.
func New(api API, c Config) (*Engine, error) {
	if c.DPI < 0 || c.Calls < 0 || c.Timeout < 0 {
		return nil, errors.New("DPI, calls and timeout of Textract must not be negative")
	}
	r := &reader{api: api, timeout: cmp.Or(c.Timeout, defaultTimeout), retry: c.Retry}
	return &Engine{ocr.New(r, name, cmp.Or(c.DPI, 300), cmp.Or(c.Calls, 2))}, nil
}

type reader struct {
	api     API
	timeout time.Duration
	retry   llm.Retry
	version atomic.Value // of the model, a string
}

// Version returns the version of the model that read the last page.
func (r *reader) Version() string {
	version, _ := r.version.Load().(string)
	return version
}

// Orientation returns 0: Textract reads text in any direction.
func (*reader) Orientation(context.Context, *image.Gray) int { return 0 }

// Read implements ocr.Reader.
func (r *reader) Read(ctx context.Context, m *image.Gray) (transcript.Page, error) {
	content, err := encode(m, maxBytes)
	if err != nil {
		return transcript.Page{}, err
	}
	var out *textract.DetectDocumentTextOutput
	err = r.retry.Do(ctx, func(ctx context.Context) error {
		var failed *failure.Call
		if out, failed = r.detect(ctx, content); failed != nil {
			return table.Classify(failed)
		}
		return nil
	})
	if err != nil {
		return transcript.Page{}, err
	}
	if out.DetectDocumentTextModelVersion != nil {
		r.version.Store(*out.DetectDocumentTextModelVersion)
	}
	lines, turned := words(out.Blocks, m)
	page := ocr.Page(lines, m)
	if turned {
		page.Defects = append(page.Defects, transcript.Orientation)
	}
	return page, nil
}

// detect calls once. The SDK must not retry, because our retries know the time left.
func (r *reader) detect(ctx context.Context, content []byte) (*textract.DetectDocumentTextOutput, *failure.Call) {
	within, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	in := &textract.DetectDocumentTextInput{Document: &types.Document{Bytes: content}}
	out, err := r.api.DetectDocumentText(within, in, func(o *textract.Options) { o.RetryMaxAttempts = 1 })
	switch {
	case err != nil:
		return nil, awscall.Read(textract.ServiceID, err, ctx.Err(), maxWait)
	case out.DocumentMetadata == nil || !complete(out.Blocks):
		return nil, &failure.Call{Cause: errIncomplete}
	}
	return out, nil
}

// encode returns a PNG, or a JPEG if the PNG is beyond the limit, since noise makes a PNG
// large.
func encode(m *image.Gray, limit int) ([]byte, error) {
	const good = 90 // quality
	if m.Rect.Dx() > maxSide || m.Rect.Dy() > maxSide {
		return nil, failure.Permanently(
			"page image has %d x %d pixels, Textract's limit is %d on a side; scan it at fewer dots per inch",
			m.Rect.Dx(), m.Rect.Dy(), maxSide)
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m)
	if err == nil && b.Len() > limit {
		b.Reset()
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: good})
	}
	switch {
	case err != nil:
		return nil, failure.Permanently("page image is empty; scan it again")
	case b.Len() > limit:
		return nil, failure.Permanently(
			"page image has %d MB, Textract's limit is %d MB; scan it at fewer dots per inch",
			b.Len()>>20, limit>>20)
	}
	return b.Bytes(), nil
}
