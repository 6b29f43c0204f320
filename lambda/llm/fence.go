package llm

import "strings"

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
