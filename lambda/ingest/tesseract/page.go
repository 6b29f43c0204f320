package tesseract

import (
	"context"
	"fmt"
	"image"
	"regexp"
	"strconv"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/ocr"
	"matchbook/lambda/ingest/transcript"
)

// Read implements ocr.Reader.
func (r *reader) Read(ctx context.Context, m *image.Gray) (transcript.Page, error) {
	out, err := r.run(ctx, pgm(m), r.arguments()...)
	if err != nil {
		return transcript.Page{}, err
	}
	words, err := parse(string(out))
	if err != nil {
		return transcript.Page{}, err
	}
	return ocr.Page(words, m), nil
}

// arguments returns the arguments for reading an image of a page. They don't contain the dots
// per inch: the program estimates a scan's by the letters, and loses columns of words with a
// wrong number. Of 108 scans of invoices all were right with one column of text; the search for
// columns lost numbers and dates in 9.
func (r *reader) arguments() []string {
	const oneColumn = "4" // page segmentation
	return []string{"stdin", "stdout", "-l", r.Languages, "--psm", oneColumn, "tsv"}
}

// parse reads tesseract's table of words. Tabs separate its columns: level, page, block,
// paragraph, line, word, left, top, width, height, confidence, text.
func parse(table string) ([]transcript.Word, error) {
	const columns, word = 12, "5"
	rows := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	if !strings.HasPrefix(rows[0], "level\tpage_num\t") {
		return nil, &failure.Error{Sentence: "unexpected output of tesseract: not a table of words"}
	}
	var words []transcript.Word
	for n, row := range rows[1:] {
		cells := strings.SplitN(row, "\t", columns)
		if len(cells) != columns || cells[0] != word || strings.TrimSpace(cells[columns-1]) == "" {
			continue
		}
		w, err := parseWord(cells[6:])
		if err != nil {
			return nil, &failure.Error{Sentence: fmt.Sprintf("invalid row %d in tesseract's table", n+1)}
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

var (
	rotate    = regexp.MustCompile(`(?m)^Rotate: (\d+)$`)
	certainty = regexp.MustCompile(`(?m)^Orientation confidence: ([\d.]+)$`)
)

// Orientation returns by how many quarters to turn the page clockwise, or 0 if the program
// can't decide because it sees too few letters.
func (r *reader) Orientation(ctx context.Context, m *image.Gray) int {
	const detectOnly, quarter, sure = "0", 90, 2.0
	out, err := r.run(ctx, pgm(m), "stdin", "stdout", "--dpi", strconv.Itoa(r.DPI), "--psm", detectOnly)
	degrees, confidence := rotate.FindSubmatch(out), certainty.FindSubmatch(out)
	if err != nil || degrees == nil || confidence == nil {
		return 0
	}
	turn, _ := strconv.Atoi(string(degrees[1]))
	if c, _ := strconv.ParseFloat(string(confidence[1]), 64); c < sure {
		return 0
	}
	return turn / quarter
}
