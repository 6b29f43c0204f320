package ingest

import (
	"context"
	"image"
	"io"
	"testing"

	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/transcript"
)

// Each field of each document has its place on its own page, in shares that an eye tells apart.
func TestFieldsStandOnTheirPages(t *testing.T) {
	t.Parallel()
	line := func(text string, top float64) transcript.Line {
		return transcript.Line{Text: text, Box: transcript.Box{Left: 0.123456, Top: top, Right: 0.3, Bottom: top + 0.01}}
	}
	pages := transcript.Transcription{Pages: []transcript.Page{
		{Number: 1, Lines: []transcript.Line{line("RE-7", 0.1), line("19,00", 0.2)}},
		{Number: 2, Lines: []transcript.Line{line("RE-7", 0.3), line("19,00", 0.4)}},
	}}
	field := func(value, quote string, page int) extraction.Field {
		return extraction.Field{Value: value, Quote: quote, Page: page}
	}
	docs := make([]ingestion.Extracted, 2)
	docs[0].Fields = map[string]extraction.Field{"number": field("RE-7", "RE-7", 1), "total": field("19", "19,00", 2), "notes": field("RE-7", "", 1)}
	docs[1].Fields = map[string]extraction.Field{"number": field("RE-7", "RE-7", 2), "buyer.name": field("RE-7", "RE-7", 3)}
	locate(docs, pages)
	for _, test := range []struct {
		document int
		path     string
		want     [4]float64
	}{
		{0, "number", [4]float64{0.1235, 0.1, 0.3, 0.11}}, {0, "total", [4]float64{0.1235, 0.4, 0.3, 0.41}}, {0, "notes", [4]float64{}},
		{1, "number", [4]float64{0.1235, 0.3, 0.3, 0.31}}, {1, "buyer.name", [4]float64{}},
	} {
		if got := docs[test.document].Fields[test.path].Box; got != test.want {
			t.Errorf("document %d, %s: got %v, want %v", test.document, test.path, got, test.want)
		}
	}
}

// book has many small pages.
type book int

func (b book) Pages() int { return int(b) }

func (b book) Render(context.Context, int, int) (*image.Gray, error) {
	return image.NewGray(image.Rect(0, 0, 2, 2)), nil
}

// written counts what is stored.
type written struct{ keys []string }

func (w *written) Read(context.Context, string, int64) ([]byte, error) { return nil, nil }

func (w *written) Write(_ context.Context, key string, _ io.ReadSeeker) error {
	w.keys = append(w.keys, key)
	return nil
}

// The first forty pages of a file get an image.
func TestImagesOfPages(t *testing.T) {
	t.Parallel()
	for pages, want := range map[int]int{1: 1, 40: 40, 41: 40} {
		stored, row := &written{}, ingestion.Row{}
		(&Ingester{Blobs: stored}).draw(t.Context(), row, &source{pages: book(pages)})
		if len(stored.keys) != want || stored.keys[0] != row.Image(1) || stored.keys[want-1] != row.Image(want) {
			t.Errorf("%d pages: got %q", pages, stored.keys)
		}
	}
}
