package documentai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/llm"
)

// client sends requests to one processor. It implements ocr.Reader.
type client struct {
	web     *http.Client
	method  string // its URL
	version string
	tokens  *tokens
	retry   llm.Retry
}

type file struct {
	content  []byte
	mimeType string
	pages    []int
	all      bool // pages are all of the file's
}

// Read implements ocr.Reader.
func (c *client) Read(ctx context.Context, m *image.Gray) (transcript.Page, error) {
	if m.Rect.Dx()*m.Rect.Dy() > maxPixels {
		return transcript.Page{}, failure.Permanently(
			"page image has %d x %d pixels, Document AI's limit is %d million; scan it at fewer dots per inch",
			m.Rect.Dx(), m.Rect.Dy(), maxPixels/1_000_000)
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m); err != nil {
		return transcript.Page{}, failure.Permanently("page image is empty; scan it again")
	}
	if b.Len() > maxBytes {
		return transcript.Page{}, failure.Permanently(
			"page image has %d MB as PNG, Document AI's limit is %d MB; scan it at fewer dots per inch",
			b.Len()>>20, maxBytes>>20)
	}
	read, err := c.process(ctx, file{content: b.Bytes(), mimeType: "image/png", pages: []int{1}, all: true})
	if err != nil {
		return transcript.Page{}, err
	}
	return read[0], nil
}

// Orientation returns 0: the service reads text in any direction.
func (*client) Orientation(context.Context, *image.Gray) int { return 0 }

// tooManyPages is the failure of a request with more pages than the service reads at once.
type tooManyPages struct{ error }

// Unwrap returns the failure.
func (t *tooManyPages) Unwrap() error { return t.error }

// process returns the pages of a file, in the order of its numbers.
func (c *client) process(ctx context.Context, f file) ([]transcript.Page, error) {
	var pages []transcript.Page
	tooMany := false
	err := c.retry.Do(ctx, func(ctx context.Context) error {
		read, failed := c.ask(ctx, f)
		if failed != nil {
			tooMany = failed.Code == pageLimit
			return table.Classify(failed)
		}
		pages = read
		return nil
	})
	if tooMany {
		err = &tooManyPages{err}
	}
	return pages, err
}

// ask retries once with a new token if the service refuses the kept one, since that may have
// been revoked.
func (c *client) ask(ctx context.Context, f file) ([]transcript.Page, *failure.Call) {
	for again := false; ; again = true {
		token, failed := c.tokens.get(ctx)
		if failed != nil {
			return nil, failed
		}
		pages, failed := c.post(ctx, f, token)
		if failed == nil || failed.Status != http.StatusUnauthorized {
			return pages, failed
		}
		if c.tokens.forget(token); again {
			return nil, failed
		}
	}
}

func (c *client) post(ctx context.Context, f file, token string) ([]transcript.Page, *failure.Call) {
	body, length := f.body()
	defer body.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.method, body)
	if err != nil {
		return nil, &failure.Call{Network: err}
	}
	r.ContentLength = length
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Authorization", "Bearer "+token)
	answer, failed := send(c.web, r, errorCode)
	if failed != nil {
		return nil, failed
	}
	pages, fault := decode(answer, f.pages)
	if fault != nil {
		return nil, &failure.Call{Status: http.StatusOK, Cause: fault}
	}
	return pages, nil
}

// options is a request without its document. The field mask leaves out the image of each page,
// because it is larger than the rest of the answer.
type options struct {
	FieldMask      string         `json:"fieldMask"`
	ProcessOptions processOptions `json:"processOptions"`
}

type processOptions struct {
	OCR   ocrConfig     `json:"ocrConfig"`
	Pages *pageSelector `json:"individualPageSelector,omitempty"`
}

type ocrConfig struct {
	ImageQualityScores bool `json:"enableImageQualityScores"`
	NativePDFParsing   bool `json:"enableNativePdfParsing"`
}

type pageSelector struct {
	Pages []int `json:"pages"`
}

const fields = "text,pages.pageNumber,pages.dimension,pages.lines,pages.imageQualityScores"

// body returns the JSON of a request and its length. You must close it. The file is encoded
// while it is sent, because a copy of 40 MB would take 53 MB more memory.
func (f file) body() (io.ReadCloser, int64) {
	o := options{FieldMask: fields, ProcessOptions: processOptions{OCR: ocrConfig{true, f.mimeType == types[0]}}}
	if !f.all {
		o.ProcessOptions.Pages = &pageSelector{f.pages}
	}
	rest, _ := json.Marshal(o) // texts, numbers and lists can always be encoded
	before := `{"rawDocument":{"mimeType":"` + f.mimeType + `","content":"`
	after := `"},` + strings.TrimPrefix(string(rest), "{")
	encoded, w := io.Pipe()
	go func() {
		e := base64.NewEncoder(base64.StdEncoding, w)
		if _, err := e.Write(f.content); err == nil {
			_ = e.Close() // fails only with the pipe, and the reader knows
		}
		_ = w.Close()
	}()
	length := len(before) + base64.StdEncoding.EncodedLen(len(f.content)) + len(after)
	whole := io.MultiReader(strings.NewReader(before), encoded, strings.NewReader(after))
	return struct {
		io.Reader
		io.Closer
	}{whole, encoded}, int64(length)
}
