// Package category finds the categories of clauses in a text by rules: words and
// headings, without a model. It is what a review without a key has, and a hint
// for people, not a reading: a clause in other words than those of the table is
// missed, and a sentence that only mentions a clause can be taken for it. How
// often each happens is measured; the figures are in review/README.md.
//
// The evidence for a category in a sentence is a sum of weights: the phrases of
// the table that stand in it, and the heading above it. A definition ("Term"
// means ...) and a negation (no license is granted) weigh against it. A heading
// alone, or a line of a table of contents, is no clause. The languages are
// English, German and French.
package category

import (
	"slices"

	"matchbook/lambda/review/record"
)

const (
	// present is the least weight of a clause. One strong phrase has it, and so
	// have a weak one and a heading.
	present = 50
	// ownHeading is the weight of a heading that stands directly above a sentence,
	// chunkHeading that of the headings above its chunk.
	ownHeading, chunkHeading = 25, 15
	// most is the number of marks of a category in a chunk.
	most = 3
	// definition weighs against a sentence that defines a word.
	definition = 40
)

// ByRules returns the categories that a chunk has, in the order of record.All,
// with at most three marks for each, the strongest first. start is the offset of
// the text in the contract, and heading the headings above it. The quote of a
// mark is the sentence that has the evidence, or a part of a long one.
func ByRules(text string, start int, heading string) (marks []record.Mark) {
	clauses := make([][]found, len(table()))
	above := wordsOf(heading)
	var own []word // the heading within the text that the sentence stands below
	for _, s := range sentences(text) {
		if s.isHeading() {
			own = s.words
			continue
		}
		defines := s.defines()
		for i, c := range table() {
			f := c.weigh(s)
			switch {
			case f.weight == 0:
				continue
			case c.heads(own):
				f.weight += ownHeading
			case c.heads(above):
				f.weight += chunkHeading
			}
			if defines && c.name != record.Parties {
				f.weight -= definition
			}
			if f.weight >= present {
				clauses[i] = append(clauses[i], f)
			}
		}
	}
	for i, list := range clauses {
		for _, f := range strongest(list) {
			from, to := f.sentence.around(f.at)
			marks = append(marks, record.Mark{Category: table()[i].name, Score: min(f.weight, 100),
				Quote: text[from:to], Start: start + from, End: start + to})
		}
	}
	return marks
}

// found is the evidence for a category in a sentence.
type found struct {
	weight   int
	sentence sentence
	at       int // the word of the sentence where its strongest phrase begins
}

func strongest(list []found) []found {
	slices.SortStableFunc(list, func(a, b found) int { return b.weight - a.weight })
	return list[:min(len(list), most)]
}
