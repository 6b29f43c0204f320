package ingest

import (
	"bytes"
	"context"
	"maps"
	"math"
	"slices"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/sheet"
	"matchbook/lambda/ingest/transcript"
)

// Bounds of the images for people: their sharpness, and the pages of a file that get one.
const (
	imageDPI  = 120
	maxImages = 40
)

// draw stores the images of the pages for people. The console shows them, and can't draw them,
// because it lacks the parser and the memory. Without one, the file is read all the same.
func (in *Ingester) draw(ctx context.Context, row ingestion.Row, src *source) {
	if src.pages == nil {
		return // a text
	}
	for n := 1; n <= min(src.pages.Pages(), maxImages); n++ {
		image, _, err := sheet.Draw(ctx, src.pages, n, imageDPI)
		if err == nil {
			err = in.Blobs.Write(ctx, row.Image(n), bytes.NewReader(image))
		}
		if err != nil {
			in.Log.Warn("image of a page not stored", "id", row.ID.String(), "page", n, "reason", failure.Of(err).Text)
			return
		}
	}
}

// locate notes where each field stands on the page as shown.
func locate(docs []ingestion.Extracted, t transcript.Transcription) {
	for _, page := range t.Pages {
		for i := range docs {
			fields := docs[i].Fields
			var here []sheet.Field
			for _, path := range slices.Sorted(maps.Keys(fields)) { // in the same order every time
				if f := fields[path]; f.Page == page.Number && f.Quote != "" {
					here = append(here, sheet.Field{Path: path, Value: f.Value, Quote: f.Quote})
				}
			}
			for path, box := range sheet.Locate(page, here) {
				f, shown := fields[path], page.Shown(box)
				f.Box = [4]float64{digits(shown.Left), digits(shown.Top), digits(shown.Right), digits(shown.Bottom)}
				fields[path] = f
			}
		}
	}
}

// digits rounds a fraction of a page to the differences that an eye sees.
func digits(v float64) float64 { return math.Round(v*1e4) / 1e4 }
