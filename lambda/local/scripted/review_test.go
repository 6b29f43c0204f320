package scripted

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
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

func marks(t *testing.T, mind Mind, text string) (list []string) {
	t.Helper()
	answer := mind(questionOf(text, nil))
	found, err := analyst.ReadMarks(answer, analyst.Passage{Text: text})
	if err != nil || strings.Count(answer, `"quote"`) != len(found) {
		t.Fatalf("%v, %d marks of %s", err, len(found), answer)
	}
	for _, m := range found {
		list = append(list, string(m.Category)+": "+m.Quote)
	}
	return list
}

func findings(t *testing.T, mind Mind, name, text string) (list []string) {
	t.Helper()
	a := named(t, name)
	found, dropped, err := a.Read(mind(questionOf(text, a)), analyst.Passage{Text: text})
	if err != nil || dropped > 0 {
		t.Fatalf("%d findings are dropped, %v", dropped, err)
	}
	for _, f := range found {
		list = append(list, fmt.Sprintf("%s %s: %s", f.Severity, f.Category, f.Quote))
	}
	return list
}

func TestScriptedAnswersByRules(t *testing.T) {
	t.Parallel()
	got := marks(t, ReviewByRules(), passage)
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
		if got := strings.Join(findings(t, ReviewByRules(), name, passage), "\n"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := ReviewByRules()(Question{Name: whole.SchemaName}); got != `{"contradictions":[]}` {
		t.Errorf("the question about the contract as a whole: got %q, want no contradictions", got)
	}
	if got := ReviewByRules()(Question{Name: "match_decision", User: "x"}); got != "" {
		t.Errorf("another question is answered: %q", got)
	}
}

func TestOracleAnswersByTheLabelsOfThePassage(t *testing.T) {
	t.Parallel()
	const before, after = "First part.\n\n", "\n\nLaw of Kenya governs. LLC."
	contract := before + passage + after
	labels := []Label{
		{record.Termination, "The Supplier may\n terminate for  convenience.", len(before) + 21},
		{record.LiabilityCap, "Confidential papers stay here. Law of", len(contract) - len("Confidential papers stay here.") - len(after)},
		{record.GoverningLaw, "Law of Kenya", len(before) + len(passage) + 2},
		{record.Parties, "LLC.", len(contract) - 4},
	}
	mind := ReviewByLabels(contract, labels)
	if got, want := marks(t, mind, passage), []string{"termination: The Supplier may terminate for convenience."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: a label that the chunk cuts is not in it", got, want)
	}
	if got, want := marks(t, mind, after), []string{"governing-law: Law of Kenya"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: LLC is too short for a quote", got, want)
	}
	if got := marks(t, mind, "Law of Kenya"+passage); got != nil {
		t.Errorf("got %q of another contract", got)
	}
	if got, want := findings(t, mind, "termination", passage),
		[]string{"medium termination: The Supplier may terminate for convenience."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoiseFollowsFromTheSeedAndInventsQuotes(t *testing.T) {
	t.Parallel()
	const seed = 7
	t.Logf("seed %d", seed)
	other := strings.Repeat("The moon landing of the tenant shall precede every invoice of the landlord in spring. ", 9)
	right := ReviewByRules()
	always, never := NoisyReview(right, seed, 1, other), NoisyReview(right, seed, 0, other)
	again, reseeded := NoisyReview(right, seed, 1, other), NoisyReview(right, seed+1, 1, other)
	changed, invented := 0, 0
	for i := range 100 {
		text := fmt.Sprintf("%s Item %d.", passage, i)
		for _, a := range []*analyst.Analyst{nil, named(t, "termination")} {
			q := questionOf(text, a)
			answer := always(q)
			if never(q) != right(q) || again(q) != answer {
				t.Fatalf("%d: the noise does not follow from seed and share", i)
			}
			if reseeded(q) != answer {
				changed++
			}
			var read struct{ Clauses, Findings []struct{ Quote string } }
			must.OK(t, json.Unmarshal([]byte(answer), &read))
			for _, entry := range append(read.Clauses, read.Findings...) {
				if strings.Contains(right(q), mustMarshal(entry.Quote)) {
					continue
				}
				invented++
				if _, _, found := quote.Find(text, entry.Quote); found {
					t.Errorf("invented, and stands in the passage: %q", entry.Quote)
				}
			}
		}
	}
	if changed < 150 || invented < 150 {
		t.Errorf("%d of 200 answers differ with another seed, %d quotes are invented, want 150 of each", changed, invented)
	}
}

func mustMarshal(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
