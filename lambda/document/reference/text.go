package reference

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// clean returns text in compatibility form, so that full-width digits become digits and
// non-breaking spaces become spaces. It drops invisible characters: soft hyphens, zero-width
// characters, direction marks.
func clean(text string) string {
	if isASCII(text) {
		return text
	}
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// folded maps letters with several spellings: umlauts are spelled out, accents dropped.
var folded = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'œ': "oe", 'æ': "ae", 'ç': "c", 'ñ': "n",
	'à': "a", 'á': "a", 'â': "a", 'è': "e", 'é': "e", 'ê': "e", 'ë': "e", 'ì': "i", 'í': "i", 'î': "i", 'ï': "i",
	'ò': "o", 'ó': "o", 'ô': "o", 'ù': "u", 'ú': "u", 'û': "u",
}

// longestWord bounds the words to look up, in bytes.
const longestWord = 40

func fold(word string) string {
	var buffer [longestWord]byte
	key, _ := foldedAt(buffer[:0], word, 0)
	return string(key)
}

// foldedAt returns the letters at i, in lower case and in ASCII where possible, and their end.
// A word too long to look up is empty.
func foldedAt(key []byte, s string, i int) (word []byte, end int) {
	for end = i; end < len(s); {
		if c := s[end]; c < utf8.RuneSelf {
			if c |= 0x20; c < 'a' || c > 'z' {
				break
			}
			if len(key) < longestWord {
				key = append(key, c)
			}
			end++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(r) {
			break
		}
		if len(key) < longestWord-utf8.UTFMax {
			r = unicode.ToLower(r)
			if plain, ok := folded[r]; ok {
				key = append(key, plain...)
			} else {
				key = utf8.AppendRune(key, r)
			}
		}
		end += size
	}
	if end-i > longestWord {
		return key[:0], end
	}
	return key, end
}

// runeAt returns the rune at i and its width; the width is 0 at the end.
func runeAt(s string, i int) (rune, int) {
	switch {
	case i >= len(s):
		return 0, 0
	case s[i] < utf8.RuneSelf:
		return rune(s[i]), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r)
}

func isAlnum(r rune) bool {
	return '0' <= r && r <= '9' || isLetter(r) || r >= utf8.RuneSelf && unicode.IsDigit(r)
}

func isSpace(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r >= utf8.RuneSelf && unicode.IsSpace(r)
}

// lettersAt returns the end of the letters at i.
func lettersAt(s string, i int) int {
	for {
		r, size := runeAt(s, i)
		if size == 0 || !isLetter(r) {
			return i
		}
		i += size
	}
}

// significant is the number of letters and digits.
func significant(s string) (n int) {
	for _, r := range s {
		if isAlnum(r) {
			n++
		}
	}
	return n
}

// wordGoesOn reports whether a letter or a digit follows at once.
func wordGoesOn(s string, i int) bool {
	r, _ := runeAt(s, i)
	return isAlnum(r)
}

func alnumAt(s string, i int) int {
	for {
		r, size := runeAt(s, i)
		if size == 0 || !isAlnum(r) {
			return i
		}
		i += size
	}
}
