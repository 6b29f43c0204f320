package term

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds for Clean, in characters. Use MaxText only for sentences.
const (
	MaxValue = 200 // a value
	MaxText  = 600 // a sentence with values
)

// readPerPrinted bounds the bytes read per printed character, because Clean removes most of a
// hostile text.
const readPerPrinted = 64

// escapes matches terminal sequences: CSI, strings ended by BEL or ST, and short ones, each
// also in its one-character form.
var escapes = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?" +
	"|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?" +
	"|\x1b[ -/]*[0-~]?")

// openers are the characters that begin a match of escapes.
const openers = "\x1b\u009b\u009d\u0090\u0098\u009e\u009f"

// Clean makes text from a document safe to print in one line: it removes escape sequences,
// control characters and bidirectional marks, and cuts the text to most characters. Its cost
// is bounded, so you can use it on text of any length.
func Clean(s string, most int) string {
	end := min(readPerPrinted*most, len(s))
	cut := end < len(s)
	for cut && end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	s = strings.ToValidUTF8(s[:end], "\ufffd")
	clean, blank := make([]rune, 0, min(most, len(s))+2), false
	for s != "" && len(clean) <= most {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case strings.ContainsRune(openers, r):
			size = escapes.FindStringIndex(s)[1]
		case unicode.IsSpace(r):
			blank = len(clean) > 0
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		default:
			if blank {
				clean, blank = append(clean, ' '), false
			}
			clean = append(clean, r)
		}
		s = s[size:]
	}
	if cut || len(clean) > most {
		return strings.TrimSpace(string(clean[:min(len(clean), most-1)])) + "…"
	}
	return string(clean)
}

// Columns returns the width of a clean text on a terminal.
func Columns(s string) (n int) {
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

// wide are the characters two columns wide, except for half-width forms; see columnsOf.
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

// Cut cuts a text to a number of columns.
func Cut(s string, most int) string {
	if Columns(s) <= most {
		return s
	}
	return firstColumns(s, most-1) + "…"
}

// Pad appends spaces up to a number of columns.
func Pad(s string, to int) string { return s + strings.Repeat(" ", max(0, to-Columns(s))) }

// Fold breaks a text into lines of at most this many columns, between words where possible.
// A wide character may exceed a narrow bound. It returns at least one line.
func Fold(s string, most int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && Columns(line)+1+Columns(word) > most {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		for line += word; ; { // it never measures all of a long word
			head := firstColumns(line, most)
			if head == "" {
				head = line[:width(line)]
			}
			if head == line {
				break
			}
			lines, line = append(lines, head), line[len(head):]
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// width is the length of the first character of a line in bytes, with its marks.
func width(line string) int {
	for i, r := range line {
		if i > 0 && columnsOf(r) > 0 {
			return i
		}
	}
	return len(line)
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

// Label names a document by type and number, or by type and id if the number is missing. Without a
// type it is a document.
func Label(t interface{ Words() string }, number string, id fmt.Stringer) string {
	return cmp.Or(t.Words(), "document") + " " + cmp.Or(Clean(number, MaxValue), id.String())
}
