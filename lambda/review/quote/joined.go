package quote

import (
	"strings"

	"matchbook/lambda/internal/lazy"
)

// joined returns the place of a quotation with ellipses: its parts in order, within one clause.
// An ellipsis over the start of another clause joins what the contract separates.
func (f *folded) joined(text string, parts []wanted) (place, bool) {
	limits := clauses(text)
	chains := f.places(parts[0], mostPlaces)
	for _, part := range parts[1:] {
		var next []place
		limit, before := 0, 0
		for _, p := range f.places(part, mostPlaces) {
			for before < len(chains) && chains[before].to <= p.from {
				before++
			}
			if before == 0 {
				continue
			}
			chain := chains[before-1]
			for limit < len(limits) && limits[limit] < f.ends[chain.to-1] {
				limit++
			}
			if limit == len(limits) || limits[limit] > f.starts[p.from] {
				next = append(next, place{chain.from, p.to})
			}
		}
		chains = next
	}
	if len(chains) == 0 {
		return place{}, false
	}
	return chains[0], true
}

const mostPlaces = 1_000

var (
	begins = lazy.Regexp(`[\n\f][ \t]*(?:#{1,6} |§+ ?\d|\d{1,3}(?:(?:\.\d{1,3})+[.)]?|[.)])[ \t]+\p{Lu}|` +
		`\p{Lu}\p{L}+\.? (?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,7})\b[.:]?(?:[ \t]+\p{Lu}|[ \t]*\n))`)
	paragraph = lazy.Regexp(`[.!?][)"'”’»*_]*[ \t]*\n\s*\n[ \t\n]*`)
	continued = lazy.Regexp(`^(?:\p{Ll}|[-*•▪●◦‣–])`)
)

// clauses returns where clauses begin: at a numbered heading on a new line, and at a paragraph
// after a finished sentence. An item after a semicolon belongs to its clause.
func clauses(text string) (starts []int) {
	var paragraphs []int
	for _, m := range paragraph().FindAllStringIndex(text, -1) {
		if rest := text[m[1]:]; rest != "" && !continued().MatchString(rest) {
			paragraphs = append(paragraphs, m[1])
		}
	}
	for _, m := range begins().FindAllStringIndex(text, -1) {
		at := m[0] + len(text[m[0]:m[1]]) - len(strings.TrimLeft(text[m[0]:m[1]], "\n\f \t"))
		for len(paragraphs) > 0 && paragraphs[0] <= at {
			starts, paragraphs = append(starts, paragraphs[0]), paragraphs[1:]
		}
		starts = append(starts, at)
	}
	return append(starts, paragraphs...)
}
