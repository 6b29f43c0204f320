package company

import "unicode/utf8"

// Likeness of a one-word name and the words it may be made of.
const (
	likeInitials = 0.8 // each letter begins a word: IBM, BASF
	likeBlend    = 0.8 // beginnings of two or three words: Haribo
	likePerhaps  = 0.6 // so short that it may be a coincidence
)

// maxBlend bounds the characters of a blend, and maxParts the words it is made of.
const (
	maxBlend = 12
	maxParts = 6
)

// blended estimates whether a name is the other's initials, or their first letters in any order.
func blended(a, b Name) float64 {
	return max(shortened(a.words, b.words), shortened(b.words, a.words))
}

// shortened estimates whether the only word of a name is made of the words of another.
func shortened(name, words []word) float64 {
	if short := alone(name); short != "" && len(words) > 1 {
		return blend(short, words)
	}
	return 0
}

// alone returns the only identifying word of a name.
func alone(words []word) string {
	only := ""
	for _, w := range words {
		switch {
		case w.weak && len(words) > 1:
		case only != "" || w.number():
			return ""
		default:
			only = w.text
		}
	}
	return only
}

func blend(short string, words []word) float64 {
	n := utf8.RuneCountInString(short)
	if n < 2 || n > maxBlend || len(words) > maxParts {
		return 0
	}
	letters := initials(words)
	if letters == short {
		if n > 2 {
			return likeInitials
		}
		return likePerhaps
	}
	_, last := utf8.DecodeLastRuneInString(short)
	if n > 2 && letters == short[:len(short)-last] { // of an unprinted word
		return likePerhaps
	}
	switch parts := beginnings(short, words, 0, maxParts); {
	case parts < 2:
		return 0
	case n >= 6 && parts <= 3 && n >= 2*parts:
		return likeBlend
	case n >= 5 && n >= 2*parts:
		return likePerhaps
	}
	return 0
}

func initials(words []word) string {
	letters := make([]rune, len(words))
	for i, w := range words {
		letters[i], _ = utf8.DecodeRuneInString(w.text)
	}
	return string(letters)
}

// beginnings returns the minimum number of words with beginnings that make up s, each used once; 0
// if impossible or above most. used is a set of words.
func beginnings(s string, words []word, used uint, most int) (least int) {
	if most == 0 {
		return 0
	}
	for i, w := range words {
		if used&(1<<i) != 0 {
			continue
		}
		for n := 1; n <= len(s) && n <= len(w.text) && s[n-1] == w.text[n-1]; n++ {
			parts := 1
			if n < len(s) {
				rest := beginnings(s[n:], words, used|1<<i, most-1)
				if rest == 0 {
					continue
				}
				parts += rest
			}
			if least == 0 || parts < least {
				least, most = parts, parts-1
			}
			if most == 0 {
				return least
			}
		}
	}
	return least
}
