package reference

import (
	"strings"
	"unicode/utf8"
)

// misread are the letters a digit may be misread as.
const misread = "OILSBZG"

// lookAlike replaces letters by the digits they are mistaken for.
var lookAlike = strings.NewReplacer("O", "0", "I", "1", "L", "1", "S", "5", "B", "8", "Z", "2", "G", "6")

// series are abbreviations that companies put before their numbers and omit when citing them,
// in English, German, French and Italian.
var series = []string{"INV", "PO", "RE", "RG", "LS", "DN", "BL", "AB", "GS", "CN", "WE", "GR", "BE", "BC", "FT",
	"FA", "P"}

// Loose returns a key that is equal for misread numbers: letters and digits that look alike
// become one (O 0, I L 1, S 5, B 8, Z 2, G 6). A leading abbreviation for the kind of
// document, zeros after a year of two digits and a trailing revision mark don't count.
//
//	"45O0010046", "4500010046"           4500010046
//	"22/00304-B", "22/304-8"             223048
//	"44188-R4", "PO 44188"               44188
//	"LS-039932", "39932"                 39932
//
// Two numbers with the same Loose may be the same number. Two with the same Canonical have the
// same Loose. Loose returns "" if fewer than four characters are left, because those are too
// few to mean anything.
func Loose(number string) string { return loose(Canonical(number)) }

func loose(canonical string) string {
	s := withoutSeries(withoutRevision(canonical))
	head := len(strings.TrimRight(s[:leadingLetters(s)], misread))
	tail := lookAlike.Replace(s[head:])
	if head == 0 {
		tail = strings.TrimLeft(tail, "0")
	}
	tail = withoutPadding(tail, isYear, 4)
	if n := leadingDigits(tail); n > 4 && !isYear(tail[:4]) {
		tail = withoutPadding(tail, isShortYear, 2)
	}
	s = lookAlike.Replace(s[:head]) + tail
	if utf8.RuneCountInString(s) < 4 {
		return ""
	}
	return s
}

// isShortYear reports whether two digits are a year of current documents.
func isShortYear(s string) bool { return '1' <= s[0] && s[0] <= '3' }

// withoutSeries drops one or two abbreviations (PO BL 2201) before at least four digits, or
// letters taken for digits.
func withoutSeries(s string) string {
	rest := s
	for range 2 {
		for _, abbreviation := range series {
			if t, ok := strings.CutPrefix(rest, abbreviation); ok && len(t) >= 4 {
				rest = t
				break
			}
		}
	}
	if strings.Trim(rest[:leadingLetters(rest)], misread) == "" {
		return rest
	}
	return s
}

// withoutRevision drops R4, REV4 or V4 at the end if the rest is long enough for a number.
func withoutRevision(s string) string {
	t := strings.TrimRight(s, "0123456789OIL")
	if n := len(s) - len(t); n < 1 || n > 2 {
		return s
	}
	for _, mark := range []string{"REVISION", "VERSION", "REV", "R", "V"} {
		if base, ok := strings.CutSuffix(t, mark); ok && len(base) >= 4 && digits(base) >= 3 {
			return base
		}
	}
	return s
}
