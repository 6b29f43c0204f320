package score

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{" - / . ", ""},
		{"Blue Pen", "blue pen"},
		{"pen, BLUE pen", "blue pen"},
		{"Müller", "mueller"},
		{"Mu\u0308ller", "mueller"}, // u and a combining mark
		{"GRÖẞE groß", "groesse gross"},
		{"Ærø Ångström", "aangstroem aeroe"},
		{"Café crème", "cafe creme"},
		{"ＡＣＭＥ　７", "7 acme"}, // full width
		{"Ø 8mm/M10", "8mm m10 oe"},
		{"Яндекс №7", "no7 яндекс"},
	} {
		want := strings.Fields(tc.want)
		if got := strings.Join(words(tc.text), " "); got != strings.Join(want, " ") {
			t.Errorf("words(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

// TestWordsOfALongTextAreThoseOfItsBeginning: also where it is cut within a
// character.
func TestWordsOfALongTextAreThoseOfItsBeginning(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("a ", (4_000-4)/2)
	for _, tc := range []struct{ text, want string }{
		{filler + "end", "a end"},
		{filler + "ends", "a ends"},
		{filler + "endless", "a endl"},
		{filler + "endâ", "a end"}, // â has two bytes, of which one is left
	} {
		got := strings.Join(words(tc.text), " ")
		if got != tc.want || !utf8.ValidString(got) {
			t.Errorf("of %d bytes: got %q, want %q", len(tc.text), got, tc.want)
		}
	}
}

func TestAlphanumeric(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{" - ", ""},
		{"a-1 / b_2.c", "A1B2C"},
		{"ä-7", "Ä7"},
		{"a\u0308-7", "Ä7"},
		{"ｓｋｕ４", "SKU4"},
		{"½", "12"},
	} {
		if got := alphanumeric(tc.text); got != tc.want {
			t.Errorf("alphanumeric(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}
