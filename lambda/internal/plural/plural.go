// Package plural writes numbers with their nouns, for people.
package plural

import "strconv"

// Of returns a number with its noun: Of(2, "document") is "2 documents". Pass the plural if it
// isn't formed by an s: Of(2, "match", "matches").
func Of(n int, noun string, many ...string) string {
	switch {
	case n == 1:
	case len(many) > 0:
		noun = many[0]
	default:
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
