package match

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// Asked is what a model said about a pair; its zero value is that none was
// asked.
type Asked struct {
	About     string // what the pair looked like then: Judgement.About
	Question  string // which question it was part of
	Answer    Answer
	Reasoning string
}

// Answer is a model's confidence that two documents belong together.
type Answer string

// The answers; None is that the model did not choose the candidate.
const (
	None   Answer = "none"
	Low    Answer = "low"
	Medium Answer = "medium"
	High   Answer = "high"
)

// modelScores are what the answers that make a match score.
var modelScores = map[Answer]float64{Medium: 0.8, High: 0.9}

// follow lets a model's answer decide an undecided pair.
func (j *Judgement) follow(a Asked) {
	if a.Answer == "" {
		return // there was no room for it in the question
	}
	reasoning := strings.TrimPrefix(j.Reasoning, undecided)
	j.DecidedBy = "model"
	switch a.Answer {
	case High, Medium:
		j.Outcome, j.Score, j.Confidence = Matched, modelScores[a.Answer], string(a.Answer)
		j.Reasoning = "The model: " + a.Reasoning + " The rules: " + reasoning
	case Low:
		j.Outcome, j.Reasoning = Suggested, "Unlikely to the model: "+a.Reasoning+" The rules: "+reasoning
	case None:
		j.Outcome = Dropped
	}
}

