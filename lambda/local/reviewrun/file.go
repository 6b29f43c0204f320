package reviewrun

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"matchbook/lambda/document/docx"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/review/chunk"
)

// read reads a contract from a file: text, Markdown, HTML, a Word document, a PDF or an image.
func (r *run) read(ctx context.Context, path string) (c contract, err error) {
	info, err := os.Stat(path) // before opening it, since a pipe would block
	switch {
	case os.IsNotExist(err):
		return c, fmt.Errorf("%s not found", path)
	case err != nil:
		return c, err
	case !info.Mode().IsRegular():
		return c, fmt.Errorf("%s: expected a regular file", path)
	case info.Size() > filetype.MaxBytes:
		return c, fmt.Errorf("%s is too large: more than %d MB", path, filetype.MaxBytes>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	switch {
	case paged(data):
		text, err := r.pages.text(ctx, data)
		if err != nil {
			return c, fmt.Errorf("%s: %s", path, failure.Of(err).Text)
		}
		data = []byte(text)
	case docx.Is(data):
		if c.word, err = docx.Read(bytes.NewReader(data), int64(len(data))); err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
		data = []byte(c.word.Text) // which Clean leaves alone
	}
	if c.text, err = chunk.Clean(data); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// paged reports whether a file has pages: a PDF, or an image of one.
func paged(data []byte) bool {
	if bytes.HasPrefix(data, []byte("%PDF-")) {
		return true
	}
	kind, err := filetype.Of(bytes.NewReader(data), int64(len(data)))
	return err == nil && kind != filetype.Text && kind != filetype.XML
}
