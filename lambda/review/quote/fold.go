package quote

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text without irrelevant differences, and each character's place in the original.
type folded struct {
	runes        []rune
	starts, ends []int
}

// fold removes the irrelevant differences; see the package comment.
func fold(text string) *folded {
	f := &folded{runes: make([]rune, 0, len(text)), starts: make([]int, 0, len(text)), ends: make([]int, 0, len(text))}
	for at := 0; at < len(text); {
		size := 1
		if alone(text[at:]) {
			f.add(rune(text[at]), at, at+1)
		} else {
			size = norm.NFC.NextBoundaryInString(text[at:], true)
			f.addSegment(norm.NFC.String(text[at:at+size]), at, at+size)
		}
		at += size
	}
	return f
}

// alone reports whether a text begins with a character without accents and variants, as most
// do.
func alone(text string) bool {
	return text[0] < utf8.RuneSelf && text[0] != '`' && (len(text) == 1 || text[1] < utf8.RuneSelf)
}

func (f *folded) addSegment(segment string, start, end int) {
	for _, r := range segment {
		typed, typographic := plain[r]
		if !typographic {
			f.add(r, start, end)
		}
		for _, r := range typed {
			f.add(r, start, end)
		}
	}
}

// add appends a character found at text[start:end].
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

// repeats reports whether a character only extends a run.
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

// last is the nth character from the end, or 0.
func (f *folded) last(n int) rune {
	if n > len(f.runes) {
		return 0
	}
	return f.runes[len(f.runes)-n]
}

// dropHyphen removes a hyphen between two letters, with the white space after it.
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

func (f *folded) trimmed() *folded {
	if f.last(1) == ' ' {
		f.cut(len(f.runes) - 1)
	}
	if len(f.runes) > 0 && f.runes[0] == ' ' {
		f.runes, f.starts, f.ends = f.runes[1:], f.starts[1:], f.ends[1:]
	}
	return f
}

// plain maps typographic characters to the keyboard's.
var plain = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '‛': "'", '′': "'", '`': "'", '´': "'", 'ʼ': "'",
	'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '″': `"`, '«': `"`, '»': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '―': "-", '−': "-",
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl",
}
