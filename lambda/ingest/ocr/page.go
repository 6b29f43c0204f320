package ocr

import (
	"image"
	"slices"
	"unicode/utf8"

	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
)

const (
	smallText   = 15  // pixels: lower words are hard to read
	lowContrast = 0.4 // of ink and paper, 0 to 1
	skewed      = 0.7 // degrees
)

// Page makes a page of the words found in an image. Its quality is their mean confidence,
// weighted by their characters. It doesn't measure the orientation; see Reader.
func Page(words []transcript.Word, m *image.Gray) transcript.Page {
	return transcript.Page{
		Lines:   transcript.Arrange(words, float64(m.Rect.Dx()), float64(m.Rect.Dy())),
		Quality: Quality(words),
		Defects: defects(words, m),
	}
}

// defects measures why a page is hard to read.
func defects(words []transcript.Word, m *image.Gray) (found []transcript.Defect) {
	if len(words) == 0 {
		found = append(found, transcript.NoText)
	}
	if angle := scan.Skew(m); angle >= skewed || angle <= -skewed {
		found = append(found, transcript.Skew)
	}
	if height := median(words); height > 0 && height < smallText {
		found = append(found, transcript.SmallText)
	}
	if scan.Contrast(m) < lowContrast {
		found = append(found, transcript.Contrast)
	}
	return found
}

// Quality returns the mean confidence of words, weighted by their characters; 0 without words.
func Quality(words []transcript.Word) float64 {
	sum, weight := 0.0, 0.0
	for _, w := range words {
		n := float64(utf8.RuneCountInString(w.Text))
		sum, weight = sum+n*w.Confidence, weight+n
	}
	return sum / max(weight, 1)
}

func median(words []transcript.Word) int {
	heights := make([]float64, 0, len(words))
	for _, w := range words {
		heights = append(heights, w.Box.Bottom-w.Box.Top)
	}
	if len(heights) == 0 {
		return 0
	}
	slices.Sort(heights)
	return int(heights[len(heights)/2])
}
