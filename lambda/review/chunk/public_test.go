package chunk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// TestPublicColumns reads public documents of several columns. testdata/public.txt has phrases of
// their running text in reading order, written from the printed pages; notes and margins must
// come in order, too, but outside the text, and page numbers nowhere.
func TestPublicColumns(t *testing.T) {
	t.Parallel()
	dir := testenv.Shared(t, "eval/columns")
	for _, d := range strings.Split(string(must.Get(os.ReadFile("testdata/public.txt"))(t)), "== ")[1:] {
		name, want, _ := strings.Cut(d, "\n")
		got := squeezed(OfPages(readPDF(t, filepath.Join(dir, name))))
		running, rest, _ := strings.Cut(want, "-- notes\n")
		notes, absent, _ := strings.Cut(rest, "-- absent\n")
		inOrder(t, name, got, running)
		inOrder(t, name, got, notes)
		for _, phrase := range strings.Split(strings.TrimSpace(absent), "\n") {
			if phrase != "" && strings.Contains(got, squeezed(phrase)) {
				t.Errorf("%s: got %q", name, phrase)
			}
		}
	}
}

// inOrder reports the phrases that don't come after the ones before.
func inOrder(t *testing.T, name, text, phrases string) {
	t.Helper()
	from := 0
	for _, phrase := range strings.Split(strings.TrimSpace(phrases), "\n") {
		at := strings.Index(text[from:], squeezed(phrase))
		if at < 0 {
			t.Errorf("%s: %q is missing after %.60q; elsewhere: %t", name, phrase, text[from:], strings.Contains(text, squeezed(phrase)))
			continue
		}
		from += at + len(squeezed(phrase))
	}
}

// squeezed is a text without blanks, hyphens and case, since words may be divided anywhere, and
// small capitals are either.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Dash, r) || r == '\u00ad' {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}
