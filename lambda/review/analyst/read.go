package analyst

import (
	"cmp"
	"encoding/json"
	"slices"

	"matchbook/lambda/cli/term"
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

// Answer is a task's part of an answer.
type Answer struct {
	Marks    []record.Mark
	Findings []record.Finding
	Dropped  int  // entries without a place in the passage, or over the limits
	Missing  bool // the answer has no word about the task
}

// Read returns the parts of an answer to a Question, by task. p must be the passage asked about:
// marks and findings with a quote missing from it are dropped and counted, because the others still
// hold. Errors never quote the answer, so you can log them.
func Read(tasks []Analyst, answer string, p Passage) ([]Answer, error) {
	if len(tasks) == 1 {
		answer = completed(answer, tasks[0])
	}
	form, err := schema.Read(answer, maxAnswer)
	if err != nil {
		return nil, err
	}
	done, findings := form["tasks"].([]any), byTask(tasks, form["findings"].([]any))
	parts := make([]Answer, len(tasks))
	for i, t := range tasks {
		a, entries := &parts[i], findings[t.Name]
		if t.Name == categories.Name {
			entries = form["clauses"].([]any)
			a.Marks, a.Dropped = marksOf(entries, p)
		} else {
			a.Findings, a.Dropped = t.findings(entries, p)
		}
		a.Missing = len(tasks) > 1 && len(entries) == 0 && !slices.Contains(done, any(t.Name))
	}
	return parts, nil
}

// completed adds what an answer to one task may leave out: the other list, and the task's name.
func completed(answer string, t Analyst) string {
	var form map[string]any
	if len(answer) > maxAnswer || json.Unmarshal([]byte(answer), &form) != nil || form == nil {
		return answer
	}
	other := "clauses"
	if t.Name == categories.Name {
		other = "findings"
	}
	for _, list := range []string{"tasks", other} {
		if form[list] == nil {
			form[list] = []any{}
		}
	}
	findings, _ := form["findings"].([]any)
	for _, f := range findings {
		if f, ok := f.(map[string]any); ok {
			f["task"] = t.Name
		}
	}
	raw, err := json.Marshal(form)
	if err != nil {
		return answer
	}
	return string(raw)
}

// byTask divides findings by their tasks. One with an unknown name is the last task's, which reads
// what the others leave over.
func byTask(tasks []Analyst, findings []any) map[string][]any {
	by := map[string][]any{}
	for _, f := range findings {
		name := f.(map[string]any)["task"].(string)
		if !slices.ContainsFunc(tasks, func(t Analyst) bool { return t.Name == name }) {
			name = tasks[len(tasks)-1].Name
		}
		by[name] = append(by[name], f)
	}
	return by
}

// within returns the entries within a limit, and the number of others.
func within(entries []any, most int) (kept []any, over int) {
	over = max(len(entries)-most, 0)
	return entries[:len(entries)-over], over
}

// marksOf returns marks sorted by place, without duplicates.
func marksOf(clauses []any, p Passage) (marks []record.Mark, dropped int) {
	clauses, dropped = within(clauses, maxMarks)
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
	}), dropped
}

// findings returns an analyst's findings, in order, with their places in the contract. One without a
// title or an explanation is dropped as well, and a text over its limit is cut.
func (a Analyst) findings(entries []any, p Passage) (found []record.Finding, dropped int) {
	entries, dropped = within(entries, maxFound)
	for _, f := range entries {
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
	return found, dropped
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
