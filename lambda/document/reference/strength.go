package reference

import (
	"strings"
	"unicode/utf8"
)

// Strength grades a number as evidence if two documents share it, from 0 to 1. It counts the
// characters that cannot be guessed from earlier ones: from the fourth on, repeated or counted
// digits (1111, 1234) weigh a third, and so do trailing zeros; letters weigh half. A year
// counts as two digits.
//
//	"12" 0.1, "2026" 0.1, "1000" 0.1, "4711" 0.5, "4500000101" 1, "RE-2026-0042" 1
func Strength(number string) float64 { return strength(Canonical(number)) }

func strength(canonical string) float64 {
	s := canonical
	if isYear(s) {
		s = s[2:]
	}
	weight := 0.0
	round := len(strings.TrimRight(s, "0"))
	if round >= len(s)-1 {
		round = len(s) // every tenth number ends in a zero
	}
	for i := range len(s) {
		switch {
		case s[i] >= utf8.RuneSelf && !utf8.RuneStart(s[i]):
		case !isDigit(s[i]):
			weight += 0.5
		case i >= round || goesOn(s, i):
			weight += 1.0 / 3
		default:
			weight++
		}
	}
	return grade(weight)
}

// grade interpolates: one character is almost nothing, seven identify.
func grade(weight float64) float64 {
	grades := []float64{0, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1}
	n := int(weight)
	if n >= len(grades)-1 {
		return 1
	}
	return grades[n] + (weight-float64(n))*(grades[n+1]-grades[n])
}

// goesOn reports whether the digits up to i repeat or count on.
func goesOn(s string, i int) bool {
	if i < 3 || digits(s[i-3:i]) < 3 {
		return false
	}
	step := s[i] - s[i-1]
	return (step == 0 || step == 1 || step == 255) && step == s[i-1]-s[i-2] && step == s[i-2]-s[i-3]
}
