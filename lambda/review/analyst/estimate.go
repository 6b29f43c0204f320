package analyst

import (
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/llm"
)

// overhead are the tokens that a provider adds to a question.
const overhead = 20

// Estimate returns the tokens that a question takes at most: those of its text,
// and the largest answer. Tokenizers divide text into words first. A word of up to
// four letters is one token, and so are three digits, a sign, a run of white space
// and a letter beyond ASCII: prose takes about two thirds of the estimate. Text
// that is no language can take more; what it costs is known when it is answered.
func Estimate(q llm.Question) (prompt, completion int) {
	return overhead + tokens(q.Name) + tokens(q.System) + tokens(q.User) + tokens(string(q.Schema)), q.MaxTokens
}

// class is a kind of characters that tokens do not mix.
type class int

const (
	sign class = iota
	space
	letter
	digit
	foreign
)

func classOf(r rune) class {
	switch {
	case unicode.IsSpace(r):
		return space
	case r >= utf8.RuneSelf:
		return foreign
	case unicode.IsLetter(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	}
	return sign
}

// longest is the number of characters that a token of a class has at most.
var longest = map[class]int{space: 16, letter: 4, digit: 3, sign: 1, foreign: 1}

// tokens counts the tokens of a text. A blank belongs to the word behind it.
func tokens(text string) (n int) {
	last, run := sign, 0
	for _, r := range text {
		c := classOf(r)
		if c != last || run == longest[c] {
			run = 0
		}
		if blank := r == ' ' && run == 0; run == 0 && !blank || c == space && run == 1 {
			n++
		}
		last, run = c, run+1
	}
	return n
}
