package reviewrun

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/review/chunk"
)

// textOf reads a contract from a file: text, Markdown, or a PDF with a text layer.
func textOf(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path) // before opening it, since a pipe would block
	switch {
	case os.IsNotExist(err):
		return "", fmt.Errorf("%s not found", path)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: expected a regular file", path)
	case info.Size() > filetype.MaxBytes:
		return "", fmt.Errorf("%s is too large: more than %d MB", path, filetype.MaxBytes>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if bytes.HasPrefix(data, []byte("%PDF-")) {
		text, err := textOfPDF(ctx, data)
		if err != nil {
			return "", fmt.Errorf("%s: %s", path, failure.Of(err).Text)
		}
		data = []byte(text)
	}
	text, err := chunk.Clean(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
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
