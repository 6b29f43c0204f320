package term

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzPrinted holds what callers rely on for any text and any width: cleaning leaves one line
// without control characters, and folding and cutting end, fit and lose no word.
func FuzzPrinted(f *testing.F) {
	for _, text := range []string{"", "two words", "東京電灯 a\u0308\u0308", "a\x1b]0;title\x07b", "\x1b[31mred", "\xff\xfe\u202e",
		strings.Repeat("W", 300), strings.Repeat("\u0308", 300), "\x1b\x1b\x1b[[\x9b"} {
		f.Add(text, int16(-5))
		f.Add(text, int16(20))
	}
	f.Fuzz(func(t *testing.T, text string, columns int16) {
		most := int(columns)
		checkClean(t, text, max(most, 1))
		checkFold(t, text, most)
		if cut := Cut(text, most); Columns(cut) > max(most, 1) {
			t.Errorf("%q is wider than %d columns", cut, most)
		}
	})
}

func checkClean(t *testing.T, text string, most int) {
	t.Helper()
	clean := Clean(text, most)
	bad := func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r) && r != ' '
	}
	if n := utf8.RuneCountInString(clean); n > most || !utf8.ValidString(clean) || strings.ContainsFunc(clean, bad) {
		t.Errorf("%q is not clean, or has more than %d characters", clean, most)
	}
	if again := Clean(clean, most); again != clean {
		t.Errorf("cleaned %q again to %q", clean, again)
	}
}

func checkFold(t *testing.T, text string, most int) {
	t.Helper()
	lines := Fold(text, most)
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if got, want := bare(strings.Join(lines, " ")), bare(text); got != want || len(lines) == 0 {
		t.Errorf("folded %q to %q", want, got)
	}
	for _, line := range lines {
		if Columns(line) > max(most, 2) {
			t.Errorf("%q has more than %d columns", line, most)
		}
	}
}
