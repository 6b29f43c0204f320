package revieweval

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

// reader reads a chunk.
type reader interface {
	read(ctx context.Context, p analyst.Passage) chunkRead
}

// chunkRead is the reading of a chunk.
type chunkRead struct {
	marks    []record.Mark
	findings []record.Finding
	calls    int
	quotes   Quotes
	gap      string // why it is not complete
}

// byRules reads without a model.
type byRules struct{ playbook playbook.Playbook }

func (b byRules) read(_ context.Context, p analyst.Passage) chunkRead {
	marks := category.ByRules(p.Text, p.Start, p.Heading)
	return chunkRead{marks: marks, findings: b.playbook.ByRules(marks)}
}

// asking reads by questions to a model.
type asking struct {
	model    llm.Model
	playbook playbook.Playbook
	retry    llm.Retry
	right    map[string]bool // the quotes of the labels, without white space; nil: not known
}

func (a asking) read(ctx context.Context, p analyst.Passage) (r chunkRead) {
	r.ask(ctx, a, analyst.CategoriesQuestion(p), func(text string) (kept []string, err error) {
		r.marks, err = analyst.ReadMarks(text, p)
		for _, m := range r.marks {
			kept = append(kept, m.Quote)
		}
		return kept, err
	})
	if r.gap != "" {
		return r
	}
	for _, specialist := range analyst.Route(r.marks, p) {
		r.ask(ctx, a, specialist.Question(p, a.playbook), func(text string) (kept []string, err error) {
			found, _, err := specialist.Read(text, p)
			for _, f := range found {
				kept = append(kept, f.Quote)
			}
			r.findings = append(r.findings, found...)
			return kept, err
		})
	}
	return r
}

// ask asks one question and counts the quotes of its answer.
func (r *chunkRead) ask(ctx context.Context, a asking, q llm.Question, read func(text string) (kept []string, err error)) {
	err := a.retry.Do(ctx, func(ctx context.Context) error {
		r.calls++
		answer, err := a.model.Answer(ctx, q)
		if err != nil {
			return err
		}
		kept, err := read(answer.Text)
		if err != nil {
			return &failure.Error{Kind: failure.Transient, Sentence: "the model's answer is of no use: " + err.Error()}
		}
		if a.right != nil {
			r.quotes.count(given(answer.Text), kept, a.right)
		}
		return nil
	})
	if err != nil {
		r.gap = q.Name + ": " + err.Error()
	}
}

// given returns the quotes of an answer, of either kind.
func given(answer string) (quotes []string) {
	var a struct{ Clauses, Findings []struct{ Quote string } }
	if json.Unmarshal([]byte(answer), &a) != nil {
		return nil
	}
	for _, entry := range append(a.Clauses, a.Findings...) {
		quotes = append(quotes, entry.Quote)
	}
	return quotes
}

// Quotes counts the quotes of a model's answers, by whether people gave them as a
// label, and whether the reader kept them.
type Quotes struct {
	Right           int `json:"right"`
	RightRemoved    int `json:"right_removed"`
	Invented        int `json:"invented"`
	InventedRemoved int `json:"invented_removed"`
}

func (q *Quotes) count(given, kept []string, right map[string]bool) {
	keeps := make(map[string]bool, len(kept))
	for _, quote := range kept {
		keeps[dense(quote)] = true
	}
	for _, quote := range given {
		quote = dense(quote)
		switch {
		case right[quote] && keeps[quote]:
			q.Right++
		case right[quote]:
			q.Right++
			q.RightRemoved++
		case keeps[quote]:
			q.Invented++
		default:
			q.Invented++
			q.InventedRemoved++
		}
	}
}

func (q *Quotes) add(other Quotes) {
	q.Right += other.Right
	q.RightRemoved += other.RightRemoved
	q.Invented += other.Invented
	q.InventedRemoved += other.InventedRemoved
}

// dense is a text without white space.
func dense(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
