package llm

import (
	"strings"
	"unicode"
)

// Unfenced shortens each run of three and more < or > to two. The result contains
// no fence, such as <<<page and page>>>, between which a question has the text of
// a stranger. Nothing else is removed: parts of a fence on both sides of a removed
// one would make a new fence.
func Unfenced(text string) string {
	run, last := 0, rune(-1)
	return strings.Map(func(r rune) rune {
		if r != last {
			run, last = 0, r
		}
		run++
		if (r == '<' || r == '>') && run > 2 {
			return -1
		}
		return r
	}, text)
}

// OneLine is a stranger's text as a question shows it, on one line: without control
// characters, invisible characters, direction marks and fences.
func OneLine(text string) string {
	return Unfenced(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
}

// LeastTokens returns a number of tokens that a text has at least, whatever the
// model: each word is one, of digits three at most are one, and so are signs that
// stand together. Tokenizers divide a text at these borders before they look for
// tokens. Measured with two of OpenAI's, on long texts, pages and data as
// JSON, it is 0.66 to 0.82 of the real number.
func LeastTokens(text string) (tokens int) {
	const space, letter, digit, sign = 0, 1, 2, 3
	last, run := space, 0
	for _, r := range text {
		class := sign
		switch {
		case unicode.IsSpace(r):
			class = space
		case unicode.IsLetter(r), unicode.IsMark(r):
			class = letter
		case unicode.IsNumber(r):
			class = digit
		}
		if class != last {
			last, run = class, 0
		}
		run++
		if class == letter && run == 1 || class == digit && run%3 == 1 ||
			class == sign && run == 2 { // a lone sign may belong to the word behind it
			tokens++
		}
	}
	return tokens
}
