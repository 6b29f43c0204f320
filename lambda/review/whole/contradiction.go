package whole

import (
	"fmt"
	"slices"
	"strings"

	text "matchbook/lambda/cli/term"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"
)

// Limits of reported contradictions: per subject, comparing its first clause with each further
// value, and in total.
const (
	mostOfOne = 5
	mostOfAll = 40
)

// contradiction begins the titles of contradictions, by rules and by a model.
const contradiction = "Contradiction: "

// Contradicts reports whether a finding of the last step is about two clauses that cannot both hold.
func Contradicts(f record.Finding) bool { return strings.HasPrefix(f.Title, contradiction) }

func contradictionsOf(t record.Task) (found []record.Finding) {
	all := differencesIn(t)
	var seconds []int
	for _, d := range all {
		seconds = append(seconds, d.second.start)
	}
	places := placesOf(t, seconds)
	for i, d := range all {
		found = append(found, d.finding(places[i]))
	}
	return found
}

// differencesIn returns the differences of a contract, except those between it and its amendment.
func differencesIn(t record.Task) []difference {
	amended := t.Chunk.Start + amendedFrom(t.Text)
	return slices.DeleteFunc(differences(clausesOf(t)), func(d difference) bool {
		return d.first.start < amended && d.second.start >= amended
	})
}

// difference is two terms of one subject with different values, in the contract's order.
type difference struct{ first, second term }

func differences(clauses []clause) (all []difference) {
	seen := map[subject][]term{} // distinct values
	var before clause
	for _, c := range clauses {
		replaces := c.replaces(before)
		before = c
		for _, read := range readers {
			t, ok := read(c)
			earlier := seen[t.subject]
			if !ok || replaces || len(all) == mostOfAll || len(earlier) > mostOfOne || slices.ContainsFunc(earlier, t.agrees) {
				continue
			}
			seen[t.subject] = append(earlier, t)
			if len(earlier) > 0 {
				all = append(all, difference{earlier[0], t})
			}
		}
	}
	return all
}

func (t term) agrees(with term) bool {
	if t.value != "" || with.value != "" {
		return t.value == with.value
	}
	return !differ(t.days, with.days)
}

func (d difference) finding(place string) record.Finding {
	a, b := d.first, d.second
	return record.Finding{Analyst: string(record.Contract), Category: a.subject.category, Severity: a.severity,
		Title: a.title() + b.shown,
		Explanation: fmt.Sprintf("This clause and one %s set different values for the %s: %s here, %s there. "+
			"The other clause reads: “%s”", place, a.subject.about, a.shown, b.shown, shortened(b.line)),
		Quote: a.text, Start: a.start, End: a.end, Second: b.text, SecondStart: b.start, SecondEnd: b.end}
}

// title returns the start of a contradiction's title, up to the other value. Note that ofRules
// recognises stored findings by it.
func (t term) title() string {
	return fmt.Sprintf(contradiction+"%s of %s and of ", t.subject.about, t.shown)
}

// ofRules reports whether rules found a contradiction: its title names the term in its clause.
func ofRules(f record.Finding) bool {
	return slices.ContainsFunc(readers, func(read reader) bool {
		t, ok := read(clauseOf(f.Quote, f.Start))
		return ok && strings.HasPrefix(f.Title, t.title())
	})
}

func placesOf(t record.Task, at []int) []string {
	names := make([]string, len(at))
	if t.Text != "" {
		for i := range at {
			at[i] -= t.Chunk.Start
		}
		names = chunk.Above(t.Text, at)
	}
	for i, name := range names {
		if name == "" {
			names[i] = fmt.Sprintf("at position %d", at[i])
			continue
		}
		names[i] = fmt.Sprintf("in “%s”", shortened(name))
	}
	return names
}

// mostQuoted bounds a quotation in an explanation, in runes.
const mostQuoted = 300

func shortened(s string) string { return text.Clean(line(s), mostQuoted) }

// line returns foreign text on one line, without the fences of questions.
func line(s string) string { return llm.Unfenced(text.Clean(s, len(s)+1)) }
