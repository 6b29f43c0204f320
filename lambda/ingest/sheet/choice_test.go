package sheet

import (
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// Of fields with the same places, the first one given takes the first place.
func TestFirstFieldChoosesFirst(t *testing.T) {
	t.Parallel()
	page := transcript.Page{Number: 1, Lines: []transcript.Line{line("B-7", 0.1, 0.2), line("B-7", 0.1, 0.3), line("B-7", 0.1, 0.4)}}
	placed := Locate(page, []Field{field("references.1.number", "B-7", "B-7"), field("references.0.number", "B-7", "B-7"), field("references.2.number", "B-7", "B-7")})
	for path, want := range map[string]string{"references.1.number": "20", "references.0.number": "30", "references.2.number": "40"} {
		if got := percent(placed[path].Top); got != want {
			t.Errorf("%s stands at %s, want %s", path, got, want)
		}
	}
}

// A text shows a value that it can be read as.
func TestTextsShowValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, value string
		want        bool
	}{
		{"1.234,50 €", "1234.5", true}, {"1.234", "1234", true}, {"1.234", "1.234", true}, {"11.234,50", "1234.5", false}, {"Lampe 10", "10", true}, {"A10", "10", false},
		{"3 March 2026", "2026-03-03", true}, {"03/04/2026", "2026-04-03", true}, {"03/04/2026", "2026-03-04", true}, {"3 March 2026", "2026-03-04", false},
		{"Lampen-Werk Nord", "Lampenwerk", true}, {"Lampe", "Lampenwerk", false},
	} {
		if got := shows(test.text, test.value); got != test.want {
			t.Errorf("%q shows %s: got %v", test.text, test.value, got)
		}
	}
}

// The nearest places, and those as near but for half a hundredth of the page, on either side.
func TestNearestPlaces(t *testing.T) {
	t.Parallel()
	var boxes []transcript.Box
	for _, left := range []float64{0.10, 0.29, 0.296, 0.31, 0.313, 0.5} {
		boxes = append(boxes, transcript.Box{Left: left})
	}
	for to, want := range map[float64]int{0.30: 1, 0.294: 2, 0.1: 1, 0.9: 1, 0.303: 3, 0.3115: 2} {
		if got := nearest(boxes, to, func(b transcript.Box) float64 { return b.Left }); len(got) != want {
			t.Errorf("%v: got %v, want %d", to, got, want)
		}
	}
}
