// Package company normalises the identity of a company on business documents, so that it can
// be compared: its VAT id, its IBAN, its name.
//
// Compare ids for equality, in the form returned by [VATID] and [IBAN]. Valid check digits are
// a sign that a machine read the id correctly. Compare names by [Similarity], since the names
// of one company vary between documents: another legal form or none, another word order,
// umlauts spelled out or dropped, abbreviations, words joined or split, one misread character
// per word, a branch, a second name, initials. [Sisters] share the beginning of their names.
// Use [Name.Keys] to find a name in an index.
//
// All functions are pure, never panic, and read only the beginning of a long text.
package company

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxName  = 200 // characters to read of a name
	maxID    = 64  // characters of an id
	maxWords = 20  // of a name
)

// cut returns the first n characters of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// plain returns an id in upper case without separators, each character in its plain form:
// full-width digits become digits, a letter and its mark one letter. An id that is too long is
// cut, and whole is false.
func plain(s string) (id string, whole bool) {
	s = strings.TrimSpace(s)
	short := cut(s, maxID)
	id = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, norm.NFKC.String(short))
	return cut(norm.NFC.String(id), maxID), len(short) == len(s)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' }

// number returns the value of at most 18 decimal digits, since more would overflow.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

// mod97 returns the remainder of a number with letters as two digits, A for 10, Z for 35 (ISO
// 7064 mod 97-10).
func mod97(s string) int {
	r := 0
	for i := range len(s) {
		if c := s[i]; isDigit(c) {
			r = (r*10 + int(c-'0')) % 97
		} else {
			r = (r*100 + int(c-'A') + 10) % 97
		}
	}
	return r
}

// fits reports whether s has the form of a pattern: # is a digit, @ a letter A to Z, * either;
// any other character is itself.
func fits(s, pattern string) bool {
	if len(s) != len(pattern) {
		return false
	}
	for i := range len(s) {
		ok := s[i] == pattern[i]
		switch pattern[i] {
		case '#':
			ok = isDigit(s[i])
		case '@':
			ok = isLetter(s[i])
		case '*':
			ok = isDigit(s[i]) || isLetter(s[i])
		}
		if !ok {
			return false
		}
	}
	return true
}
