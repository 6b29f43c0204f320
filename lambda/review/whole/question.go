package whole

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/llm"
	"matchbook/lambda/llm/schema"
	"matchbook/lambda/review/record"
)

// SchemaName is the name of the question's schema.
const SchemaName = "contract_contradictions"

// Limits of a question and its answer.
const (
	mostQuotes = 160 // shared equally by the categories
	mostTokens = 4_000
	mostPairs  = 20
	mostTitle  = 120   // runes
	mostReason = 1_000 // runes
	mostAnswer = 1 << 18
)

//go:embed prompt.txt
var system string

//go:embed schema.json
var schemaFile []byte

var answers = schema.MustParse(schemaFile)

// Question returns the question about contradictions between the quotes of all marks. ask is
// false if there are fewer than two quotes: don't ask it then.
func Question(t record.Task) (q llm.Question, ask bool) {
	quotes := listed(t.Marks)
	var text strings.Builder
	for i, m := range quotes {
		fmt.Fprintf(&text, "Quote %d, %s:\n<<<quote\n%s\nquote>>>\n", i+1, m.Category, shortened(m.Quote))
	}
	return llm.Question{Name: SchemaName, System: strings.TrimSpace(system), User: text.String(),
		Schema: answers.Raw(), MaxTokens: mostTokens}, len(quotes) > 1
}

// listed returns the marks to list in a question, by place. It drops duplicates from
// overlapping parts. If there are too many, each category keeps its highest scores.
func listed(marks []record.Mark) (list []record.Mark) {
	perCategory := map[record.Category][]record.Mark{}
	for _, m := range marks {
		perCategory[m.Category] = append(perCategory[m.Category], m)
	}
	for _, c := range record.All() {
		some := perCategory[c]
		slices.SortStableFunc(some, byPlace)
		some = slices.CompactFunc(some, func(a, b record.Mark) bool { return a.Start == b.Start && a.End == b.End })
		slices.SortStableFunc(some, func(a, b record.Mark) int { return b.Score - a.Score })
		list = append(list, some[:min(len(some), mostQuotes/len(record.All()))]...)
	}
	slices.SortStableFunc(list, byPlace)
	return list
}

func byPlace(a, b record.Mark) int {
	if a.Start != b.Start {
		return a.Start - b.Start
	}
	return a.End - b.End
}

type pair struct {
	first, second      int
	severity           record.Severity
	title, explanation string
}

// Read returns the contradictions in an answer to the question, each at the clause coming
// first in the contract. It skips contradictions already found by rules. A pair not allowed by
// the question is dropped and counted, because the others still hold.
func Read(answer string, t record.Task) (found []record.Finding, dropped int, err error) {
	quotes := listed(t.Marks)
	pairs, err := decode(answer)
	if err != nil {
		return nil, 0, err
	}
	byRules := differences(clausesOf(t))
	seen := map[[2]int]bool{}
	places := placesOf(t, starts(quotes))
	for _, p := range pairs {
		if !p.allowed(len(quotes)) {
			dropped++
			continue
		}
		numbers := [2]int{min(p.first, p.second), max(p.first, p.second)}
		first, second := quotes[numbers[0]-1], quotes[numbers[1]-1]
		ofRules := func(d difference) bool { return d.isOf(first, second) }
		repeated := seen[numbers] || slices.ContainsFunc(byRules, ofRules)
		seen[numbers] = true
		f := p.finding(first, second, places[numbers[1]-1])
		if !repeated && !known(t.Findings, f) {
			found = append(found, f)
		}
	}
	return found, dropped, nil
}

func starts(marks []record.Mark) (list []int) {
	for _, m := range marks {
		list = append(list, m.Start)
	}
	return list
}

// decode reads an answer in the requested form.
func decode(answer string) (pairs []pair, err error) {
	form, err := answers.Read(answer, mostAnswer)
	if err != nil {
		return nil, err
	}
	list := form["contradictions"].([]any)
	if len(list) > mostPairs {
		return nil, fmt.Errorf("too many pairs: at most %d", mostPairs)
	}
	for _, given := range list {
		m := given.(map[string]any)
		pairs = append(pairs, pair{int(m["first"].(float64)), int(m["second"].(float64)),
			record.Severity(m["severity"].(string)), m["title"].(string), m["explanation"].(string)})
	}
	return pairs, nil
}

// allowed reports whether the pair is of two listed quotes, with a title and an explanation
// within their limits.
func (p pair) allowed(quotes int) bool {
	listed := func(n int) bool { return n >= 1 && n <= quotes }
	written := func(s string, most int) bool { return line(s) != "" && utf8.RuneCountInString(s) <= most }
	return listed(p.first) && listed(p.second) && p.first != p.second &&
		written(p.title, mostTitle) && written(p.explanation, mostReason)
}

func (p pair) finding(first, second record.Mark, place string) record.Finding {
	return record.Finding{Analyst: string(record.Contract), Category: first.Category, Severity: p.severity,
		Title: "Contradiction: " + line(p.title),
		Explanation: fmt.Sprintf("%s The other clause, %s, reads: “%s”", line(p.explanation),
			place, shortened(second.Quote)),
		Quote: first.Quote, Start: first.Start, End: first.End}
}

// isOf reports whether the difference is between the clauses of these marks.
func (d difference) isOf(first, second record.Mark) bool {
	overlaps := func(t term, m record.Mark) bool { return t.start < m.End && m.Start < t.end }
	return overlaps(d.first, first) && overlaps(d.second, second)
}
