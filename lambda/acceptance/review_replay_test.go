package acceptance_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// written is a contract of testdata/contracts/written: what a person reads in it, and what a good
// model answers. See the page of testdata/contracts.
type written struct {
	Name, Text string
	dense      string
	Facts      writtenFacts
	Risks      []risk
	Harmless   []string // quotes without a risk

	Card     object
	Clauses  [][2]string // category, quote
	Findings []recorded  // within a clause
	Across   []recorded
	Absent   []recorded
	Same     [][2]string // titles of findings about the same problem; the first may be of Across
}

// writtenFacts are what the card of a contract must tell.
type writtenFacts struct {
	Side, Starts, Ends string
	LastNotice         string `json:"last_notice"`
	Parties            []struct {
		Name, Defined string
		Ours          bool
	}
}

type risk struct {
	ID       string
	Topic    record.Category
	Severity record.Severity
	Quotes   []string // two if it shows only when both clauses are read
}

// recorded is a finding in an answer.
type recorded struct {
	Topic       record.Category
	Analyst     string // the only one that reports it; empty: each with this topic
	Severity    record.Severity
	Title, Why  string
	Quote, Near string // Near: a quote that stands where an invented one was thought up
	Fallback    string
	Quotes      [2]string // of an Across finding
}

func readWritten(t *testing.T) (list []*written) {
	t.Helper()
	const folder = "../../testdata/contracts/written/"
	for _, name := range must.Get(filepath.Glob(folder + "*.answers.json"))(t) {
		name = strings.TrimSuffix(filepath.Base(name), ".answers.json")
		w := &written{Name: name}
		for _, file := range []string{".json", ".answers.json"} {
			must.OK(t, json.Unmarshal(must.Get(os.ReadFile(folder+name+file))(t), w))
		}
		text := must.Get(filepath.Glob(folder + name + ".[mt]*"))(t)
		w.Text = must.Get(chunk.Clean(must.Get(os.ReadFile(text[0]))(t)))(t)
		w.dense = dense(w.Text)
		list = append(list, w)
	}
	return list
}

// replay is a model that answers what it is asked about the contracts from their recorded
// answers. A clause that no question shows has no finding.
type replay struct {
	contracts []*written
	mu        sync.Mutex
	asked     map[*written][]posed
}

// posed is a question that was asked.
type posed struct {
	stages          []record.Stage // empty: not about a passage
	prompt, passage string
	answer          string
}

func (r *replay) answer(q scripted.Question) string {
	stages, passage, _ := analyst.Asked(q.Name, q.User)
	w := r.about(cmp.Or(passage, q.User))
	answer := object{}
	switch {
	case q.Name == card.SchemaName:
		answer = w.Card
	case q.Name == whole.SchemaName:
		answer = w.wholeOf(q.User)
	default:
		answer["tasks"] = stages
		for _, stage := range stages {
			if stage == record.Categories {
				answer["clauses"] = w.clausesIn(passage)
			}
		}
		answer["findings"] = w.findingsIn(passage, q.User, stages)
	}
	p := posed{stages, string(q.Schema) + q.System + q.User, passage, answerOf(q, answer)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[w] = append(r.asked[w], p)
	return p.answer
}

// about returns the contract that a text shows most of.
func (r *replay) about(text string) *written {
	shown := strings.FieldsFunc(text, func(c rune) bool { return c == '\n' })
	return slices.MaxFunc(r.contracts, func(a, b *written) int { return a.has(shown) - b.has(shown) })
}

func (w *written) has(lines []string) (n int) {
	for _, line := range lines {
		if line = dense(line); strings.Contains(w.dense, line) {
			n += len(line)
		}
	}
	return n
}

type object = map[string]any

// answerOf completes an answer by the lists that its schema requires.
func answerOf(q scripted.Question, answer object) string {
	var schema struct{ Required []string }
	_ = json.Unmarshal(q.Schema, &schema)
	for _, field := range schema.Required {
		if answer[field] == nil {
			answer[field] = []any{}
		}
	}
	raw, _ := json.Marshal(answer)
	return string(raw)
}

func (w *written) clausesIn(passage string) []object {
	list := []object{}
	for _, c := range w.Clauses {
		if stands(passage, c[1]) {
			list = append(list, object{"category": c[0], "quote": c[1], "score": 90})
		}
	}
	return list
}

// findingsIn returns the findings of each analyst asked about a passage. The one that reads the rest,
// told which others read it too, has the findings of the ones that don't.
func (w *written) findingsIn(passage, user string, stages []record.Stage) []object {
	list := []object{}
	for _, f := range w.Findings {
		if !stands(passage, cmp.Or(f.Near, f.Quote)) {
			continue
		}
		taken, rest := false, strings.Contains(user, "Specialists called for this passage: ")
		for _, a := range analyst.All() {
			mine := (f.Analyst == "" || f.Analyst == a.Name) && slices.Contains(a.Topics, f.Topic) && slices.Contains(stages, a.Stage())
			if last := a.Stage() == stages[len(stages)-1] && rest; mine || last && !taken {
				entry := f.entry()
				entry["task"], entry["quote"] = a.Stage(), f.Quote
				list = append(list, entry)
				taken = true
			}
		}
	}
	return list
}

var listed = regexp.MustCompile(`(?m)^(\d+)\. .*\n   (.*?): `)

// wholeOf is the answer about all findings. A clause that a finding of two clauses holds too has
// no weight alone.
func (w *written) wholeOf(user string) object {
	numbers, as := map[string]int{}, map[string]int{}
	for _, m := range listed.FindAllStringSubmatch(user, -1) {
		numbers[m[2]], _ = strconv.Atoi(m[1])
	}
	same, weights := []object{}, []object{}
	for _, pair := range w.Same {
		first, again := cmp.Or(numbers[pair[0]], as[pair[0]]), numbers[pair[1]]
		switch {
		case again > 0 && first > 0:
			same = append(same, object{"finding": max(first, again), "as": min(first, again)})
		case again > 0:
			as[pair[0]] = again
			weights = append(weights, object{"finding": again, "severity": record.Info, "reason": "It is part of: " + pair[0] + "."})
		}
	}
	together, absent := []object{}, []object{}
	for _, f := range w.Across {
		if stands(user, f.Quotes[0]) && stands(user, f.Quotes[1]) {
			entry := f.entry()
			entry["first"], entry["second"], entry["contradiction"] = f.Quotes[0], f.Quotes[1], false
			together = append(together, entry)
		}
	}
	for _, f := range w.Absent {
		absent = append(absent, f.entry())
	}
	return object{"together": together, "same": same, "weights": weights, "absent": absent}
}

func (f recorded) entry() object {
	return object{"category": f.Topic, "title": f.Title, "explanation": f.Why, "severity": f.Severity, "fallback": f.Fallback}
}

// stands reports whether a text has a quote, by letters and digits alone.
func stands(text, quote string) bool { return strings.Contains(dense(text), dense(quote)) }

func dense(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
