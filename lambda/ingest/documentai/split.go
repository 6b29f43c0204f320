package documentai

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
)

// The limits of online processing. maxPixels is for images, also for each page of a TIFF; PDFs
// aren't limited.
const (
	maxPages  = 15
	maxBytes  = 40 << 20
	maxPixels = 40_000_000
)

// types are the MIME types of files sent as they are.
var types = []string{"application/pdf", "image/png", "image/jpeg", "image/tiff"}

// Transcribe reads all pages of a file. It uses the file itself if the images have it,
// otherwise each image.
func (e *Engine) Transcribe(ctx context.Context, file transcript.Images) (transcript.Transcription, error) {
	with, ok := file.(transcript.WithOriginal)
	if !ok {
		return e.Engine.Transcribe(ctx, file)
	}
	original := with.Original()
	known := original.Pages == nil || len(original.Pages) == file.Pages()
	if !known || !slices.Contains(types, original.MIMEType) || len(original.Content) > maxBytes {
		return e.Engine.Transcribe(ctx, file)
	}
	if err := checkPixels(original); err != nil {
		return transcript.Transcription{}, err
	}
	t, err := e.whole(ctx, original, file.Pages())
	if tooMany := new(tooManyPages); errors.As(err, &tooMany) {
		return e.Engine.Transcribe(ctx, file) // the limit must count more than the selected pages
	}
	return t, err
}

func checkPixels(o transcript.Original) error {
	if o.MIMEType == types[0] {
		return nil
	}
	_, err := scan.Open(bytes.NewReader(o.Content), int64(len(o.Content)))
	return err
}

// whole reads n pages of a file in as few requests as possible, and joins the answers.
func (e *Engine) whole(ctx context.Context, o transcript.Original, n int) (transcript.Transcription, error) {
	t := transcript.Transcription{Engine: name, Version: e.client.version, Pages: make([]transcript.Page, n)}
	numbers := o.Pages
	for i := range n - len(o.Pages) {
		numbers = append(numbers, i+1) // all, since none were given
	}
	parts := slices.Collect(slices.Chunk(numbers, e.pages))
	err := e.Each(ctx, len(parts), func(ctx context.Context, i int) error {
		f := file{content: o.Content, mimeType: o.MIMEType, pages: parts[i], all: o.Pages == nil && len(parts) == 1}
		read, err := e.client.process(ctx, f)
		for j := range read {
			read[j].Number = i*e.pages + j + 1
			t.Pages[i*e.pages+j] = read[j]
		}
		return err
	})
	t.Round()
	return t, err
}
