package reference

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// revisionWords are the words for a revision, folded, and their short letters. A single letter
// must be directly followed by the number.
var revisionWords = map[string]string{
	"r": "R", "rev": "R", "revision": "R", "revisione": "R", "revisions": "R",
	"v": "V", "ver": "V", "version": "V", "versione": "V",
}

// separators stand between the parts of a number.
const separators = " \t\r\n-/._,;:#+()[]\u2010\u2011\u2012\u2013\u2014"

// Revision splits a revision mark off a number.
//
//	"44188-R4"         "44188", "R4"
//	"599083 Rev. 02"   "599083", "R2"
//	"A-100 / V3"       "A-100", "V3"
//	"4711 (Version 2)" "4711", "V2"
//
// A mark must be at the end, set off by a separator: a word for a revision with one or two
// digits. The rest must have a digit and three significant characters. Other trailing letters
// and digits belong to the number (RE-2026-4, 22/00374-B), and so do glued ones (44188R4),
// because they may as well be a code. Then revision is "" and base is the number, without
// space around it.
func Revision(number string) (base, revision string) {
	s := strings.TrimSpace(clean(number))
	t := strings.TrimRight(s, separators)
	front := strings.TrimRight(t, "0123456789")
	count := t[len(front):]
	if len(count) < 1 || len(count) > 2 {
		return s, ""
	}
	words := strings.TrimRight(front, " .-_")
	start := strings.LastIndexFunc(words, func(r rune) bool { return !unicode.IsLetter(r) }) + 1
	if start > 0 { // the rune before the word, of any width
		_, size := utf8.DecodeRuneInString(words[start-1:])
		start += size - 1
	}
	word := words[start:]
	short, ok := revisionWords[fold(word)]
	if !ok || len(word) == 1 && len(words) < len(front) {
		return s, ""
	}
	base = strings.TrimRight(words[:start], separators)
	if len(base) == start || digits(base) == 0 || significant(base) < 3 {
		return s, ""
	}
	return base, short + trimZeros(count)
}
