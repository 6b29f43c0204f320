package revieweval

import (
	"strings"
	"sync/atomic"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/category"
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

// tokens are the calls about a contract, and the tokens of their questions: in all, and by part.
type tokens struct {
	calls, all, cached                         int
	card, rules, known, passages, tasks, whole int
	asked                                      []string
}

func count(text string) int { n, _ := analyst.Estimate(llm.Question{User: text}); return n }

// ask counts a question, and returns its tokens. Its beginning is cached if an earlier question
// began so.
func (t *tokens) ask(q llm.Question) int {
	text := q.Name + string(q.Schema) + q.System + q.User
	shared := 0
	for _, earlier := range t.asked {
		n := 0
		for n < len(text) && n < len(earlier) && text[n] == earlier[n] {
			n++
		}
		shared = max(shared, n)
	}
	if n := count(text[:shared]); n >= leastCached {
		t.cached += n / cachedStep * cachedStep
	}
	n := count(text)
	t.calls, t.all, t.asked = t.calls+1, t.all+n, append(t.asked, text)
	return n
}

// askPassage counts a question about a passage, by its parts.
func (t *tokens) askPassage(q llm.Question, known string) {
	t.ask(q)
	before, tasks, _ := strings.Cut(q.User, "\ncontract>>>")
	t.rules, t.known = t.rules+count(string(q.Schema)+q.System), t.known+count(known)
	t.passages, t.tasks = t.passages+count(before[len(known):]), t.tasks+count(tasks)
}

// before are the tokens of two contracts of 22 chunks by the same estimate, in all and not cacheable,
// when each analyst had a call of its own, and no card.
var before = map[string][2]int{"RangeResources": {143_376, 91_536}, "ADAPTIMMUNE": {150_987, 100_555}}

// The questions of a review with the labels' marks and without findings, in the order of its work, by
// the upper estimate of tokens.
func TestTokensOfContracts(t *testing.T) {
	t.Parallel()
	pb := must.Get(playbook.Parse(playbook.Default()))(t)
	for _, c := range labelled(t) {
		var n tokens
		facts := whole.Facts(c.Text, func(string) bool { return false })
		n.card = n.ask(card.Question(c.Text, facts, pb.Side()))
		task := record.Task{Text: c.Text, Card: &facts}
		for _, part := range chunk.Split(c.Text) {
			p := analyst.Passage{Text: c.Text[part.Start:part.End], Start: part.Start, Heading: part.Heading}
			p.Known = card.Brief(facts, pb.Side(), p.Text, part.Start, part.End)
			n.askPassage(analyst.Question(analyst.Route(category.ByRules(p.Text, p.Start, p.Heading), p), p, pb), p.Known)
			task.Marks = append(task.Marks, byLabels{c, &atomic.Int64{}, &atomic.Int64{}}.read(t.Context(), p).marks...)
		}
		n.whole = n.ask(whole.Question(task, pb))
		parts := len(chunk.Split(c.Text))
		t.Logf("%2d parts, %3d calls, %6d tokens (card %d, rules %d, what is known %d, passages %d, tasks %d, whole %d), %6d cacheable: %.20s",
			parts, n.calls, n.all, n.card, n.rules, n.known, n.passages, n.tasks, n.whole, n.cached, c.Name)
		for name, was := range before {
			if strings.HasPrefix(c.Name, name) && (n.all >= was[0] || n.all-n.cached >= was[1] || parts != 22) {
				t.Errorf("%s: %d tokens, %d of them not cacheable; before %v", name, n.all, n.all-n.cached, was)
			}
		}
		if n.calls != parts+2 {
			t.Errorf("%s: %d calls for %d parts", c.Name, n.calls, parts)
		}
	}
}
