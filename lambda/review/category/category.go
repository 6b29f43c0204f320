// Package category finds categories of clauses by rules: words and headings, without a model.
// Use it when no model is configured, and treat its marks as hints, because it misses clauses
// in unusual words and mistakes a mention for a clause. See review/README.md for how often.
//
// The evidence for a category in a sentence is a sum of weights, from the table's phrases in
// it and from the heading above it. Words that the sentence denies (shall not be required to
// indemnify), a definition ("Term" means ...), and a carve-out that law requires anyway (nothing
// limits liability for death) are no evidence. A heading alone, or a line of a table of
// contents, never counts. The languages are English, German and French.
package category

import (
	"slices"

	"matchbook/lambda/review/record"
)

const (
	// present is the least weight of a clause: one strong phrase, or a weak one and a heading.
	present = 50
	// ownHeading is the weight of a heading directly above a sentence, chunkHeading the weight
	// of the headings above its chunk.
	ownHeading, chunkHeading = 25, 15
	// most is the limit of marks of a category in a chunk.
	most = 3
	// definition weighs against a sentence defining a word.
	definition = 40
)

// ByRules returns the categories of a chunk in the order of record.All, with at most three
// marks each, strongest first. start is the text's offset in the contract; heading holds the
// headings above it. A mark quotes the sentence with the evidence, or part of a long one.
func ByRules(text string, start int, heading string) (marks []record.Mark) {
	clauses := make([][]found, len(table()))
	above := wordsOf(heading)
	var own []word // the heading above the sentence, within the text
	all := sentences(text)
	for n, s := range all {
		if s.isHeading() {
			own = s.words
			continue
		}
		defines, quoted := s.defines(text)
		asserted := s.asserted(text, denials)
		for i, c := range table() {
			f := c.weigh(s, asserted, text)
			switch {
			case f.weight == 0 || quoted && c.name != record.Parties:
				continue
			case c.name == record.UncappedLiability && byLaw(text, all[n:]):
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

type found struct {
	weight   int
	sentence sentence
	at       int // index of the word where the strongest phrase begins
}

func strongest(list []found) []found {
	slices.SortStableFunc(list, func(a, b found) int { return b.weight - a.weight })
	return list[:min(len(list), most)]
}
