package transcript

import (
	"reflect"
	"testing"
)

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
	if got := Arrange(words, 200, 100); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestLongWordsWeighMoreInALine(t *testing.T) {
	t.Parallel()
	words := []Word{
		{Text: "abcdef", Box: Box{0, 0, 60, 10}, Confidence: 1},
		{Text: "ab", Box: Box{65, 0, 80, 10}, Confidence: 0.2},
	}
	if got := Arrange(words, 100, 100); len(got) != 1 || got[0].Confidence != (6+2*0.2)/8 {
		t.Errorf("got %v", got)
	}
}