// fingerprint is the same for the same evidence.
func fingerprint(evidence []Evidence) string {
	h := sha256.New()
	for _, ev := range evidence {
		fmt.Fprintf(h, "%q %d %q\n", ev.Name, ev.Points, ev.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// asker is which of a pair's documents asks about it: the one that comes later
// in business and so knows of the other.
func (p Pair) asker() uuid.UUID {
	if rank[p.TypeA] > rank[p.TypeB] {
		return p.A
	}
	return p.B
}

func (p Pair) other(id uuid.UUID) uuid.UUID {
	if p.A == id {
		return p.B
	}
	return p.A
}

// maxCandidates is how many candidates one question has, the best ones.
const maxCandidates = 20

// open lists what the document asks about: its undecided pairs, best first,
// and those for which there is no room in the question.
func open(id uuid.UUID, all []Judgement) (list, beyond []Judgement) {
	for _, j := range all {
		if j.Undecided && j.Pair.asker() == id {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b Judgement) int {
		if a.ruleScore() != b.ruleScore() {
			return b.ruleScore() - a.ruleScore()
		}
		x, y := a.Pair.other(id), b.Pair.other(id)
		return slices.Compare(x[:], y[:])
	})
	n := min(len(list), maxCandidates)
	return list[:n], list[n:]
}

func (j Judgement) ruleScore() int { return sum(j.Evidence) }

// questionOf names what is asked: the pairs and what they look like.
func questionOf(list []Judgement) string {
	h := sha256.New()
	for _, j := range list {
		fmt.Fprintln(h, j.Pair.A, j.Pair.B, j.About)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// errAsk is why a judgement cannot be written yet.
var errAsk = errors.New("a model has to be asked first")

// deliberation is one document's way to a result with a model.
type deliberation struct {
	id      uuid.UUID
	pending []Judgement                    // what a model has to be asked about
	answers map[string]map[uuid.UUID]Asked // by question and candidate
	calls   int                            // of the model
}

// judge decides as Judge does, with the answers that are there. It returns
// errAsk when the document's own question has none.
func (d *deliberation) judge(ctx context.Context, c Competition) (result Result, err error) {
	all, err := judgeAll(ctx, c)
	if err != nil {
		return Result{}, err
	}
	mine, beyond := open(d.id, all)
	if result.Asked = leftOut(beyond); len(result.Asked) > 0 {
		if all, err = judgeAll(ctx, c.with(result.Asked)); err != nil {
			return Result{}, err
		}
	}
	question := questionOf(mine)
	if slices.ContainsFunc(mine, func(j Judgement) bool { return j.Pair.Asked.About != j.About || j.Pair.Asked.Question != question }) {
		answers, ok := d.answers[question]
		if !ok {
			d.pending = mine
			return Result{}, errAsk
		}
		for i, j := range all {
			if a, ok := answers[j.Pair.other(d.id)]; ok && j.Undecided && j.Pair.asker() == d.id {
				a.About, a.Question = j.About, question
				all[i].Pair.Asked = a
				all[i].follow(a)
				result.Asked = append(result.Asked, all[i].Pair)
			}
		}
	}
	for _, j := range all {
		switch asker := j.Pair.asker(); {
		case !j.Undecided && j.Pair.Asked != Asked{}: // the question has one candidate less
			j.Pair.Asked = Asked{}
			result.Asked = append(result.Asked, j.Pair)
			result.Stale = append(result.Stale, asker)
		case j.Undecided && j.Pair.Asked.About != j.About:
			result.Stale = append(result.Stale, asker)
		}
		result.add(j)
	}
	result.Stale = slices.DeleteFunc(result.Stale, func(id uuid.UUID) bool { return id == d.id })
	return result, nil
}

// knows reports whether all that is to be asked about is among the candidates.
func (d *deliberation) knows(candidates []Raw) bool {
	return !slices.ContainsFunc(d.pending, func(j Judgement) bool {
		return !slices.ContainsFunc(candidates, func(c Raw) bool { return c.ID == j.Pair.other(d.id) })
	})
}

// wanted lists what is to be asked about: a partner may be too much for a block.
func (d *deliberation) wanted() (ids []uuid.UUID) {
	for _, j := range d.pending {
		ids = append(ids, j.Pair.other(d.id))
	}
	return ids
}

// leftOut notes of pairs that they are beyond their document's question: what
// was said of them when they were not does not count any more, and nobody
// need ask about them.
func leftOut(beyond []Judgement) (pairs []Pair) {
	for _, j := range beyond {
		if now := (Asked{About: j.About}); j.Pair.Asked != now {
			j.Pair.Asked = now
			pairs = append(pairs, j.Pair)
		}
	}
	return pairs
}

// with is the competition with these instead of the same pairs of before.
func (c Competition) with(pairs []Pair) Competition {
	now := make(map[[2]uuid.UUID]Pair, len(pairs))
	for _, p := range pairs {
		now[[2]uuid.UUID{p.A, p.B}] = p
	}
	c.Pairs = slices.Clone(c.Pairs)
	for i, p := range c.Pairs {
		if p, ok := now[[2]uuid.UUID{p.A, p.B}]; ok {
			c.Pairs[i] = p
		}
	}
	return c
}

// ask asks the model about the pending pairs.
func (m *Matcher) ask(ctx context.Context, d *deliberation, doc Raw, candidates []Raw) error {
	byID := make(map[uuid.UUID]Raw, len(candidates))
	for _, c := range candidates {
		byID[c.ID] = c
	}
	list := make([]Raw, len(d.pending))
	for i, j := range d.pending {
		list[i] = byID[j.Pair.other(d.id)]
	}
	if d.calls >= maxCalls {
		return &failure.Error{Kind: failure.Transient, Sentence: fmt.Sprintf("the model was asked %d times and there is another question", d.calls)}
	}
	asker := *m.Model
	asker.Model, asker.Retry.Tries = counting{m.Model.Model, &d.calls}, maxCalls-d.calls
	q, order, err := QuestionOf(doc, list)
	if err != nil {
		return failure.Permanently("%s", err)
	}
	return asker.Ask(ctx, doc.TenantID, doc.ID, q, func(text string) error {
		chosen, err := parseAnswer(text, len(list))
		if err != nil {
			return err
		}
		answers := make(map[uuid.UUID]Asked, len(list))
		for number, i := range order {
			a := Asked{Answer: None}
			if c, ok := chosen[number+1]; ok {
				a.Answer, a.Reasoning = c.Confidence, line(c.Reasoning, maxReasoning)
			}
			answers[list[i].ID] = a
		}
		d.answers[questionOf(d.pending)] = answers
		return nil
	})
}

// maxCalls is how often a model is called in one attempt.
const maxCalls = 3

// counting counts the calls of a model.
type counting struct {
	llm.Model
	calls *int
}

func (c counting) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	*c.calls++
	return c.Model.Answer(ctx, q)
}

// choice is a candidate that the model chose.
type choice struct {
	Candidate  int    `json:"candidate"`
	Confidence Answer `json:"confidence"`
	Reasoning  string `json:"reasoning"`
}

// maxReasoning is how much of a reasoning is kept, in characters.
const maxReasoning = 500

// parseAnswer reads an answer to a question with n candidates. Its errors say
// what is wrong and quote nothing.
func parseAnswer(text string, n int) (map[int]choice, error) {
	var answer struct {
		Matches *[]choice `json:"matches"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&answer); err != nil {
		return nil, errors.New("it is no JSON of the form that was asked for")
	}
	if decoder.More() || answer.Matches == nil {
		return nil, errors.New("it is no JSON of the form that was asked for")
	}
	chosen := make(map[int]choice, len(*answer.Matches))
	for _, c := range *answer.Matches {
		switch _, twice := chosen[c.Candidate]; {
		case c.Candidate < 1 || c.Candidate > n:
			return nil, errors.New("it names a candidate that was not listed")
		case twice:
			return nil, errors.New("it names a candidate twice")
		case c.Confidence != Low && c.Confidence != Medium && c.Confidence != High:
			return nil, errors.New("its confidence is not high, medium or low")
		}
		chosen[c.Candidate] = c
	}
	return chosen, nil
}
