package report

import (
	"fmt"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/review/record"
)

// asked lists the first questions of a reader, each with the category of clauses that answers it where
// the card doesn't. The first ones are in the order of factsOf.
var asked = []struct {
	name  string
	about record.Category
}{{"Parties", record.Parties}, {"Term and renewal", record.Renewal}, {"Notice", record.Termination}, {"Fees", ""},
	{"Money at risk", record.UncappedLiability}, {"Limit of liability", record.LiabilityCap}}

// Limits of the lines on top.
const (
	mostChanges = 3
	mostBrief   = 160 // characters of a quote
	likely      = 25  // percent below the best mark
)

// briefOf returns at most ten lines to read first: what the card knows or the contract says about each
// question, in its own words and with the place, and what to change, heaviest first. The state and
// the certificate stand above them.
func briefOf(r Review, items []item) (lines []string) {
	best, longest := map[record.Category]int{}, map[record.Category]record.Mark{}
	for _, m := range r.Marks {
		best[m.Category] = max(best[m.Category], m.Score)
	}
	for _, m := range r.Marks { // of the likely ones, a clause says more than its heading
		if m.Score+likely >= best[m.Category] && len(m.Quote) > len(longest[m.Category].Quote) {
			longest[m.Category] = m
		}
	}
	var at []int
	for _, q := range asked {
		at = append(at, longest[q.about].Start)
	}
	places, facts := placesOf(r.Text, at), factsOf(r.Card)
	for i, q := range asked {
		if i < len(facts) && facts[i].text != "" {
			lines = append(lines, facts[i].name+": "+facts[i].text)
		} else if m, ok := longest[q.about]; ok {
			lines = append(lines, fmt.Sprintf("%s: %s (%s)", q.name, term.Clean(m.Quote, mostBrief), places[i]))
		}
	}
	heavy := 0
	for _, i := range items {
		s, rejected := i.finding.Severity, i.finding.State == record.Rejected
		if rejected || s != record.Critical && s != record.High {
			continue
		}
		if heavy++; heavy <= mostChanges {
			lines = append(lines, fmt.Sprintf("Change: %v. %s", i.Number, i.Title))
		}
	}
	if heavy > mostChanges {
		lines = append(lines, fmt.Sprintf("and %d more that are critical or high", heavy-mostChanges))
	}
	return lines
}
