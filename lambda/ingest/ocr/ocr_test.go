package ocr

import (
	"context"
	"errors"
	"image"
	"slices"
	"sync/atomic"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

func TestPagesAtOnceBound(t *testing.T) {
	t.Parallel()
	e := New(nil, "x", 300, 3)
	var atWork, most atomic.Int32
	full := make(chan struct{})
	err := e.Each(context.Background(), 30, func(_ context.Context, i int) error {
		n := atWork.Add(1)
		defer atWork.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == 3 && i < 3 {
			close(full)
		}
		if i < 3 {
			<-full // the first three meet
		}
		return nil
	})
	if err != nil || most.Load() != 3 {
		t.Errorf("%d at once, %v; want 3", most.Load(), err)
	}
}

func TestFirstFailureStops(t *testing.T) {
	t.Parallel()
	e := New(nil, "x", 300, 2)
	boom := errors.New("boom")
	var begun atomic.Int32
	err := e.Each(context.Background(), 1000, func(ctx context.Context, i int) error {
		begun.Add(1)
		if i == 0 {
			return boom
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, boom) || begun.Load() > 3 {
		t.Errorf("got %v after %d pages", err, begun.Load())
	}
	if len(e.slots) != 0 {
		t.Errorf("%d slots are lost", len(e.slots))
	}
}

func TestDefects(t *testing.T) {
	t.Parallel()
	word := func(height float64) []transcript.Word {
		return []transcript.Word{{Text: "x", Box: transcript.Box{Right: 5, Bottom: height}, Confidence: 1}}
	}
	for name, tc := range map[string]struct {
		words []transcript.Word
		paper uint8
		want  []transcript.Defect
	}{
		"none":         {word(15), 255, nil},
		"small text":   {word(14), 255, []transcript.Defect{transcript.SmallText}},
		"no text":      {nil, 255, []transcript.Defect{transcript.NoText}},
		"low contrast": {word(15), 100, []transcript.Defect{transcript.Contrast}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := image.NewGray(image.Rect(0, 0, 100, 100))
			for i := range m.Pix {
				if i%m.Stride > 10 { // the rest is ink
					m.Pix[i] = tc.paper
				}
			}
			p := Page(tc.words, m)
			if !slices.Equal(p.Defects, tc.want) || (p.Quality == 1) != (len(tc.words) == 1) {
				t.Errorf("got %v, quality %v", p.Defects, p.Quality)
			}
		})
	}
}
