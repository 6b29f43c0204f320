package scripted

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/whole"
)

const passage = `4. Term and payment

The Supplier may terminate for convenience. In no event shall the Supplier be liable for
consequential damages. Each invoice is due in ten days. Confidential papers stay here.`

// questionOf is a question about a passage.
func questionOf(text string, task analyst.Analyst) Question {
	q := analyst.Question([]analyst.Analyst{task}, analyst.Passage{Text: text}, positions())
	return Question{Name: q.Name, System: q.System, User: q.User, Schema: q.Schema}
}

var positions = sync.OnceValue(func() playbook.Playbook {
	p, err := playbook.Parse(playbook.Default())
	if err != nil {
		panic(err)
	}
	return p
})

func named(t *testing.T, name string) analyst.Analyst {
	t.Helper()
	for _, a := range analyst.All() {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no analyst has the name %s", name)
	return analyst.Analyst{}
}

func answered(t *testing.T, task analyst.Analyst, text string) analyst.Answer {
	t.Helper()
	answer := ReviewByRules()(questionOf(text, task))
	read, err := analyst.Read([]analyst.Analyst{task}, answer, analyst.Passage{Text: text})
	if err != nil || read[0].Dropped > 0 {
		t.Fatalf("%v: %s", err, answer)
	}
	return read[0]
}

func marks(t *testing.T, text string) (list []string) {
	t.Helper()
	read := answered(t, analyst.Categories(), text)
	for _, m := range read.Marks {
		list = append(list, string(m.Category)+": "+m.Quote)
	}
	return list
}

func findings(t *testing.T, name, text string) (list []string) {
	t.Helper()
	for _, f := range answered(t, named(t, name), text).Findings {
		list = append(list, fmt.Sprintf("%s %s: %s", f.Severity, f.Category, f.Quote))
	}
	return list
}

func TestReviewByRules(t *testing.T) {
	t.Parallel()
	got := marks(t, passage)
	want := []string{"termination: The Supplier may terminate for convenience",
		"liability-cap: In no event shall the Supplier be liable for\nconsequential damages"}
	if !slices.Equal(got, want) {
		t.Errorf("marks\ngot  %q\nwant %q", got, want)
	}
	for name, want := range map[string]string{
		"termination":     "medium termination: The Supplier may terminate for convenience",
		"liability":       "high liability-cap: In no event shall the Supplier be liable for\nconsequential damages",
		"payment":         "low payment: Each invoice is due in ten days",
		"renewal":         "",
		"confidentiality": "",
	} {
		if got := strings.Join(findings(t, name, passage), "\n"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := ReviewByRules()(Question{Name: whole.SchemaName}); got != noneTogether {
		t.Errorf("the question about the contract as a whole: got %q, want none", got)
	}
	if got := ReviewByRules()(Question{Name: "match_decision", User: "x"}); got != "" {
		t.Errorf("another question is answered: %q", got)
	}
}
