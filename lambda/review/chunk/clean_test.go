package chunk

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ raw, want string }{
		"ASCII":                {"1. Term\n", "1. Term\n"},
		"UTF-8":                {"§ 3 Kündigung", "§ 3 Kündigung"},
		"byte order mark":      {"\xef\xbb\xbf§ 3", "§ 3"},
		"Windows-1252":         {"\xa7 3 K\xfcndigung \x93so\x94 \x80", "§ 3 Kündigung “so” €"},
		"UTF-16 little endian": {"\xff\xfe\xa7\x00 \x003\x00", "§ 3"},
		"UTF-16 big endian":    {"\xfe\xff\x00\xa7\x00 \x003", "§ 3"},
		"broken UTF-8":         {"Kündigung für \xc3", "Kündigung für \ufffd"},
		"line ends":            {"a\r\nb\rc\u2028d\u0085e\vf", "a\nb\nc\nd\ne\nf"},
		"page break":           {"a\f\tb", "a\f\tb"},
		"soft hyphens":         {"Ver\u00adtrag", "Vertrag"},
		"invisible characters": {"a\u200bb\u2060c\ufeffd\u202ee\u2066f\U000e0041g", "abcdefg"},
		"control characters":   {"a\x00b\x1bc", "abc"},
		"composed characters":  {"Ku\u0308ndigung", "Kündigung"},
	} {
		if got, err := Clean([]byte(c.raw)); got != c.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestCleanRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ raw, want string }{
		"nothing":        {"", "contains no text"},
		"white space":    {" \n\t\u00a0", "contains no text"},
		"invisible text": {"\u200b\u202e\u00ad", "contains no text"},
		"a PDF":          {"%PDF-1.7\n", "unsupported format, a PDF; review it as a file"},
		"a Word file":    {"PK\x03\x04word", "unsupported format, an office document or archive; save it as PDF or DOCX"},
		"an RTF file":    {"{\\rtf1 Law}", "unsupported format, rich text (RTF); save it as PDF or DOCX"},
		"a program":      {"\x7fELF" + strings.Repeat("\x00\x01\x02a", 100), "unsupported format"},
		"too much":       {strings.Repeat("word ", maxBytes/5+1), "too long: at most 5 MB"},
		"far too much":   {strings.Repeat("x", 4*maxBytes+1), "too long: at most 5 MB"},
		"too many words": {strings.Repeat("a ", maxWords+1), "too long: about 800001 words, at most 800000"},
	} {
		got, err := Clean([]byte(c.raw))
		if got != "" || err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %.20q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestOneWordOf5MB(t *testing.T) {
	t.Parallel()
	if text, err := Clean([]byte(strings.Repeat("x", maxBytes))); len(text) != maxBytes || err != nil {
		t.Errorf("got %d bytes, %v", len(text), err)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"1. Term\r\n", "\xff\xfea\x00", "Ku\u0308\u200b\u0301", "\xa7 3 \xfc", "a\x00b\x1b[1m"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, err := Clean(raw)
		if err != nil {
			return
		}
		hidden := func(r rune) bool {
			return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !strings.ContainsRune("\n\t\f", r)
		}
		if !utf8.ValidString(text) || strings.ContainsFunc(text, hidden) {
			t.Fatalf("got %q", text)
		}
		if again, err := Clean([]byte(text)); again != text || err != nil {
			t.Fatalf("a clean text changes: %q to %q, %v", text, again, err)
		}
	})
}
