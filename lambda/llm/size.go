package llm

import "unicode"

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
