package analyst

import (
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/llm"
)

// overhead is the number of tokens added by the provider.
const overhead = 20

// Estimate returns an upper estimate of a question's tokens: its text and the longest answer.
// Use it to reserve budget before a call. Tokenizers first split text into words. Each of
// these counts as one token: up to four letters, three digits, a sign, a run of white space, a
// letter beyond ASCII. Prose uses about two thirds of the estimate. Gibberish can take more,
// so its cost is only known from the answer.
func Estimate(q llm.Question) (prompt, completion int) {
	return overhead + tokens(q.Name) + tokens(q.System) + tokens(q.User) + tokens(string(q.Schema)), q.MaxTokens
}

// Likely returns the tokens that a question with some tasks probably takes. Use it to tell a person the cost
// before; Estimate would be several times too much, because answers are far below their limit. Of
// ten contracts with the answers of a good model, a finding is 90 tokens long and a mark 30, one
// of each to three a question; models that explain more take twice as many.
func Likely(q llm.Question, tasks int) (prompt, completion int) {
	most, limit := Estimate(q)
	return most * 2 / 3, min(likelyAnswer*tasks, limit)
}

const likelyAnswer = 130

// class is a kind of character. A token never mixes two.
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

// longest is the largest number of characters in a token, by class.
var longest = map[class]int{space: 16, letter: 4, digit: 3, sign: 1, foreign: 1}

// tokens counts a text's tokens. A space belongs to the word after it.
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
