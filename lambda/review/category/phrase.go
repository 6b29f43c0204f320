package category

import (
	"fmt"
	"strconv"
	"strings"
)

// phrase is a pattern of words, with its weight as evidence.
type phrase struct {
	weight int
	slots  []slot
}

type slot struct {
	gap  int // limit of other words before it
	alts []alternative
}

type alternative struct {
	text        string
	front, back bool // allow any letters before it, after it
}

// parse reads a phrase: words, with alternatives separated by bars. A star stands for any
// letters, ~N for up to N words in between.
func parse(weight int, pattern string) phrase {
	p := phrase{weight: weight}
	gap := 0
	for field := range strings.FieldsSeq(pattern) {
		if n, isGap := strings.CutPrefix(field, "~"); isGap {
			var err error
			if gap, err = strconv.Atoi(n); err != nil {
				panic(fmt.Sprintf("category: phrase %q: %v", pattern, err)) // the table is built in
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

func (p phrase) find(words []word) int {
	from, _ := p.match(words)
	return from
}

// match returns the indexes of the phrase's first word and after its last one, or -1.
func (p phrase) match(words []word) (from, to int) {
	for i := range words {
		if !p.slots[0].matches(words[i].text) {
			continue
		}
		if n := follow(p.slots[1:], words[i+1:]); n >= 0 {
			return i, i + 1 + n
		}
	}
	return -1, -1
}

// follow returns how many words the slots take, or -1.
func follow(slots []slot, words []word) int {
	if len(slots) == 0 {
		return 0
	}
	for i := range min(slots[0].gap+1, len(words)) {
		if !slots[0].matches(words[i].text) {
			continue
		}
		if n := follow(slots[1:], words[i+1:]); n >= 0 {
			return i + 1 + n
		}
	}
	return -1
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
