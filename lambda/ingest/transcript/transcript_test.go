package transcript

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

func sample() Transcription {
	return Transcription{Engine: "tesseract", Version: "5.3.0", Pages: []Page{
		{Number: 1, Quality: 0.5, Defects: []Defect{Skew}, Lines: []Line{
			{Text: "Rechnung Nr. 7", Box: Box{0.1, 0.2, 0.3, 0.25}, Confidence: 0.5},
			{Text: "Straße", Box: Box{0.1, 0.3, 0.3, 0.35}, Confidence: 0.5},
		}},
		{Number: 2, Engine: "pdfium", Quality: 1, Lines: []Line{{Text: "Summe 1,00", Box: Box{0, 0, 1, 1}, Confidence: 1}}},
		{Number: 3, Defects: []Defect{NoText}, Lines: []Line{}},
	}}
}

func TestCheckpointRoundTrip(t *testing.T) {
	t.Parallel()
	data, err := sample().Encode()
	must.OK(t, err)
	got, err := Decode(data)
	must.OK(t, err)
	if !reflect.DeepEqual(got, sample()) {
		t.Errorf("got %+v", got)
	}
	// Another program reads these names.
	want := `{"text":"Straße","box":{"left":0.1,"top":0.3,"right":0.3,"bottom":0.35},"confidence":0.5}`
	if !strings.Contains(string(data), want) {
		t.Errorf("%s lacks %s", data, want)
	}
}

func TestDecodeRefusals(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":           `%PDF-1.7`,
		"cut off":           `{"engine":"pdfium","version":"1","pages":[{"number":1,`,
		"unknown field":     `{"engine":"pdfium","pages":[{"number":1}],"tenant":"x"}`,
		"no engine":         `{"pages":[{"number":1}]}`,
		"no pages":          `{"engine":"pdfium","pages":[]}`,
		"a page is missing": `{"engine":"pdfium","pages":[{"number":1},{"number":3}]}`,
	} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestQualityIsWeighted(t *testing.T) {
	t.Parallel()
	// 20 characters at 0.5, 10 at 1, an empty page.
	if got, want := sample().Quality(), (20*0.5+10*1.0)/30; math.Abs(got-want) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (Transcription{Pages: []Page{{Number: 1, Quality: 1}}}).Quality(); got != 0 {
		t.Errorf("without text: got %v, want 0", got)
	}
}

func TestTextFormFeeds(t *testing.T) {
	t.Parallel()
	if got, want := sample().Text(), "Rechnung Nr. 7\nStraße\n\fSumme 1,00\n\f"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRoundClamps(t *testing.T) {
	t.Parallel()
	x := Transcription{Pages: []Page{{Quality: math.NaN(), Lines: []Line{
		{Box: Box{-0.1, 0.123456789, 1.2, math.Inf(1)}, Confidence: 0.98765},
	}}}}
	x.Round()
	want := Line{Box: Box{0, 0.12346, 1, 1}, Confidence: 0.988}
	if got := x.Pages[0].Lines[0]; got != want || x.Pages[0].Quality != 0 {
		t.Errorf("got %+v, quality %v", got, x.Pages[0].Quality)
	}
}

func TestArrangeReadsRowByRow(t *testing.T) {
	t.Parallel()
	at := func(text string, left, top float64) Word {
		return Word{Text: text, Box: Box{left, top, left + 6*float64(len(text)), top + 10}, Confidence: 1}
	}
	words := []Word{
		at("Total", 10, 90), at("9,00", 100, 91), // the second stands one unit lower
		at("Invoice", 10, 10), at("RE-7", 57, 10), // five units after the first
		{Text: "side", Box: Box{190, 20, 200, 60}, Confidence: 0.5, Turned: 1}, // downwards
		{Text: "note", Box: Box{190, 65, 200, 99}, Confidence: 0.5, Turned: 1},
	}
	want := []Line{
		{"Invoice RE-7", Box{0.05, 0.1, 0.405, 0.2}, 1},
		{"Total", Box{0.05, 0.9, 0.2, 1}, 1},
		{"9,00", Box{0.5, 0.91, 0.62, 1}, 1}, // cut at the edge of the page
		{"side note", Box{0.95, 0.2, 1, 0.99}, 0.5},
	}
	if got, _ := Arrange(words, 200, 100); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestLineConfidence(t *testing.T) {
	t.Parallel()
	words := []Word{
		{Text: "abcdef", Box: Box{0, 0, 60, 10}, Confidence: 1},
		{Text: "ab", Box: Box{65, 0, 80, 10}, Confidence: 0.2},
	}
	if got, _ := Arrange(words, 100, 100); len(got) != 1 || got[0].Confidence != (6+2*0.2)/8 {
		t.Errorf("got %v", got)
	}
}
