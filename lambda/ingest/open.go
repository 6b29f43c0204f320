package ingest

import (
	"bytes"
	"context"
	"errors"

	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
)

// source is the opened file of an ingestion.
type source struct {
	kind     filetype.Type
	data     []byte
	invoices []einvoice.Document // several in an envelope, one in a PDF; may be nil
	notes    []string            // for a person, about unreadable parts
	pages    transcript.Images   // of a PDF or an image; may be nil
	layer    func(ctx context.Context, page int) (transcript.Page, error)
	close    func()
}

// open opens the file of an ingestion, by its content. Call close when you are done with the
// source.
func (in *Ingester) open(ctx context.Context, data []byte) (*source, error) {
	kind, err := filetype.Of(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	src := &source{kind: kind, data: data, close: func() {}}
	switch kind {
	case filetype.XML:
		src.invoices, err = readXML(data)
	case filetype.PDF:
		err = in.openPDF(ctx, src)
	case filetype.PNG, filetype.JPEG, filetype.TIFF, filetype.WebP:
		src.pages, err = scan.Open(bytes.NewReader(data), int64(len(data)))
	}
	return src, err
}

// readXML reads a file that must be an e-invoice, or several in an envelope.
func readXML(data []byte) ([]einvoice.Document, error) {
	all, err := einvoice.ReadAll(bytes.NewReader(data))
	var refused *einvoice.Refused
	if errors.As(err, &refused) {
		return nil, failure.Permanently("not a readable e-invoice: %s", refused.Reason)
	}
	if err != nil {
		return nil, failure.At("read the e-invoice", err)
	}
	return all, nil
}

// openPDF opens a PDF and its embedded e-invoice.
func (in *Ingester) openPDF(ctx context.Context, src *source) error {
	doc, err := in.PDFs.Open(ctx, bytes.NewReader(src.data), int64(len(src.data)))
	if err != nil {
		return err
	}
	src.pages, src.layer, src.close = doc, doc.Text, doc.Close
	files, err := doc.Embedded(ctx)
	if err == nil {
		err = src.attach(files)
	}
	if err != nil {
		doc.Close()
	}
	return err
}

var _ transcript.Images = (*pdf.Document)(nil)
