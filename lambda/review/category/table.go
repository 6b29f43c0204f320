package category

import (
	"slices"
	"sync"

	"matchbook/lambda/review/record"
)

type class struct {
	name     record.Category
	headings []phrase
	phrases  []phrase // a negative weight is against the category
	denials  []phrase // of this category alone; nil with literal
	literal  bool     // its clauses are negations themselves
}

// weigh sums the evidence in a sentence. asserted holds its words without the denied ones.
func (c class) weigh(s, asserted sentence, text string) found {
	f := found{sentence: s}
	words := s.words
	if !c.literal {
		words = asserted.asserted(text, c.denials).words
	}
	strongest := 0
	for _, p := range c.phrases {
		at := p.find(words)
		if at < 0 {
			continue
		}
		f.weight += p.weight
		if p.weight > strongest {
			strongest, f.at = p.weight, at
		}
	}
	return f
}

func (c class) heads(heading []word) bool {
	for _, p := range c.headings {
		if p.find(heading) >= 0 {
			return true
		}
	}
	return false
}

// table returns the categories, in the order of record.All.
var table = sync.OnceValue(func() (list []class) {
	for _, r := range rules {
		c := class{name: r.name, literal: slices.Contains(literal, r.name)}
		for _, d := range ownDenials[r.name] {
			c.denials = append(c.denials, parse(0, d))
		}
		for _, h := range r.headings {
			c.headings = append(c.headings, parse(0, h))
		}
		for _, w := range r.phrases {
			for _, p := range w.patterns {
				c.phrases = append(c.phrases, parse(w.weight, p))
			}
		}
		list = append(list, c)
	}
	return list
})
