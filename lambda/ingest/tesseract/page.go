package tesseract

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
)

// reading is a page as it was read, with what only a repair needs to know.
type reading struct {
	transcript.Page
	height int // median of the words, in pixels
}

const (
	smallText   = 15  // pixels: words lower than this are hard to read
	lowContrast = 0.4 // of ink and paper, 0 to 1
	skewed      = 0.7 // degrees
)

// page reads one image. Its quality is the mean confidence of the words,
// weighted by their characters.
func (e *Engine) page(ctx context.Context, m *image.Gray) (reading, error) {
	const automatic = "3" // page segmentation
	// A scan has its own dots per inch, which the program estimates by the
	// letters: with another number it loses columns of words.
	out, err := e.run(ctx, pgm(m), "stdin", "stdout", "-l", e.config.Languages, "--psm", automatic, "tsv")
	if err != nil {
		return reading{}, err
	}
	words, err := parse(string(out))
	if err != nil {
		return reading{}, err
	}
	p := transcript.Page{Lines: transcript.Arrange(words, float64(m.Rect.Dx()), float64(m.Rect.Dy()))}
	p.Quality = quality(words)
	r := reading{p, median(words)}
	r.Defects = defects(r, m)
	return r, nil
}

// defects measures what makes a page hard to read. Its orientation takes
// another process, see Engine.Repair.
func defects(r reading, m *image.Gray) (found []transcript.Defect) {
	if len(r.Lines) == 0 {
		found = append(found, transcript.NoText)
	}
	if angle := scan.Skew(m); angle >= skewed || angle <= -skewed {
		found = append(found, transcript.Skew)
	}
	if r.height > 0 && r.height < smallText {
		found = append(found, transcript.SmallText)
	}
	if scan.Contrast(m) < lowContrast {
		found = append(found, transcript.Contrast)
	}
	return found
}

func quality(words []transcript.Word) float64 {
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

// parse reads tesseract's table of words; tabs divide its columns: level, page,
// block, paragraph, line, word, left, top, width, height, confidence, text.
func parse(table string) ([]transcript.Word, error) {
	const columns, word = 12, "5"
	rows := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	if !strings.HasPrefix(rows[0], "level\tpage_num\t") {
		return nil, &failure.Error{Sentence: "tesseract returned no table of words"}
	}
	var words []transcript.Word
	for n, row := range rows[1:] {
		cells := strings.SplitN(row, "\t", columns)
		if len(cells) != columns || cells[0] != word || strings.TrimSpace(cells[columns-1]) == "" {
			continue
		}
		w, err := parseWord(cells[6:])
		if err != nil {
			return nil, &failure.Error{Sentence: fmt.Sprintf("row %d of tesseract's table is malformed", n+1)}
		}
		words = append(words, w)
	}
	return words, nil
}

func parseWord(cells []string) (transcript.Word, error) {
	var n [5]float64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseFloat(cells[i], 64); err != nil {
			return transcript.Word{}, err
		}
	}
	const percent = 100
	return transcript.Word{
		Text:       strings.TrimSpace(cells[5]),
		Box:        transcript.Box{Left: n[0], Top: n[1], Right: n[0] + n[2], Bottom: n[1] + n[3]},
		Confidence: min(max(n[4]/percent, 0), 1),
	}, nil
}
