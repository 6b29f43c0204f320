package documentai

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/ingest/ocr"
	"matchbook/lambda/ingest/transcript"
)

// answer is the part of a ProcessResponse in use. The service leaves out zero members.
type answer struct {
	Document struct {
		Text  string `json:"text"`
		Pages []page `json:"pages"`
	} `json:"document"`
}

type page struct {
	Number    int `json:"pageNumber"`
	Dimension struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	} `json:"dimension"`
	Lines []struct {
		Layout layout `json:"layout"`
	} `json:"lines"`
	Quality *struct {
		Score   float64 `json:"qualityScore"`
		Defects []struct {
			Type       string  `json:"type"`
			Confidence float64 `json:"confidence"`
		} `json:"detectedDefects"`
	} `json:"imageQualityScores"`
}

type layout struct {
	Anchor struct {
		Segments []struct {
			Start int64 `json:"startIndex,string"`
			End   int64 `json:"endIndex,string"`
		} `json:"textSegments"`
	} `json:"textAnchor"`
	Confidence float64 `json:"confidence"`
	Polygon    struct {
		Vertices []struct {
			X float64 `json:"x"`
			Y float64 `json:"y"`
		} `json:"normalizedVertices"`
	} `json:"boundingPoly"`
	Orientation string `json:"orientation"`
}

// decode returns the pages of an answer, which must have these numbers.
func decode(body []byte, numbers []int) ([]transcript.Page, error) {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, notDecodable
	}
	if len(a.Document.Pages) != len(numbers) {
		return nil, otherPages
	}
	text, pages := []rune(a.Document.Text), make([]transcript.Page, len(numbers))
	for _, p := range a.Document.Pages {
		i := slices.Index(numbers, p.Number)
		if i < 0 || pages[i].Lines != nil {
			return nil, otherPages
		}
		read, err := p.convert(text)
		if err != nil {
			return nil, err
		}
		pages[i] = read
	}
	return pages, nil
}

// turns maps orientations to Word.Turned: the reader of a PAGE_RIGHT turns the head clockwise.
var turns = map[string]int{"PAGE_RIGHT": 1, "PAGE_DOWN": 2, "PAGE_LEFT": 3}

// convert arranges the service's lines row by row, because the service's order goes from block
// to block and would separate a row's columns.
func (p page) convert(text []rune) (transcript.Page, error) {
	width, height := p.Dimension.Width, p.Dimension.Height
	if width <= 0 || height <= 0 {
		width, height = 1, math.Sqrt2 // upright paper
	}
	lines := make([]transcript.Word, 0, len(p.Lines))
	letters, turned := 0, 0
	for _, l := range p.Lines {
		w, ok := l.Layout.word(text, width, height)
		if !ok {
			return transcript.Page{}, malformed
		}
		if w.Text == "" {
			continue
		}
		n := utf8.RuneCountInString(w.Text)
		if letters += n; w.Turned != 0 {
			turned += n
		}
		lines = append(lines, w)
	}
	read := transcript.Page{Quality: ocr.Quality(lines)}
	read.Lines, read.Turned = transcript.Arrange(lines, width, height)
	p.rate(&read)
	if 2*turned > letters {
		read.Defects = append(read.Defects, transcript.Orientation)
	}
	return read, nil
}

// word returns a line. It reports false if the line lacks a text of the document or a place.
func (l layout) word(text []rune, width, height float64) (transcript.Word, bool) {
	w := transcript.Word{Confidence: l.Confidence, Turned: turns[l.Orientation],
		Box: transcript.Box{Left: math.Inf(1), Top: math.Inf(1)}}
	var b strings.Builder
	for _, s := range l.Anchor.Segments {
		if s.Start < 0 || s.Start > s.End || s.End > int64(len(text)) {
			return w, false
		}
		b.WriteString(string(text[s.Start:s.End])) // the index counts characters, not bytes
	}
	w.Text = strings.Join(strings.Fields(b.String()), " ")
	for _, v := range l.Polygon.Vertices {
		x, y := v.X*width, v.Y*height
		w.Box = transcript.Box{Left: min(w.Box.Left, x), Top: min(w.Box.Top, y),
			Right: max(w.Box.Right, x), Bottom: max(w.Box.Bottom, y)}
	}
	return w, len(l.Polygon.Vertices) > 0
}

var defects = map[string]transcript.Defect{
	"quality/defect_blurry":          transcript.Blur,
	"quality/defect_noisy":           transcript.Noise,
	"quality/defect_dark":            transcript.Contrast,
	"quality/defect_faint":           transcript.Contrast,
	"quality/defect_text_too_small":  transcript.SmallText,
	"quality/defect_document_cutoff": transcript.CutOff,
	"quality/defect_text_cutoff":     transcript.CutOff,
	"quality/defect_glare":           transcript.Glare,
}

// rate copies the service's quality and defects. The service counts a defect as detected above
// 0.5.
func (p page) rate(read *transcript.Page) {
	const detected = 0.5
	if len(read.Lines) == 0 {
		read.Defects = append(read.Defects, transcript.NoText)
	}
	if p.Quality == nil {
		return
	}
	if len(read.Lines) > 0 {
		read.Quality = p.Quality.Score
	}
	for _, d := range p.Quality.Defects {
		known, ok := defects[d.Type]
		if ok && d.Confidence > detected && !slices.Contains(read.Defects, known) {
			read.Defects = append(read.Defects, known)
		}
	}
}
