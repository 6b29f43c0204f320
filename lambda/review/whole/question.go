package whole

import (
	_ "embed" // prompt and schema
	"fmt"
	"slices"
	"strings"

	text "matchbook/lambda/cli/term"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/schema"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

// SchemaName is the name of the question's schema.
const SchemaName = "contract_whole"

// Limits of a question and its answer.
const (
	mostText   = 60_000 // bytes of a contract that is shown; of a longer one the marked clauses are
	mostQuotes = 160    // shared equally by the categories
	mostListed = 200    // findings
	mostClause = 700    // runes of a quote
	mostTokens = 5_000
	mostAnswer = 1 << 18
	mostTitle  = 200   // runes
	mostReason = 2_000 // runes
	mostOfList = 40    // entries of a list
)

var (
	//go:embed prompt.txt
	system string
	//go:embed schema.json
	schemaFile []byte
	answers    = schema.MustParse(schemaFile)
)

// Question returns the question about all findings and marks of a contract, after the rules'
// findings are recorded.
func Question(t record.Task, rules playbook.Playbook) llm.Question {
	var b strings.Builder
	c := record.Card{}
	if t.Card != nil {
		c = *t.Card
	}
	b.WriteString(card.Head(c, rules.Side()) + analyst.Positions(rules, record.Topics()) + "\n")
	if len(t.Text) <= mostText {
		b.WriteString("The contract:\n<<<contract\n" + analyst.Shown(t.Text, mostText) + "\ncontract>>>\n\n")
	} else {
		b.WriteString("The marked clauses of the contract:\n")
		writeMarks(&b, t)
	}
	writeFindings(&b, t)
	return llm.Question{Name: SchemaName, Version: "3", System: strings.TrimSpace(system), User: b.String(),
		Schema: answers.Raw(), MaxTokens: mostTokens, Corrects: true}
}

func writeMarks(b *strings.Builder, t record.Task) {
	quotes := listed(t.Marks)
	places := chunk.Above(t.Text, starts(quotes))
	for i, m := range quotes {
		fmt.Fprintf(b, "Quote %d, %s:\n<<<quote\n%s\n%s\nquote>>>\n", i+1, m.Category, line(places[i]), whole(m.Quote))
	}
	b.WriteByte('\n')
}

// writeFindings lists the findings that stand, by number.
func writeFindings(b *strings.Builder, t record.Task) {
	standing := standing(t.Findings)
	var at []int
	for _, f := range standing {
		at = append(at, f.Start)
	}
	places := chunk.Above(t.Text, at)
	b.WriteString("The findings:\n<<<findings\n")
	for i, f := range standing {
		fmt.Fprintf(b, "%d. %s, %s, by %s", f.Seq, f.Severity, f.Category, line(f.Analyst))
		if f.Quote != "" {
			fmt.Fprintf(b, ", in %s, on: %s", line(places[i]), whole(f.Quote))
		}
		fmt.Fprintf(b, "\n   %s: %s\n", text.Clean(line(f.Title), mostTitle), shortened(f.Explanation))
	}
	b.WriteString("findings>>>\n")
}

// standing returns the findings to list, the heaviest if there are too many.
func standing(all []record.Finding) []record.Finding {
	list := slices.DeleteFunc(slices.Clone(all), func(f record.Finding) bool { return f.Withdrawn || f.Repeats != 0 })
	order := record.Severities()
	slices.SortStableFunc(list, func(a, b record.Finding) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
	list = list[:min(len(list), mostListed)]
	slices.SortFunc(list, func(a, b record.Finding) int { return a.Seq - b.Seq })
	return list
}

// whole returns a quote on one line.
func whole(quote string) string { return text.Clean(line(quote), mostClause) }

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

func starts(marks []record.Mark) (list []int) {
	for _, m := range marks {
		list = append(list, m.Start)
	}
	return list
}
