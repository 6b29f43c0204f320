// Package quote finds a quotation in a text. Use it to check a model's quotes: one proves
// something only if it stands in the text.
//
// Find compares words, not typesetting. It ignores these differences, because PDF extraction,
// word processors and models introduce them:
//
//   - white space: all runs are equal, line breaks included
//   - hyphenation: "exclu-\nsive", "exclu- sive" and "exclusive" are equal. Every hyphen between
//     two letters is ignored, because "non-\nexclusive" doesn't show whether it belongs to the word
//   - typographic quotation marks, apostrophes and dashes equal the plain ones, and a run of
//     dashes equals one
//   - accents as one character or two, and ligatures of fonts (fi, fl)
//   - control and invisible characters, bidi marks and soft hyphens; and of a run of < or > all
//     but two, because package analyst removes them from questions
//
// Everything else counts: case, punctuation, digits. A quotation consists of whole words and
// whole numbers, so "exclusive" isn't found in "non-exclusive", nor "USD 5" in "USD 5,000".
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a quotation.
const (
	Shortest = 6     // letters and digits; less proves nothing
	Longest  = 8_000 // bytes
)

// Find returns a quotation's first place in a text, in bytes; the end is exclusive. The place
// never splits a character. Find takes linear time in both lengths, whatever they contain, so
// hostile input is safe.
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

func weight(runes []rune) (n int) {
	for _, r := range runes {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// search returns the first occurrence accepted by whole. It uses the Knuth-Morris-Pratt
// algorithm, so that repetitive text takes no longer than any other.
func search(text, wanted []rune, whole func(from, to int) bool) (at int, ok bool) {
	back := make([]int, len(wanted)) // per prefix: its longest proper prefix that also ends it
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

// extend returns the length of the longest prefix ending with r, after one of length k.
func extend(wanted []rune, back []int, k int, r rune) int {
	for k > 0 && r != wanted[k] {
		k = back[k-1]
	}
	if r == wanted[k] {
		k++
	}
	return k
}

// cuts reports whether the place before character i is inside a word, a number, a ligature, a
// run of < or >, or a character with its accents.
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

// dashed reports whether an ignored dash separates words, as in "the Term—unless renewed".
func dashed(dropped string) bool {
	return strings.ContainsAny(dropped, "–—―") || strings.Contains(dropped, "--")
}

func point(r rune) bool { return r == '.' || r == ',' || r == '\'' }

// spaced reports whether a character belongs to a script with spaces between words.
func spaced(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Han,
		unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}
