// Package quote finds a quotation in a text. A model quotes what it read, and a
// quotation proves something only if it stands in the text.
//
// Find compares words, not typesetting. These differences do not count, because
// extraction from PDFs, word processors and models make them by themselves:
//
//   - white space: a run of it is equal to any other run, line breaks included
//   - hyphenation: "exclu-\nsive", "exclu- sive" and "exclusive" are equal. A
//     hyphen between two letters does not count at all, because "non-\nexclusive"
//     does not show whether the hyphen belongs to the word
//   - typographic quotation marks, apostrophes and dashes are equal to the plain
//     ones, and a run of dashes to one
//   - accents as one character or two, and the ligatures of fonts (fi, fl)
//   - control and invisible characters, direction marks and soft hyphens are
//     left out, and of a run of three and more < or > only two count: a question
//     does not contain them, see package analyst
//
// Everything else counts: case, punctuation, digits. A quotation is whole words
// and whole numbers, so that "exclusive" does not stand in "non-exclusive", nor
// "USD 5" in "USD 5,000".
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a quotation.
const (
	Shortest = 6     // letters and digits: less proves nothing
	Longest  = 8_000 // bytes
)

// Find returns the first place of a quotation in a text, in bytes of the text,
// the end excluded. The place begins and ends between characters. Find takes
// time in proportion to both lengths, whatever they contain.
func Find(text, quote string) (start, end int, ok bool) {
	if len(quote) > Longest || !utf8.ValidString(quote) {
		return 0, 0, false
	}
	wanted := fold(quote).trimmed()
	if weight(wanted.runes) < Shortest {
		return 0, 0, false
	}
	in := fold(text)
	whole := func(from, to int) bool { return !in.cuts(text, from) && !in.cuts(text, to) }
	at, ok := search(in.runes, wanted.runes, whole)
	if !ok {
		return 0, 0, false
	}
	return in.starts[at], in.ends[at+len(wanted.runes)-1], true
}

// weight is the number of letters and digits.
func weight(runes []rune) (n int) {
	for _, r := range runes {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// search returns the first occurrence that is whole. It is the algorithm of
// Knuth, Morris and Pratt: a text of one letter, repeated, takes no longer than
// any other.
func search(text, wanted []rune, whole func(from, to int) bool) (at int, ok bool) {
	back := make([]int, len(wanted)) // of a prefix: the longest shorter one that ends it as well
	for i, k := 1, 0; i < len(wanted); i++ {
		k = extend(wanted, back, k, wanted[i])
		back[i] = k
	}
	k := 0
	for i, r := range text {
		if k = extend(wanted, back, k, r); k < len(wanted) {
			continue
		}
		if whole(i+1-k, i+1) {
			return i + 1 - k, true
		}
		k = back[k-1]
	}
	return 0, false
}

// extend returns the length of the longest prefix that ends with r, after one of
// length k.
func extend(wanted []rune, back []int, k int, r rune) int {
	for k > 0 && r != wanted[k] {
		k = back[k-1]
	}
	if r == wanted[k] {
		k++
	}
	return k
}

// cuts reports whether the place before the ith character is inside a word, a
// number, a ligature, a run of < or > or a character with its accents.
func (f *folded) cuts(text string, i int) bool {
	switch {
	case i == 0 || i == len(f.runes):
		return false
	case f.ends[i-1] > f.starts[i], f.runes[i-1] == f.runes[i] && strings.ContainsRune("<>", f.runes[i]):
		return true
	}
	before, after := f.runes[i-1], f.runes[i]
	digit := func(i int) bool { return i >= 0 && i < len(f.runes) && unicode.IsDigit(f.runes[i]) }
	switch {
	case point(before):
		return digit(i) && digit(i-2)
	case point(after):
		return digit(i-1) && digit(i+1)
	}
	return spaced(before) && spaced(after) && !dashed(text[f.ends[i-1]:f.starts[i]])
}

// dashed reports whether a dash that does not count divides two words, as "the
// Term—unless renewed". A hyphen divides none.
func dashed(dropped string) bool {
	return strings.ContainsAny(dropped, "–—―") || strings.Contains(dropped, "--")
}

func point(r rune) bool { return r == '.' || r == ',' || r == '\'' }

// spaced reports whether a character belongs to the words of a script that
// divides them by spaces.
func spaced(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Han,
		unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}
