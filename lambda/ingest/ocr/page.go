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
)

// Page makes a page of the words found in an image. Its quality is their mean confidence,
// weighted by their characters. Lines that run up or down the page are a defect, unless the
// words say how they are turned.
func Page(words []transcript.Word, m *image.Gray) transcript.Page {
	p := transcript.Page{Quality: Quality(words), Defects: defects(words, m)}
	p.Lines, p.Turned = transcript.Arrange(words, float64(m.Rect.Dx()), float64(m.Rect.Dy()))
	if p.Turned == 0 && sideways(words) {
		p.Defects = append(p.Defects, transcript.Orientation)
	}
	return p
}

// sideways reports whether most letters stand in words that are higher than wide.
func sideways(words []transcript.Word) bool {
	const short = 3 // a shorter word may be higher
	letters, upended := 0, 0
	for _, w := range words {
		n := utf8.RuneCountInString(w.Text)
		if n < short {
			continue
		}
		letters += n
		if w.Box.Bottom-w.Box.Top > w.Box.Right-w.Box.Left {
			upended += n
		}
	}
	return 2*upended > letters
}

// defects measures why a page is hard to read.
func defects(words []transcript.Word, m *image.Gray) (found []transcript.Defect) {
	if len(words) == 0 {
		found = append(found, transcript.NoText)
		if scan.Blank(m) {
			found = append(found, transcript.Blank)
		}
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
