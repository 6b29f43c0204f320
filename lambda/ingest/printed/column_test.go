package printed

import (
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
)

// Lines below each other are a column: with the nearest edge, in the next row, and no farther than a line and a half.
func TestColumns(t *testing.T) {
	t.Parallel()
	type line struct {
		text                     string
		left, right, top, bottom float64
	}
	for name, test := range map[string]struct {
		lines []line
		want  string
	}{
		"two columns":           {[]line{{"a", 10, 20, 0, 2}, {"b", 60, 70, 0, 2}, {"aa", 10, 20, 3, 5}, {"bb", 60, 70, 3, 5}}, "a aa|b bb"},
		"an empty line between": {[]line{{"a", 10, 20, 0, 2}, {"aa", 10, 20, 4.9, 6.9}}, "a aa"},
		"two empty lines":       {[]line{{"a", 10, 20, 0, 2}, {"aa", 10, 20, 5.1, 7.1}}, "a|aa"},
		"next to each other":    {[]line{{"a", 10, 20, 0, 2}, {"aa", 20, 30, 3, 5}}, "a|aa"},
		"in one row":            {[]line{{"a", 10, 20, 0, 2}, {"aa", 15, 30, 0.9, 2.9}}, "a|aa"},
		"half a row lower":      {[]line{{"a", 10, 20, 0, 2}, {"aa", 15, 30, 1.1, 3.1}}, "a aa"},
		"the nearest edge":      {[]line{{"a", 10, 40, 0, 2}, {"x", 20, 30, 3, 5}, {"y", 12, 18, 3, 5}}, "a y|x"},
		"the nearest row":       {[]line{{"a", 10, 40, 0, 2}, {"x", 20, 30, 2, 3}, {"y", 10, 40, 3, 4}}, "a x y"},
		"one below two":         {[]line{{"a", 10, 20, 0, 2}, {"b", 22, 40, 0, 2}, {"wide", 10, 40, 3, 5}}, "a wide|b"},
		"one below two, turned": {[]line{{"a", 10, 20, 0, 2}, {"b", 22, 40, 0, 2}, {"wide", 18, 40, 3, 5}}, "a|b wide"},
		"two as near":           {[]line{{"a", 10, 20, 0, 2}, {"b", 14, 40, 0, 2}, {"wide", 12, 40, 3, 5}}, "a wide|b"},
	} {
		var lines []transcript.Line
		for _, l := range test.lines {
			lines = append(lines, transcript.Line{Text: l.text, Box: transcript.Box{Left: l.left, Right: l.right, Top: l.top, Bottom: l.bottom}})
		}
		var got []string
		for _, l := range columns(lines) {
			got = append(got, l.Text)
		}
		if all := strings.Trim(strings.ReplaceAll(strings.Join(got, " "), " \uffff ", "|"), "\uffff "); all != test.want {
			t.Errorf("%s: got %s, want %s", name, all, test.want)
		}
	}
}

func TestLetters(t *testing.T) {
	t.Parallel()
	if got, want := Letters("Kran-Jäde & Söhne 4711 GmbH, №7"), "kranjädesöhne4711gmbh7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
