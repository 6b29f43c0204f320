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

// questionOf is a question about a passage: that of an analyst, or of the categories.
func questionOf(text string, a *analyst.Analyst) Question {
	p := analyst.Passage{Text: text}
	q := analyst.CategoriesQuestion(p)
	if a != nil {
		q = a.Question(p, positions())
	}
	return Question{Name: q.Name, System: q.System, User: q.User, Schema: q.Schema}
}

var positions = sync.OnceValue(func() playbook.Playbook {
	p, err := playbook.Parse(playbook.Default())
	if err != nil {
		panic(err)
	}
	return p
})

func named(t *testing.T, name string) *analyst.Analyst {
	t.Helper()
	for _, a := range analyst.All() {
		if a.Name == name {
			return &a
		}
	}
	t.Fatalf("no analyst has the name %s", name)
	return nil
}

func marks(t *testing.T, text string) (list []string) {
	t.Helper()
	answer := ReviewByRules()(questionOf(text, nil))
	found, _, err := analyst.ReadMarks(answer, analyst.Passage{Text: text})
	if err != nil || strings.Count(answer, `"quote"`) != len(found) {
		t.Fatalf("%v, %d marks of %s", err, len(found), answer)
	}
	for _, m := range found {
		list = append(list, string(m.Category)+": "+m.Quote)
	}
	return list
}

func findings(t *testing.T, name, text string) (list []string) {
	t.Helper()
	a := named(t, name)
	found, dropped, err := a.Read(ReviewByRules()(questionOf(text, a)), analyst.Passage{Text: text})
	if err != nil || dropped > 0 {
		t.Fatalf("%d findings are dropped, %v", dropped, err)
	}
	for _, f := range found {
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
