package review

import (
	"testing"

	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// A change of what the finding is about makes another clause; one of how heavy it is, or what it is called, does not.
func TestClauseOf(t *testing.T) {
	t.Parallel()
	const text = "Fees rise each year. Fees are fixed for a year."
	finding := record.Finding{Analyst: "contract", Category: record.Payment, Title: "A", Quote: "rise", Start: 5, End: 9, Severity: record.Low,
		Second: "fixed", SecondStart: 30, SecondEnd: 35}
	of := func(change func(*record.Task, *record.Finding)) string {
		task, f := record.Task{Text: text, Chunk: record.Chunk{Kind: record.Text}}, finding
		change(&task, &f)
		return clauseOf(task, f)
	}
	first := of(func(*record.Task, *record.Finding) {})
	for name, tc := range map[string]struct {
		change func(*record.Task, *record.Finding)
		same   bool
	}{
		"more of the sentence": {func(_ *record.Task, f *record.Finding) { f.Quote, f.End = "rise each", 14 }, true},
		"severity":             {func(_ *record.Task, f *record.Finding) { f.Severity = record.High }, true},
		"title of a quote":     {func(_ *record.Task, f *record.Finding) { f.Title = "B" }, true},
		"document of a quote":  {func(x *record.Task, _ *record.Finding) { x.Job.DocumentID = uuid.UUID{1} }, true},
		"analyst":              {func(_ *record.Task, f *record.Finding) { f.Analyst = "payment" }, false},
		"topic":                {func(_ *record.Task, f *record.Finding) { f.Category = record.Other }, false},
		"playbook":             {func(x *record.Task, _ *record.Finding) { x.Job.Playbook = "2" }, false},
		"other sentence":       {func(_ *record.Task, f *record.Finding) { f.Quote, f.Start, f.End = "fixed", 30, 35 }, false},
		"second clause":        {func(_ *record.Task, f *record.Finding) { f.Second, f.SecondStart, f.SecondEnd = "rise", 5, 9 }, false},
		"one clause":           {func(_ *record.Task, f *record.Finding) { f.Second = "" }, false},
	} {
		if got := of(tc.change); (got == first) != tc.same {
			t.Errorf("%s: the same is %v", name, got == first)
		}
	}
	missing := func(title string, document byte) string {
		task := record.Task{Text: text, Chunk: record.Chunk{Kind: record.Whole}, Job: record.Job{DocumentID: uuid.UUID{document}}}
		return clauseOf(task, record.Finding{Analyst: "contract", Title: title})
	}
	if a := missing("A", 1); a != missing("A", 1) || a == missing("B", 1) || a == missing("A", 2) {
		t.Error("a missing clause has its title and document")
	}
}
