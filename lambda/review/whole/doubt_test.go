package whole

import (
	"strings"
	"testing"

	"matchbook/lambda/review/record"
)

// A clause that only the model or only the rules see is a question to a person, and never
// missing. The termination is in the text; the cap and its mark are not.
func TestDoubtsAreQuestions(t *testing.T) {
	t.Parallel()
	const ends = "Either party may terminate this Agreement on thirty days' written notice."
	const invented = "the Supplier stands by its word"
	task := marked(t, "9. Termination. "+ends+" In all matters "+invented+".",
		record.Mark{Category: record.LiabilityCap, Score: 70, Quote: invented})
	for name, byModel := range map[string]bool{"by a model": true, "by rules": false} {
		task.Job.Model = map[bool]string{true: "test"}[byModel]
		got := map[record.Category]record.Finding{}
		for _, f := range Conclude(task, defaults(t)).Findings {
			got[f.Category] = f
		}
		ended, capped, law := got[record.Termination], got[record.LiabilityCap], got[record.GoverningLaw]
		if law.Quote != "" || !strings.HasPrefix(law.Title, "Missing clause") {
			t.Errorf("%s: the governing law is %+v, want it missing", name, law)
		}
		if !byModel {
			if ended.Quote != "" || capped.Title != "" {
				t.Errorf("%s: got %+v and %+v", name, ended, capped)
			}
			continue
		}
		if ended.Analyst != Doubts || !strings.Contains(ends, ended.Quote) || ended.Quote == "" ||
			!strings.HasPrefix(ended.Explanation, "Rules read this") {
			t.Errorf("the termination is %+v", ended)
		}
		if capped.Analyst != Doubts || capped.Quote != invented || !strings.HasPrefix(capped.Explanation, "The model reads") {
			t.Errorf("the cap is %+v", capped)
		}
		task.Findings = []record.Finding{ended}
		task.Findings[0].Seq = 1
		task.Marks = append(task.Marks, record.Mark{Category: record.Termination, Score: 90, Quote: ends, Start: 16})
		if again := Conclude(task, defaults(t)); len(again.Withdrawn) != 1 {
			t.Errorf("withdrawn %v, want the doubt, because both see the clause", again.Withdrawn)
		}
		task.Marks, task.Findings = task.Marks[:1], nil
	}
}

// marked is a contract with marks at these words, in this order.
func marked(t *testing.T, text string, marks ...record.Mark) record.Task {
	t.Helper()
	task := contract("Part|" + text)
	for _, m := range marks {
		m.Start = strings.Index(text, m.Quote)
		if m.Start < 0 {
			t.Fatalf("%q is not in the text", m.Quote)
		}
		m.End = m.Start + len(m.Quote)
		task.Marks = append(task.Marks, m)
	}
	return task
}
