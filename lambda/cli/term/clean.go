package term

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a text that comes from a document is printed, in characters.
const (
	MaxValue = 200 // of a value
	MaxText  = 600 // of a sentence that holds values
)

// readPerPrinted bounds the bytes that are read for each character that is
// printed; the rest are spaces and what Clean removes.
const readPerPrinted = 64

// escapes are the sequences that a terminal obeys: CSI, strings that are ended
// by BEL or ST, and the short ones; each also in its form of one character.
var escapes = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?" +
	"|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?" +
	"|\x1b[ -/]*[0-~]?")

// Clean makes a text that comes from a document fit to be printed in a line:
// without escape sequences, control characters and those that turn the
// direction of writing, and cut. Its cost is bounded however long the text is:
// a megabyte of notes is printed as 200 characters.
func Clean(s string, most int) string {
	end := readPerPrinted * most
	cut := len(s) > end
	if cut {
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, escapes.ReplaceAllString(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if cut || utf8.RuneCountInString(s) > most {
		runes := []rune(s)
		s = strings.TrimSpace(string(runes[:min(len(runes), most-1)])) + "…"
	}
	return s
}

// Columns returns the number of columns that a clean text takes on a terminal.
func Columns(s string) (n int) {
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

// wide are the characters that take two columns, but for the half width forms
// of their scripts.
var wide = []*unicode.RangeTable{unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
	unicode.Yi, {
		R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x303e, Stride: 1}, {Lo: 0xff01, Hi: 0xff60, Stride: 1},
			{Lo: 0xffe0, Hi: 0xffe6, Stride: 1}},
		R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}}, // emoji
	}}

func columnsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && (r < 0xff61 || r > 0xffdc) && unicode.In(r, wide...):
		return 2
	}
	return 1
}

// Cut cuts a text to so many columns.
func Cut(s string, most int) string {
	if Columns(s) <= most {
		return s
	}
	return firstColumns(s, most-1) + "…"
}

// Pad fills a text up with spaces to so many columns.
func Pad(s string, to int) string { return s + strings.Repeat(" ", max(0, to-Columns(s))) }

// Fold breaks a text into lines of at most so many columns, between words
// where it can.
func Fold(s string, most int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && Columns(line)+1+Columns(word) > most {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		for line += word; Columns(line) > most; {
			head := firstColumns(line, most)
			lines, line = append(lines, head), line[len(head):]
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

func firstColumns(s string, most int) string {
	n := 0
	for i, r := range s {
		if n += columnsOf(r); n > most {
			return s[:i]
		}
	}
	return s
}

// Label names a document: its type and number, or its id where it has none.
func Label(t interface{ Words() string }, number string, id fmt.Stringer) string {
	return t.Words() + " " + cmp.Or(Clean(number, MaxValue), id.String())
}
