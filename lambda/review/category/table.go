package category

import (
	"sync"

	"matchbook/lambda/review/record"
)

type class struct {
	name     record.Category
	headings []phrase
	phrases  []phrase // a negative weight is against the category
}

func (c class) weigh(s sentence) found {
	f := found{sentence: s}
	strongest := 0
	for _, p := range c.phrases {
		at := p.find(s.words)
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
		c := class{name: r.name}
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
