package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text without irrelevant differences, and each character's place in the original.
type folded struct {
	text         string
	runes        []rune
	starts, ends []int
}

// char is a character and its place in the original.
type char struct {
	r          rune
	start, end int
}

// strong is a dash that never hyphenates: a long one, or a run.
const strong = '—'

// fold removes the irrelevant differences, and the skipped parts; see the package comment.
func fold(text string, skipped []span) *folded {
	chars := undashed(collapsed(unmarked(read(text, skipped))))
	f := &folded{text: text, runes: make([]rune, 0, len(chars)), starts: make([]int, 0, len(chars)), ends: make([]int, 0, len(chars))}
	for i, c := range chars {
		if c.r == ' ' && f.superfluous(chars[i+1:]) {
			continue
		}
		f.runes, f.starts, f.ends = append(f.runes, c.r), append(f.starts, c.start), append(f.ends, c.end)
	}
	return f
}

// read returns the characters of a text: composed and without typography, variants of blanks
// and whatever is invisible.
func read(text string, skipped []span) []char {
	chars := make([]char, 0, len(text))
	add := func(segment string, start, end int) {
		for _, r := range segment {
			switch {
			case r == '\n', r == '\f', r == '\r':
				chars = append(chars, char{'\n', start, end})
			case unicode.IsSpace(r):
				chars = append(chars, char{' ', start, end})
			case !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r):
				chars = append(chars, char{r, start, end})
			}
		}
	}
	for at := 0; at < len(text); {
		if len(skipped) > 0 && at >= skipped[0].start {
			add("\n", at, at)
			at, skipped = max(at, skipped[0].end), skipped[1:]
			continue
		}
		size := 1
		if alone(text[at:]) {
			add(text[at:at+1], at, at+1)
		} else {
			size = norm.NFC.NextBoundaryInString(text[at:], true)
			for _, r := range norm.NFC.String(text[at : at+size]) {
				if typed, ok := plain[r]; ok {
					add(typed, at, at+size)
				} else {
					add(string(r), at, at+size)
				}
			}
		}
		at += size
	}
	return chars
}

// alone reports whether a text begins with a character without accents and variants, as most
// do.
func alone(text string) bool {
	return text[0] < utf8.RuneSelf && text[0] != '`' && (len(text) == 1 || text[1] < utf8.RuneSelf)
}

// unmarked turns quotation marks, bullets and the marks of Markdown into spaces.
func unmarked(chars []char) []char {
	begins := true // a line
	for i, c := range chars {
		switch {
		case c.r == '\n':
			begins = true
			continue
		case c.r == ' ':
			continue
		case strings.ContainsRune(`"*_|\•▪●◦‣`, c.r), begins && (c.r == '#' || c.r == '>'),
			c.r == '\'' && (!word(chars, i-1) || !word(chars, i+1)):
			chars[i].r = ' '
			continue
		}
		begins = false
	}
	return chars
}

// word reports whether a letter or digit stands at i.
func word(chars []char, i int) bool {
	return i >= 0 && i < len(chars) && (unicode.IsLetter(chars[i].r) || unicode.IsDigit(chars[i].r) || unicode.IsMark(chars[i].r))
}

// collapsed shortens runs of blanks and of dashes to one, and runs of < or > to two.
func collapsed(chars []char) []char {
	kept := chars[:0]
	for _, c := range chars {
		if c.r == '\n' {
			c.r = ' '
		}
		n := len(kept)
		switch last := n - 1; {
		case n > 0 && c.r == ' ' && kept[last].r == ' ':
			kept[last].end = c.end
			continue
		case n > 0 && c.r == '-' && (kept[last].r == '-' || kept[last].r == strong):
			kept[last] = char{strong, kept[last].start, c.end}
			continue
		case n > 1 && (c.r == '<' || c.r == '>') && kept[last].r == c.r && kept[last-1].r == c.r:
			kept[last].end = c.end
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

// undashed removes hyphens inside words, and turns dashes between words into spaces.
func undashed(chars []char) []char {
	kept := chars[:0]
	for i := 0; i < len(chars); i++ {
		c := chars[i]
		if c.r != '-' && c.r != strong {
			kept = append(kept, c)
			continue
		}
		before, after := i > 0 && chars[i-1].r == ' ', i+1 < len(chars) && chars[i+1].r == ' '
		left, right := rune(0), rune(0)
		if n := len(kept) - 1; before && n > 0 {
			left = kept[n-1].r
		} else if n >= 0 {
			left = kept[n].r
		}
		if next := i + 1; after && next+1 < len(chars) {
			right = chars[next+1].r
		} else if next < len(chars) {
			right = chars[next].r
		}
		switch words := unicode.IsLetter(left) || unicode.IsLetter(right); {
		case c.r == '-' && !before && unicode.IsLetter(left) && unicode.IsLetter(right):
			if after {
				i++
			}
			continue
		case words && (c.r == strong || before && (after || !unicode.IsDigit(right))):
			c.r = ' '
		default:
			c.r = '-'
		}
		kept = append(kept, c)
	}
	return kept
}

// superfluous reports whether a space before the next characters adds nothing: next to another
// one or to punctuation. Between a digit and a group of digits it separates two numbers.
func (f *folded) superfluous(next []char) bool {
	for len(next) > 0 && next[0].r == ' ' {
		next = next[1:]
	}
	last := f.last(1)
	if last == 0 || last == ' ' || len(next) == 0 {
		return true
	}
	if unicode.IsDigit(next[0].r) && point(last) && unicode.IsDigit(f.last(2)) ||
		unicode.IsDigit(last) && point(next[0].r) && len(next) > 1 && unicode.IsDigit(next[1].r) {
		return false
	}
	return punctuation(last) || punctuation(next[0].r)
}

// last is the nth character from the end, or 0.
func (f *folded) last(n int) rune {
	if n > len(f.runes) {
		return 0
	}
	return f.runes[len(f.runes)-n]
}

func punctuation(r rune) bool { return unicode.IsPunct(r) || unicode.Is(unicode.Sc, r) }

// plain maps typographic characters to the keyboard's.
var plain = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '‛': "'", '′': "'", '`': "'", '´': "'", 'ʼ': "'", '‹': "'", '›': "'",
	'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '″': `"`, '«': `"`, '»': `"`, '「': `"`, '」': `"`, '『': `"`, '』': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "--", '―': "--", '−': "-",
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl",
}
