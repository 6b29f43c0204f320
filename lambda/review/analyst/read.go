package analyst

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"matchbook/lambda/cli/term"
	llmschema "matchbook/lambda/llm/schema"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
)

// Limits of an answer. A longer answer is an error, a longer text is cut, and further entries
// are dropped, so that one of them doesn't cost the right ones.
const (
	maxAnswer  = 128 << 10 // bytes
	maxFound   = 20        // findings
	maxMarks   = 60        // marks, five for each category
	maxTitle   = 200       // characters
	maxText    = 2_000     // of an explanation or a wording
	bestScore  = 100
	leastScore = 1
)

// forms are the accepted forms of an answer by the list that its task fills: as requested, or
// without the other list.
var forms = map[string][]llmschema.Schema{"clauses": {schema, only("clauses")}, "findings": {schema, only("findings")}}

// only returns the schema of an answer with one list.
func only(list string) llmschema.Schema {
	var form struct {
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(schema.Raw(), &form); err != nil {
		panic(err) // it's embedded
	}
	return llmschema.MustParse(fmt.Appendf(nil, `{"type":"object","additionalProperties":false,"required":[%q],"properties":{%q:%s}}`,
		list, list, form.Properties[list]))
}

// read returns a list of an answer, and the number of entries over its limit.
func read(answer, list string, most int) (entries []any, over int, err error) {
	for _, form := range forms[list] {
		var read map[string]any
		if read, err = form.Read(answer, maxAnswer); err == nil {
			entries = read[list].([]any)
			over = max(len(entries)-most, 0)
			return entries[:len(entries)-over], over, nil
		}
	}
	return nil, 0, err
}

// ReadMarks returns the marks of an answer to CategoriesQuestion, sorted by place, without
// duplicates. p must be the passage asked about, because marks with a quote missing from it
// are dropped and counted. Errors never quote the answer, so you can log them.
func ReadMarks(answer string, p Passage) (marks []record.Mark, dropped int, err error) {
	clauses, dropped, err := read(answer, "clauses", maxMarks)
	if err != nil {
		return nil, 0, err
	}
	for _, c := range clauses {
		clause := c.(map[string]any)
		m := record.Mark{Category: record.Category(clause["category"].(string)), Score: int(clause["score"].(float64))}
		m.Score = min(max(m.Score, leastScore), bestScore)
		var found bool
		if m.Quote, m.Start, m.End, found = p.find(clause["quote"].(string)); !found {
			dropped++
			continue
		}
		marks = append(marks, m)
	}
	slices.SortStableFunc(marks, func(a, b record.Mark) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Category, b.Category),
			cmp.Compare(b.Score, a.Score))
	})
	return slices.CompactFunc(marks, func(a, b record.Mark) bool {
		return a.Category == b.Category && a.Start == b.Start && a.End == b.End
	}), dropped, nil
}

// Read returns the findings of an answer to the analyst's question, in order, with their
// places in the contract. p must be the passage asked about: findings without a title or an
// explanation, or with a quote missing from the passage, are dropped and counted, because the
// others still hold. A text over its limit is cut. Errors never quote the answer.
func (a Analyst) Read(answer string, p Passage) (found []record.Finding, dropped int, err error) {
	findings, dropped, err := read(answer, "findings", maxFound)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range findings {
		finding := f.(map[string]any)
		r := record.Finding{Analyst: a.Name, Category: record.Category(finding["category"].(string)),
			Severity: record.Severity(finding["severity"].(string)), Title: term.Clean(finding["title"].(string), maxTitle),
			Explanation: term.Clean(finding["explanation"].(string), maxText), Fallback: term.Clean(finding["fallback"].(string), maxText)}
		var quoted bool
		r.Quote, r.Start, r.End, quoted = p.find(finding["quote"].(string))
		if !quoted || r.Title == "" || r.Explanation == "" {
			dropped++
			continue
		}
		found = join(found, r)
	}
	return found, dropped, nil
}

// join adds a finding. Because topic and place identify a finding, two about one quote become
// one: the more severe, with both explanations.
func join(found []record.Finding, f record.Finding) []record.Finding {
	for i, known := range found {
		if known.Category != f.Category || known.Start != f.Start || known.End != f.End {
			continue
		}
		if heavier(f.Severity, known.Severity) {
			known, f = f, known
		}
		if f.Explanation != known.Explanation {
			known.Explanation += " " + f.Explanation
		}
		known.Fallback = cmp.Or(known.Fallback, f.Fallback)
		found[i] = known
		return found
	}
	return append(found, f)
}

func heavier(a, b record.Severity) bool {
	all := record.Severities()
	return slices.Index(all, a) < slices.Index(all, b)
}

func (p Passage) find(quoted string) (verbatim string, start, end int, ok bool) {
	start, end, ok = quote.Find(p.Text, quoted)
	if !ok {
		return "", 0, 0, false
	}
	return p.Text[start:end], p.Start + start, p.Start + end, true
}
