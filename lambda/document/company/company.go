// Package company brings the identity of a company on business documents into
// comparable form: its VAT id, its IBAN, its name.
//
// Ids are compared for equality, in the form that [VATID] and [IBAN] return;
// right check digits are a sign that a machine read an id correctly. Names are
// compared by [Similarity], which tolerates the variants of a name on two
// documents: another legal form or none, another word order, umlauts spelled
// out or dropped, abbreviations, words joined or split, one misread character
// per word, a branch or another name of the company beside its own, initials.
// [Sisters] have the beginning of their names in common. [Name.Keys] are words under
// which names find each other in an index.
//
// All functions are pure, never panic, and read only the beginning of a long
// text.
package company

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxName  = 200 // characters of a name that are read
	maxID    = 64  // characters of an id
	maxWords = 20  // of a name
)

// cut is the first n characters of s.
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

// plain is an id in upper case without separators, each character in its
// plain form: full width digits are digits, a letter and its mark are one. An
// id that is too long is cut, and not whole.
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

// number is the value of decimal digits, at most 18 of them.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

// mod97 is the remainder of a number in which letters stand for two digits,
// A for 10, Z for 35 (ISO 7064 mod 97-10).
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

// fits reports whether s has the form of a pattern: # is a digit, @ a letter
// A to Z, * either; any other character is itself.
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
