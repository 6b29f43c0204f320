package ocr

import (
	"context"
	"errors"
	"image"
	"slices"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// blank is a file of white pages.
type blank int

func (b blank) Pages() int { return int(b) }
func (b blank) Render(context.Context, int, int) (*image.Gray, error) {
	m := image.NewGray(image.Rect(0, 0, 100, 200))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	return m, nil
}

// fake finds a line at the upper left of each image, and needs it turned.
type fake struct {
	quarters int
	err      error
}

func (f fake) Read(_ context.Context, m *image.Gray) (transcript.Page, error) {
	word := transcript.Word{Text: "Total", Box: transcript.Box{Right: 50, Bottom: 20}, Confidence: 0.9}
	return Page([]transcript.Word{word}, m), f.err
}
func (f fake) Orientation(context.Context, *image.Gray) int { return f.quarters }
func (fake) Version() string                                { return "7" }

func TestRepairsOnlyBadPages(t *testing.T) {
	t.Parallel()
	first := transcript.Transcription{Engine: "fake", Pages: []transcript.Page{
		{Number: 1, Quality: 0.7}, {Number: 2, Quality: 0.2},
	}}
	got, err := New(fake{quarters: 1}, "fake", 300, 2).Repair(t.Context(), blank(2), first, 0.7)
	if err != nil || len(got.Images) != 1 || got.Images[2].Rect != image.Rect(0, 0, 200, 100) {
		t.Fatalf("got %v, %v", got.Images, err)
	}
	p := got.Transcription.Pages[1]
	// The line takes a quarter of the turned page's width, a fifth of its height: as shown, at the
	// left, below.
	upright, shown := transcript.Box{Right: 0.25, Bottom: 0.2}, transcript.Box{Left: 0, Top: 0.75, Right: 0.2, Bottom: 1}
	if p.Number != 2 || p.Quality != 0.9 || p.Lines[0].Box != upright || p.Shown(upright) != shown ||
		!slices.Equal(p.Defects, []transcript.Defect{transcript.Orientation}) {
		t.Errorf("got %+v", p)
	}
	if first.Pages[1].Quality != 0.2 || got.Transcription.Pages[0].Lines != nil {
		t.Errorf("a page was changed: %+v, %+v", first.Pages[1], got.Transcription.Pages[0])
	}
}

func TestNothingToRepair(t *testing.T) {
	t.Parallel()
	first := transcript.Transcription{Pages: []transcript.Page{{Number: 1}}}
	failing := fake{err: errors.New("it was read")}
	got, err := New(failing, "fake", 300, 1).Repair(t.Context(), blank(1), first, 0.7)
	if err != nil || len(got.Images) != 0 {
		t.Errorf("got %v, %v", got.Images, err)
	}
}

func TestPageByPage(t *testing.T) {
	t.Parallel()
	got, err := New(fake{}, "fake", 300, 2).Transcribe(t.Context(), blank(3))
	if err != nil || got.Engine != "fake" || got.Version != "7" || len(got.Pages) != 3 {
		t.Fatalf("got %+v, %v", got, err)
	}
	for i, p := range got.Pages {
		want := transcript.Line{Text: "Total", Box: transcript.Box{Right: 0.5, Bottom: 0.1}, Confidence: 0.9}
		if p.Number != i+1 || p.Quality != 0.9 || len(p.Lines) != 1 || p.Lines[0] != want {
			t.Errorf("got %+v", p)
		}
	}
}

// All pages are read again, but of a long scan not every image is kept.
func TestRepairedImagesBound(t *testing.T) {
	t.Parallel()
	first := transcript.Transcription{Pages: []transcript.Page{{Number: 1}, {Number: 2}, {Number: 3}}}
	e := New(fake{quarters: 1}, "fake", 300, 1)
	e.kept = 2 * 100 * 200
	got, err := e.Repair(t.Context(), blank(3), first, 0.7)
	if err != nil || len(got.Images) != 2 || got.Transcription.Pages[2].Quality != 0.9 {
		t.Errorf("%d images are kept, want 2; the last page: %+v, %v", len(got.Images), got.Transcription.Pages[2], err)
	}
}
