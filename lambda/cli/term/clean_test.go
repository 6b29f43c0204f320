package term

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Müller & Söhne":                     "Müller & Söhne",
		"a\x1b[31mred\x1b[0mb":               "aredb",
		"a\x1b]0;title\x07b":                 "ab",
		"a\x1b]8;;http://x\x1b\\link\x1b\\b": "alinkb",
		"a\u009b2Jb":                         "ab",
		"a\x1bcb":                            "ab",
		"two\r\nlines\tand\u2028more":        "two lines and more",
		"\u202eevil\u2066\u200b":             "evil",
		"bell\x07 del\x7f nul\x00":           "bell del nul",
		"bad\xff":                            "bad\ufffd",
		"012345678901234567890123":           "0123456789012345678…",
	} {
		if got := Clean(text, 20); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// What lies beyond the bound is not read: it is not printed either, however little was.
func TestCleanIsBounded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Repeat("é\x1b[31m", 1_000_000):       strings.Repeat("é", 19) + "…",
		strings.Repeat(" ", 1_000_000) + "x":         "…",
		"head" + strings.Repeat("\u202e", 500) + "x": "head…",
		strings.Repeat(" ", 1000) + "x":              "x",
	} {
		if got := Clean(text, 20); got != want {
			t.Errorf("%d bytes: got %q, want %q", len(text), got, want)
		}
	}
}

// Fold ends, and loses nothing but blanks, however narrow the lines and wide the characters.
func TestFoldAnyWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab 東🪑\u0308\t")), 0, 40, -1).Draw(t, "text")
		most := rapid.IntRange(-5, 12).Draw(t, "columns")
		lines := Fold(text, most)
		if got, want := strings.Join(strings.Fields(strings.Join(lines, "")), ""), strings.Join(strings.Fields(text), ""); got != want || len(lines) == 0 {
			t.Fatalf("%d columns: got %q, want %q", most, got, want)
		}
		for _, line := range lines {
			if Columns(line) > max(most, 2) {
				t.Fatalf("%q has more than %d columns", line, most)
			}
		}
	})
}

func TestColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "Söhne": 5, "So\u0308hne": 5, "東京": 4, "ﾃｽﾄ": 3, "Ａ": 2,
		"한국": 4, "「」": 4, "🪑": 2, "€…": 2} {
		if got := Columns(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	lines := Fold("東京電灯株式会社 und Söhne", 7)
	if want := []string{"東京電", "灯株式", "会社", "und", "Söhne"}; !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
	if got := Cut("東京電灯", 6); got != "東京…" {
		t.Errorf("got %q", got)
	}
}
