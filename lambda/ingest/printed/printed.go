// Package printed reads values as they are printed: amounts and dates in the notations of
// Europe and America, and the place of a quote in a transcription.
//
// An ambiguous notation stays ambiguous: an Amount or a Date has every reading its text
// allows. Use other values on the page to decide between them.
package printed

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func lastRune(s string) rune {
	r, n := utf8.DecodeLastRuneInString(s)
	if n == 0 {
		return 0
	}
	return r
}

func firstRune(s string) rune {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return 0
	}
	return r
}

func letter(r rune) bool        { return unicode.IsLetter(r) }
func digit(r rune) bool         { return r >= '0' && r <= '9' }
func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Letters keeps the letters and digits of a text, in lower case, so that texts compare equal
// whatever their blanks, punctuation and capitals.
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
