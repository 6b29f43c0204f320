package ocr

import (
	"image"
	"slices"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

func TestDefectsOfAPageAreMeasured(t *testing.T) {
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
