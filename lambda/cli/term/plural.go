package term

import "strconv"

// Plural returns a number with its noun: Plural(1, "match", "matches") is "1 match".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
