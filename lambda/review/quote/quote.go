// Package quote finds a quotation in a text. Use it to check a model's quotes: one proves
// something only if it stands in the text.
//
// Find compares words, numbers and their order, not typesetting. It ignores these differences,
// because PDF extraction, word processors and models introduce them:
//
//   - white space: all runs are equal, line breaks included, and none counts next to punctuation:
//     "15(a)(4)" equals "15(a) (4)". In "5, 000" it does, because "5,000" is another number
//   - hyphenation: "exclu-\nsive", "exclu- sive" and "exclusive" are equal. Every hyphen between
//     two letters is ignored, because "non-\nexclusive" doesn't show whether it belongs to the word
//   - a dash between words, spaced or not, equals a space, as do quotation marks, list bullets and
//     the marks of Markdown
//   - the case of the quotation's first letter, and a stop at its end
//   - accents as one character or two, and ligatures of fonts (fi, fl)
//   - control and invisible characters, bidi marks and soft hyphens; and of a run of < or > all
//     but two, because package analyst removes them from questions
//   - the foot and head of a page inside a sentence (see interruptions)
//   - what an ellipsis leaves out of one clause (see joined)
//
// Everything else counts: case, punctuation, digits. A quotation consists of whole words and
// whole numbers, so "exclusive" isn't found in "non-exclusive", nor "USD 5" in "USD 5,000".
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"
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
	whole := wantedOf(quote)
	if whole.weight() < Shortest {
		return 0, 0, false
	}
	readings := []*folded{fold(text, nil)}
	if skipped := interruptions(text); len(skipped) > 0 {
		readings = append(readings, fold(text, skipped))
	}
	for _, in := range readings {
		if places := in.places(whole, 1); len(places) > 0 {
			start, end = in.span(places[0], quote)
			return start, end, true
		}
	}
	parts := partsOf(quote)
	if len(parts) == 0 {
		return 0, 0, false
	}
	for _, in := range readings {
		if p, ok := in.joined(text, parts); ok {
			start, end = in.span(p, quote)
			return start, end, true
		}
	}
	return 0, 0, false
}

// wanted is a folded quotation, or a part between two ellipses.
type wanted struct {
	runes []rune
	other []rune // the same with its first letter in the other case; nil without one
}

func wantedOf(quote string) wanted {
	w := wanted{runes: fold(quote, nil).runes}
	for len(w.runes) > 0 && stops(w.runes[len(w.runes)-1]) {
		w.runes = w.runes[:len(w.runes)-1]
	}
	// The "A" of "A. Licence" numbers a clause, but in "A licence" it begins a sentence.
	if len(w.runes) > 1 && (unicode.IsLetter(w.runes[1]) || w.runes[1] == ' ') {
		if r := swapped(w.runes[0]); r != w.runes[0] {
			w.other = append([]rune{r}, w.runes[1:]...)
		}
	}
	return w
}

func swapped(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

func stops(r rune) bool { return strings.ContainsRune(".,;:", r) }

func (w wanted) weight() (n int) {
	for _, r := range w.runes {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// place is a range of a folded text's characters.
type place struct{ from, to int }

// places returns up to most places of a quotation, in order. Those as written come first if
// only one is wanted.
func (f *folded) places(w wanted, most int) []place {
	found := f.search(w.runes, most)
	if w.other == nil || most == len(found) {
		return found
	}
	return merged(found, f.search(w.other, most))
}

func merged(a, b []place) []place {
	all := make([]place, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].from < b[0].from {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// span returns a place in bytes, with the stop and the quotation marks that the quotation has.
func (f *folded) span(p place, quote string) (start, end int) {
	start, end = f.starts[p.from], f.ends[p.to-1]
	quote = strings.TrimSpace(quote)
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(quote, marks))
	if p.to < len(f.runes) && stops(last) && !strings.HasSuffix(quote, "..") && f.runes[p.to] == last {
		end = f.ends[p.to]
	}
	if first, _ := utf8.DecodeRuneInString(quote); marks(first) {
		if r, size := utf8.DecodeLastRuneInString(f.text[:start]); marks(r) {
			start -= size
		}
	}
	if last, _ := utf8.DecodeLastRuneInString(quote); marks(last) {
		if r, size := utf8.DecodeRuneInString(f.text[end:]); marks(r) {
			end += size
		}
	}
	return start, end
}

// marks reports whether a character is a quotation mark.
func marks(r rune) bool {
	return strings.HasPrefix(plain[r], `"`) || strings.HasPrefix(plain[r], "'") || r == '"' || r == '\''
}

// search returns up to most places. It uses the Knuth-Morris-Pratt algorithm, so that
// repetitive text takes no longer than any other.
func (f *folded) search(runes []rune, most int) (found []place) {
	back := make([]int, len(runes)) // per prefix: its longest proper prefix that also ends it
	for i, k := 1, 0; i < len(runes); i++ {
		k = extend(runes, back, k, runes[i])
		back[i] = k
	}
	k := 0
	for i, r := range f.runes {
		if k = extend(runes, back, k, r); k < len(runes) {
			continue
		}
		if p := (place{i + 1 - k, i + 1}); !f.cuts(p.from) && !f.cuts(p.to) {
			if found = append(found, p); len(found) == most {
				break
			}
		}
		k = back[k-1]
	}
	return found
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
func (f *folded) cuts(i int) bool {
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
	return spaced(before) && spaced(after)
}

func point(r rune) bool { return r == '.' || r == ',' || r == '\'' }

// spaced reports whether a character belongs to a script with spaces between words.
func spaced(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Han,
		unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

var ellipsis = lazy.Regexp(`[\[(]?\s*(?:…|\.{3,}|\.(?:\s\.){2,})\s*[\])]?`)

// partsOf divides a quotation at its ellipses. It returns none without one, or if a part
// proves nothing.
func partsOf(quote string) (parts []wanted) {
	if !ellipsis().MatchString(quote) {
		return nil
	}
	for _, part := range ellipsis().Split(quote, maxParts+1) {
		w := wantedOf(part)
		if len(w.runes) == 0 {
			continue
		}
		if w.weight() < Shortest {
			return nil
		}
		parts = append(parts, w)
	}
	return parts
}

const maxParts = 6
