package reviewrun

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"matchbook/lambda/document/docx"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/review/chunk"
)

// read reads a contract from a file: text, Markdown, a Word document, or a PDF with a text layer.
func read(ctx context.Context, path string) (c contract, err error) {
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
	case bytes.HasPrefix(data, []byte("%PDF-")):
		text, err := textOfPDF(ctx, data)
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

// textOfPDF reads the text layer. It returns an error for a scan; use ingest for scans.
func textOfPDF(ctx context.Context, data []byte) (string, error) {
	reader, err := pdf.New(pdf.Config{CacheDir: pdf.UserCache()})
	if err != nil {
		return "", err
	}
	defer func() { _ = reader.Close() }()
	doc, err := reader.Open(ctx, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", err
	}
	defer doc.Close()
	pages := make([]transcript.Page, doc.Pages())
	lines := 0
	for i := range pages {
		if pages[i], err = doc.Text(ctx, i+1); err != nil {
			return "", err
		}
		lines += len(pages[i].Lines)
	}
	if lines == 0 {
		return "", failure.Permanently("PDF without a text layer: use \"matchbook ingest\" for scans")
	}
	return chunk.OfPages(pages), nil
}
