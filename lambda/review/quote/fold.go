package quote

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text without the differences that do not count, and for each of
// its characters the place that it has in the text.
type folded struct {
	runes        []rune
	starts, ends []int
}

// fold removes the differences that do not count.
func fold(text string) *folded {
	f := &folded{runes: make([]rune, 0, len(text)), starts: make([]int, 0, len(text)), ends: make([]int, 0, len(text))}
	var it norm.Iter
	it.InitString(norm.NFC, text)
	for !it.Done() {
		start := it.Pos()
		for segment := it.Next(); len(segment) > 0; {
			r, size := utf8.DecodeRune(segment)
			segment = segment[size:]
			if plain, typographic := plain[r]; typographic {
				for _, r := range plain {
					f.add(r, start, it.Pos())
				}
				continue
			}
			f.add(r, start, it.Pos())
		}
	}
	return f
}

// add appends a character that stands at text[start:end].
func (f *folded) add(r rune, start, end int) {
	switch {
	case unicode.IsSpace(r):
		r = ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return
	case unicode.IsLetter(r):
		f.dropHyphen()
	}
	if f.repeats(r) {
		f.ends[len(f.ends)-1] = end
		return
	}
	f.runes, f.starts, f.ends = append(f.runes, r), append(f.starts, start), append(f.ends, end)
}

// repeats reports whether a character only makes a run longer.
func (f *folded) repeats(r rune) bool {
	last := f.last(1)
	switch r {
	case ' ', '-':
		return last == r
	case '<', '>':
		return last == r && f.last(2) == r
	}
	return false
}

// last is the nth character from the end, 0 where there is none.
func (f *folded) last(n int) rune {
	if n > len(f.runes) {
		return 0
	}
	return f.runes[len(f.runes)-n]
}

// dropHyphen removes a hyphen behind a letter, with the white space behind it;
// a letter follows.
func (f *folded) dropHyphen() {
	n := 1
	if f.last(1) == ' ' {
		n = 2
	}
	if f.last(n) == '-' && unicode.IsLetter(f.last(n+1)) {
		f.cut(len(f.runes) - n)
	}
}

func (f *folded) cut(n int) { f.runes, f.starts, f.ends = f.runes[:n], f.starts[:n], f.ends[:n] }

// trimmed is the text without white space around it.
func (f *folded) trimmed() *folded {
	if f.last(1) == ' ' {
		f.cut(len(f.runes) - 1)
	}
	if len(f.runes) > 0 && f.runes[0] == ' ' {
		f.runes, f.starts, f.ends = f.runes[1:], f.starts[1:], f.ends[1:]
	}
	return f
}

// plain are the typographic characters as they are typed on a keyboard.
var plain = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '‛': "'", '′': "'", '`': "'", '´': "'", 'ʼ': "'",
	'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '″': `"`, '«': `"`, '»': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '―': "-", '−': "-",
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl",
}
