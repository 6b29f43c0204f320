package revieweval

import (
	"sync/atomic"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// Providers cache prefixes from 1,024 tokens on, in steps of 128.
const (
	leastCached = 1_024
	cachedStep  = 128
)

// tokens are the calls about a contract, and the tokens of their questions.
type tokens struct {
	calls, all, cached int
	asked              []string
}

// ask counts a question. Its beginning is cached if an earlier question began so.
func (t *tokens) ask(q llm.Question) {
	text := q.Name + string(q.Schema) + q.System + q.User
	shared := 0
	for _, earlier := range t.asked {
		n := 0
		for n < len(text) && n < len(earlier) && text[n] == earlier[n] {
			n++
		}
		shared = max(shared, n)
	}
	count := func(text string) int { n, _ := analyst.Estimate(llm.Question{User: text}); return n }
	if n := count(text[:shared]); n >= leastCached {
		t.cached += n / cachedStep * cachedStep
	}
	t.calls, t.all, t.asked = t.calls+1, t.all+count(text), append(t.asked, text)
}

// The questions of a review with the labels' marks and without findings, in the order of its
// work, by the upper estimate of tokens. Before the card and the common beginning, the two
// contracts of 22 chunks took 54 and 58 questions with 143,376 and 150,987 tokens, of which 91,536
// and 100,555 were not cacheable.
func TestTokensOfContracts(t *testing.T) {
	t.Parallel()
	pb := must.Get(playbook.Parse(playbook.Default()))(t)
	for _, c := range labelled(t) {
		var n tokens
		facts := whole.Facts(c.Text, func(string) bool { return false })
		n.ask(card.Question(c.Text, facts, pb.Side()))
		task := record.Task{Text: c.Text, Card: &facts}
		for _, part := range chunk.Split(c.Text) {
			p := analyst.Passage{Text: c.Text[part.Start:part.End], Start: part.Start, Heading: part.Heading}
			p.Known = card.Brief(facts, pb.Side(), p.Text, part.Start, part.End)
			n.ask(analyst.CategoriesQuestion(p))
			marks := byLabels{c, &atomic.Int64{}, &atomic.Int64{}}.read(t.Context(), p).marks
			task.Marks = append(task.Marks, marks...)
			for _, a := range analyst.Route(marks, p) {
				n.ask(a.Question(p, pb))
			}
		}
		n.ask(whole.Question(task, pb))
		parts := len(chunk.Split(c.Text))
		t.Logf("%2d parts, %3d calls, %6d tokens, %6d cacheable (%d %%), %6d at full price: %.20s", parts, n.calls, n.all, n.cached,
			100*n.cached/n.all, n.all-n.cached, c.Name)
		if n.cached*100 < 50*n.all || parts == 22 && n.all-n.cached >= 91_536 {
			t.Errorf("%s: %d of %d tokens are cacheable", c.Name, n.cached, n.all)
		}
	}
}
