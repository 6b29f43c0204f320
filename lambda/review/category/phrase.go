package category

import (
	"fmt"
	"strconv"
	"strings"
)

// phrase is a pattern of words with the weight of its evidence.
type phrase struct {
	weight int
	slots  []slot
}

// slot is one word of a phrase.
type slot struct {
	gap  int // how many other words may stand before it
	alts []alternative
}

// alternative is a word, or a part of one.
type alternative struct {
	text        string
	front, back bool // anything may stand before it, behind it
}

// parse reads a phrase: words, each with its alternatives between bars; a star
// stands for any letters, and ~N for up to N words between two.
func parse(weight int, pattern string) phrase {
	p := phrase{weight: weight}
	gap := 0
	for field := range strings.FieldsSeq(pattern) {
		if n, isGap := strings.CutPrefix(field, "~"); isGap {
			var err error
			if gap, err = strconv.Atoi(n); err != nil {
				panic(fmt.Sprintf("category: phrase %q: %v", pattern, err)) // the table is part of the program
			}
			continue
		}
		s := slot{gap: gap}
		for text := range strings.SplitSeq(field, "|") {
			rest, front := strings.CutPrefix(text, "*")
			rest, back := strings.CutSuffix(rest, "*")
			s.alts = append(s.alts, alternative{rest, front, back})
		}
		p.slots, gap = append(p.slots, s), 0
	}
	return p
}

// find returns the word at which the phrase begins in words, or -1.
func (p phrase) find(words []word) int {
	for i := range words {
		if p.slots[0].matches(words[i].text) && follow(p.slots[1:], words[i+1:]) {
			return i
		}
	}
	return -1
}

// follow reports whether the slots follow, each within its gap.
func follow(slots []slot, words []word) bool {
	if len(slots) == 0 {
		return true
	}
	for i := range min(slots[0].gap+1, len(words)) {
		if slots[0].matches(words[i].text) && follow(slots[1:], words[i+1:]) {
			return true
		}
	}
	return false
}

func (s slot) matches(word string) bool {
	for _, a := range s.alts {
		if a.matches(word) {
			return true
		}
	}
	return false
}

func (a alternative) matches(word string) bool {
	switch {
	case a.front && a.back:
		return strings.Contains(word, a.text)
	case a.front:
		return strings.HasSuffix(word, a.text)
	case a.back:
		return strings.HasPrefix(word, a.text)
	}
	return word == a.text
}
