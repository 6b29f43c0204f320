package whole

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/review/category"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

// Doubts is recorded as the analyst of a finding that asks a person whether a clause exists.
const Doubts = "model-and-rules"

// marksByRules returns the rules' marks of a contract read by a model. Without a model, the
// task has them already.
func marksByRules(t record.Task) (marks []record.Mark) {
	if t.Job.Model == "" {
		return nil
	}
	for _, c := range t.Chunks {
		start, end := c.Start-t.Chunk.Start, c.End-t.Chunk.Start
		if start >= 0 && start <= end && end <= len(t.Text) {
			marks = append(marks, category.ByRules(t.Text[start:end], c.Start, c.Heading)...)
		}
	}
	return marks
}

// doubted returns a question to a person for each clause required by the playbook that only the
// model or only the rules see, at its likeliest place.
func doubted(t record.Task, rules playbook.Playbook) (found []record.Finding) {
	if t.Job.Model == "" || t.Text == "" {
		return nil
	}
	byRules, not := marksByRules(t), "the model doesn't see any"
	if unread(t) > 0 {
		not += " in the parts that it read"
	}
	for _, f := range rules.Missing(t.Marks) {
		if m, ok := best(byRules, f.Category); ok {
			found = append(found, doubt(f, m, "Rules read this as one, but "+not))
		}
	}
	for _, f := range rules.Missing(byRules) {
		if m, ok := best(t.Marks, f.Category); ok {
			found = append(found, doubt(f, m, "The model reads this as one, but rules don't see any"))
		}
	}
	return found
}

func doubt(f record.Finding, m record.Mark, why string) record.Finding {
	return record.Finding{Analyst: Doubts, Category: f.Category, Severity: record.Info,
		Title:       fmt.Sprintf("To check: is this a clause on %s?", strings.ReplaceAll(string(f.Category), "-", " ")),
		Explanation: why + ". The playbook requires it.",
		Quote:       m.Quote, Start: m.Start, End: m.End, Fallback: f.Fallback}
}

// best returns the mark of a category with the highest score.
func best(marks []record.Mark, c record.Category) (m record.Mark, ok bool) {
	of := slices.DeleteFunc(slices.Clone(marks), func(m record.Mark) bool { return m.Category != c })
	if len(of) == 0 {
		return m, false
	}
	return slices.MaxFunc(of, func(a, b record.Mark) int { return a.Score - b.Score }), true
}
