// Package transcript defines the transcription of a file: its text by page and line, with the
// place of each line. Every engine produces one, whether it uses a PDF's text layer or OCR.
// Its JSON is the checkpoint of an ingestion.
package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Transcription is the text of a file as one engine read it.
type Transcription struct {
	Engine  string `json:"engine"`  // pdfium, tesseract ...
	Version string `json:"version"` // of the engine
	Pages   []Page `json:"pages"`
}

// Page is the text of one page, its lines in reading order.
type Page struct {
	Number  int      `json:"number"`           // from 1
	Engine  string   `json:"engine,omitempty"` // if another engine than the Transcription's read this page
	Quality float64  `json:"quality"`          // 0 to 1: how far the engine trusts its reading; 0 without text
	Defects []Defect `json:"defects,omitempty"`
	Placement
	Lines []Line `json:"lines"`
}

// Line is a run of words on one baseline. A wide gap ends a line, as between the cells of a
// table, so lines in one row share their vertical range.
type Line struct {
	Text       string  `json:"text"`
	Box        Box     `json:"box"`
	Confidence float64 `json:"confidence"` // 0 to 1; 1 for printed text
}

// Box is a rectangle in fractions of the upright page: 0,0 is its upper left corner, 1,1 the
// lower right one. Use Placement.Shown for its place on the page as shown.
type Box struct {
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
}

// Defect is a reason why the text of a page is hard to read.
type Defect string

// The defects reported by engines and measurements.
const (
	NoText      Defect = "no-text"     // nothing was read
	Blank       Defect = "blank"       // nothing is printed
	Garbled     Defect = "garbled"     // a text layer of meaningless characters
	Covered     Defect = "covered"     // the text is a stamp on a scan, which shows more
	Orientation Defect = "orientation" // turned by 90, 180 or 270 degrees
	Skew        Defect = "skew"        // turned by a few degrees
	SmallText   Defect = "small-text"  // too few pixels a letter
	Contrast    Defect = "contrast"    // ink and paper are close in brightness
	Blur        Defect = "blur"        // out of focus, or moved
	Noise       Defect = "noise"       // specks
	Glare       Defect = "glare"       // a light hiding a part
	CutOff      Defect = "cut-off"     // an edge of the page or of its text is missing
)

// Text joins the lines of a page.
func (p Page) Text() string {
	var b strings.Builder
	for _, l := range p.Lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Only returns the transcription of some pages, with the same numbers. nil selects all.
func (t Transcription) Only(numbers []int) Transcription {
	if numbers == nil {
		return t
	}
	some := t
	some.Pages = nil
	for _, p := range t.Pages {
		if slices.Contains(numbers, p.Number) {
			some.Pages = append(some.Pages, p)
		}
	}
	return some
}

// Text joins the pages with form feeds.
func (t Transcription) Text() string {
	pages := make([]string, len(t.Pages))
	for i, p := range t.Pages {
		pages[i] = p.Text()
	}
	return strings.Join(pages, "\f")
}

// Quality is the mean quality of the pages, weighted by their characters; 0
// without text.
func (t Transcription) Quality() float64 {
	sum, weight := 0.0, 0.0
	for _, p := range t.Pages {
		n := float64(p.Characters())
		sum, weight = sum+n*p.Quality, weight+n
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// Characters counts the characters of the page's lines.
func (p Page) Characters() int {
	n := 0
	for _, l := range p.Lines {
		n += utf8.RuneCountInString(l.Text)
	}
	return n
}

// Round limits quality, confidences and boxes to the stored range and digits, so that equal
// readings are equal bytes.
func (t *Transcription) Round() {
	for i := range t.Pages {
		p := &t.Pages[i]
		p.Quality = round(p.Quality, 1e3)
		for j := range p.Lines {
			l := &p.Lines[j]
			l.Confidence = round(l.Confidence, 1e3)
			for _, edge := range []*float64{&l.Box.Left, &l.Box.Top, &l.Box.Right, &l.Box.Bottom} {
				*edge = round(*edge, 1e5)
			}
		}
	}
}

func round(v, digits float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return math.Round(min(max(v, 0), 1)*digits) / digits
}

// Encode returns the JSON of the checkpoint.
func (t Transcription) Encode() ([]byte, error) { return json.Marshal(t) }

// Decode reads a checkpoint. It refuses JSON not written by Encode.
func Decode(data []byte) (Transcription, error) {
	var t Transcription
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, fmt.Errorf("decode transcription: %w", err)
	}
	if t.Engine == "" || len(t.Pages) == 0 {
		return t, fmt.Errorf("decode transcription: missing engine or pages")
	}
	for i, p := range t.Pages {
		if p.Number != i+1 {
			return t, fmt.Errorf("decode transcription: expected page %d, got %d", i+1, p.Number)
		}
	}
	return t, nil
}

// Images renders the pages of a file, numbered from 1.
type Images interface {
	Pages() int
	Render(ctx context.Context, page, dpi int) (*image.Gray, error)
}

// Second is a transcription of repaired pages. Compare it with the first before you use it.
type Second struct {
	Transcription Transcription       // pages without a repair are the first's
	Images        map[int]*image.Gray // the repaired pages, by number
}

// WithOriginal is Images with their file. Use it for engines that read a file in one piece, at
// full sharpness.
type WithOriginal interface {
	Images
	Original() Original
}

// Original is a file as received.
type Original struct {
	Content  []byte
	MIMEType string
	Pages    []int // their numbers in the file; nil: its pages, in order
}
