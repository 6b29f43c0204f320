package reviewrun

import (
	"context"
	"log/slog"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/review/chunk"
)

// pageReader reads PDFs and images. It's opened with the first one, since compiling the parser
// takes a second.
type pageReader struct {
	ingest.Ingester
}

func (p *pageReader) open(ctx context.Context) error {
	if p.PDFs != nil {
		return nil
	}
	reader, err := pdf.New(pdf.Config{CacheDir: pdf.UserCache()})
	if err != nil {
		return err
	}
	p.PDFs, p.Log = reader, slog.New(slog.DiscardHandler)
	if engine, err := tesseract.New(ctx, tesseract.Config{}); err == nil {
		p.OCR = engine
	} else {
		p.NoOCR = failure.Of(err).Text
	}
	return nil
}

// text returns the text of a PDF or an image, by OCR where it has none.
func (p *pageReader) text(ctx context.Context, data []byte) (string, error) {
	if err := p.open(ctx); err != nil {
		return "", err
	}
	pages, err := p.Pages(ctx, data)
	if err != nil {
		return "", err
	}
	return chunk.OfPages(pages), nil
}

func (p *pageReader) close() error {
	if p.PDFs == nil {
		return nil
	}
	return p.PDFs.Close()
}
