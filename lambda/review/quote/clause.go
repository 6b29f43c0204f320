package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"

	"golang.org/x/text/unicode/norm"
)

// mostAround bounds the rest of a sentence on each side of a quote, in bytes.
const mostAround = 600

// Clause returns the clause of the quote at text[start:end], in a form to compare with clauses of
// other texts: the whole sentence, because a quote may be a few words and differ between two
// readings, without what differs between two prints of it (white space, line ends, hyphens,
// quotation marks, capitals, the clause's number). It keeps everything that matters, like
// numbers, currencies and commas.
func Clause(text string, start, end int) string {
	from, to := start, end
	for from > 0 && start-from < mostAround && !endsBefore(text, from) {
		from--
	}
	for to < len(text) && to-end < mostAround && !endsBefore(text, to) {
		to++
	}
	for from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	sentence := text[from:to]
	if line := strings.TrimRight(text[max(0, from-8):from], " \t"); line == "" || strings.HasSuffix(line, "\n") {
		if n := numbered().FindStringSubmatchIndex(sentence); n != nil {
			sentence = sentence[n[2]:]
		}
	}
	return plainly(sentence)
}

// numbered matches the number of a clause at the start of a line, and the first letter after it.
// The number must have a dot, a parenthesis or a paragraph sign, and the letter must be a
// capital, because "30 Tage" and "1.5 percent" begin sentences, too.
var numbered = lazy.Regexp(`^\s*(?:§\s*\d+|\(\d+\)|\d+[.)]|\d+(?:\.\d+)+[.)]?)\s+(\p{Lu})`)

// endsBefore reports whether a sentence ends before text[at:]: after a mark and white space, or
// at an empty line.
func endsBefore(text string, at int) bool {
	before := strings.TrimRight(text[max(0, at-8):at], " \t\r\n")
	blank := text[max(0, at-8)+len(before) : at]
	switch {
	case strings.Count(blank, "\n") > 1:
		return true
	case blank == "" || before == "":
		return false
	}
	last := len(before) - 1
	if before[last] == '.' && last > 0 && before[last-1] >= '0' && before[last-1] <= '9' {
		return false // a clause's number, or the day in a date
	}
	return strings.IndexByte(".!?;:", before[last]) >= 0
}

// plainly drops what two prints of a text differ in.
func plainly(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if typed, ok := plain[r]; ok && typed != "" {
			r = rune(typed[0])
		}
		if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune("-'\"*_#`", r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text)))
}
