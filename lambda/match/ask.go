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
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// maxCandidates bounds the candidates of one question, best first.
const maxCandidates = 20

// open returns the document's question: its undecided pairs, best first. Pairs without room in
// the question are in beyond.
func open(id uuid.UUID, all []rules.Decision) (list, beyond []rules.Decision) {
	for _, d := range all {
		if d.Undecided && d.Pair.Later() == id {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b rules.Decision) int {
		if score.Sum(a.Evidence) != score.Sum(b.Evidence) {
			return score.Sum(b.Evidence) - score.Sum(a.Evidence)
		}
		x, y := a.Pair.Other(id), b.Pair.Other(id)
		return slices.Compare(x[:], y[:])
	})
	n := min(len(list), maxCandidates)
	return list[:n], list[n:]
}

func pairsHash(list []rules.Decision) string {
	h := sha256.New()
	for _, d := range list {
		fmt.Fprintln(h, d.Pair.A, d.Pair.B, d.About)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Decide lets the rules decide about the pairs of a competition that some documents change, with
// the answers of a model so far: each document's question has the answers of the ones before
// it. Unless the model failed, Decide returns the documents' questions that lack an answer, by
// document; nothing is decided then.
func Decide(ctx context.Context, c rules.Competition, drafts []*Draft) (
	result rules.Result, questions map[uuid.UUID][]rules.Decision, err error) {
	if !slices.ContainsFunc(drafts, func(d *Draft) bool { return d.exchange != nil }) {
		result, err = rules.Apply(ctx, c)
		return result, nil, err
	}
	var asked []rules.Pair
	var stale []uuid.UUID
	for _, d := range drafts {
		one, question, err := d.exchange.apply(ctx, c)
		switch {
		case err != nil:
			return rules.Result{}, nil, err
		case question != nil && questions == nil:
			questions = map[uuid.UUID][]rules.Decision{}
			fallthrough
		case question != nil:
			questions[d.Fence.ID] = question
			continue
		}
		result, asked, c = one, append(asked, one.Asked...), c.With(one.Asked)
		stale = slices.DeleteFunc(append(stale, one.Stale...), func(id uuid.UUID) bool { return id == d.Fence.ID })
	}
	if questions != nil {
		return rules.Result{}, questions, nil
	}
	result.Asked, result.Stale = asked, stale
	return result, nil, nil
}

// exchange holds an attempt's questions to a model, and the answers.
type exchange struct {
	id      uuid.UUID                            // of the document
	pending []rules.Decision                     // the question without an answer
	answers map[string]map[uuid.UUID]rules.Asked // by question and candidate
	calls   int                                  // of the model
	owing   bool                                 // the model failed: unanswered questions stay open
}

// apply is rules.Apply with the answers so far. It marks the pairs still owed an answer.
func (x *exchange) apply(ctx context.Context, c rules.Competition) (result rules.Result, unasked []rules.Decision, err error) {
	all, err := rules.Decide(ctx, c)
	if err != nil {
		return rules.Result{}, nil, err
	}
	mine, beyond := open(x.id, all)
	if result.Asked = leftOut(beyond); len(result.Asked) > 0 {
		if all, err = rules.Decide(ctx, c.With(result.Asked)); err != nil {
			return rules.Result{}, nil, err
		}
	}
	answers, ok := x.answers[pairsHash(mine)]
	if !ok && !x.owing && slices.ContainsFunc(mine, unanswered) {
		return rules.Result{}, mine, nil
	}
	var place rules.Place
	if len(beyond) > 0 {
		place = rules.Full
	}
	in := make(map[uuid.UUID]bool, len(mine))
	for _, d := range mine {
		in[d.Pair.Other(x.id)] = true
	}
	for _, d := range all {
		if other := d.Pair.Other(x.id); d.Undecided && d.Pair.Later() == x.id && in[other] && take(&d, answers[other], place) {
			result.Asked = append(result.Asked, d.Pair)
		}
		if d.Stale() { // if owed an answer, it was published before
			result.Stale = append(result.Stale, d.Pair.Later())
		}
		if d.Leave() || d.Owe() {
			result.Asked = append(result.Asked, d.Pair)
		}
		result.Add(d)
	}
	return result, nil, nil
}

func unanswered(d rules.Decision) bool { return !d.Answered() }

// take lets a new answer decide a pair of the question, or keeps the one it has, and reports
// whether the pair must be stored. Without either, the pair waits for an answer.
func take(d *rules.Decision, a rules.Asked, place rules.Place) (changed bool) {
	now := d.Pair.Asked
	switch {
	case d.Answered():
		now.Question = place
	case a.Answer != "":
		now = a
		now.About, now.Question = d.About, place
		d.Follow(now)
	case now.About != "": // it had no room before
		now = rules.Asked{Owed: now.Owed}
	}
	changed, d.Pair.Asked = now != d.Pair.Asked, now
	return changed
}

// knows reports whether the candidates include every document of the pending question.
func (x *exchange) knows(candidates []score.Raw) bool {
	return !slices.ContainsFunc(x.pending, func(d rules.Decision) bool {
		return !slices.ContainsFunc(candidates, func(c score.Raw) bool { return c.ID == d.Pair.Other(x.id) })
	})
}

// wanted lists the documents of the pending question; the block may lack a partner.
func (x *exchange) wanted() (ids []uuid.UUID) {
	for _, d := range x.pending {
		ids = append(ids, d.Pair.Other(x.id))
	}
	return ids
}

// leftOut marks the pairs without room in their document's question: an earlier answer no
// longer counts, and they need none.
func leftOut(beyond []rules.Decision) (pairs []rules.Pair) {
	for _, d := range beyond {
		if now := (rules.Asked{About: d.About}); d.Pair.Asked != now {
			d.Pair.Asked = now
			pairs = append(pairs, d.Pair)
		}
	}
	return pairs
}

func (m *Matcher) ask(ctx context.Context, x *exchange, doc score.Raw, candidates []score.Raw) error {
	byID := make(map[uuid.UUID]score.Raw, len(candidates))
	for _, c := range candidates {
		byID[c.ID] = c
	}
	list := make([]score.Raw, len(x.pending))
	for i, d := range x.pending {
		list[i] = byID[d.Pair.Other(x.id)]
	}
	if x.calls >= maxCalls {
		return &failure.Error{Kind: failure.Transient,
			Sentence: fmt.Sprintf("asked the model %d times, and the question has changed again", x.calls)}
	}
	asker := *m.Model
	asker.Model, asker.Retry.Tries = counting{m.Model.Model, &x.calls}, maxCalls-x.calls
	q, order, err := QuestionOf(doc, list, x.pending)
	if err != nil {
		return failure.Permanently("%s", err)
	}
	numbers := asked(order, x.pending)
	return asker.Ask(ctx, doc.TenantID, doc.ID, q, func(text string) error {
		verdicts, err := parseAnswer(text, len(list), numbers)
		if err != nil {
			return err
		}
		answers := make(map[uuid.UUID]rules.Asked, len(list))
		for _, number := range numbers {
			a := rules.Asked{Answer: rules.None}
			if v, ok := verdicts[number]; ok && v.Verdict != rules.None {
				a.Answer, a.Reasoning = v.Verdict, line(v.Evidence, maxReasoning)
			}
			answers[list[order[number-1]].ID] = a
		}
		x.answers[pairsHash(x.pending)] = answers
		return nil
	})
}

const maxCalls = 3

type counting struct {
	llm.Model
	calls *int
}

// Answer implements llm.Model.
func (c counting) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	*c.calls++
	return c.Model.Answer(ctx, q)
}

type verdict struct {
	Candidate int          `json:"candidate"`
	Evidence  string       `json:"evidence"`
	Verdict   rules.Answer `json:"verdict"`
}

// maxReasoning bounds the stored evidence, in characters.
const maxReasoning = 500

var errForm = errors.New("expected JSON of the requested schema")

// parseAnswer reads the answer to a question with n candidates: a verdict for each of the asked
// ones. Verdicts on others are ignored. Its errors name the mistake and never quote
// the answer, because they are logged.
func parseAnswer(text string, n int, asked []int) (map[int]verdict, error) {
	var answer struct {
		Candidates *[]verdict `json:"candidates"`
		Matches    *[]choice  `json:"matches"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&answer) != nil || decoder.More() || (answer.Candidates == nil) == (answer.Matches == nil) {
		return nil, errForm
	}
	if answer.Matches != nil {
		return parseChoices(*answer.Matches, n)
	}
	verdicts, err := eachOnce(*answer.Candidates, n)
	if err != nil {
		return nil, err
	}
	for _, number := range asked {
		if _, ok := verdicts[number]; !ok {
			return nil, errors.New("missing candidate")
		}
	}
	return verdicts, nil
}

// eachOnce returns the verdicts by candidate. Each candidate must occur once at most.
func eachOnce(list []verdict, n int) (map[int]verdict, error) {
	verdicts := make(map[int]verdict, len(list))
	for _, v := range list {
		switch _, twice := verdicts[v.Candidate]; {
		case v.Candidate < 1 || v.Candidate > n:
			return nil, errors.New("unknown candidate")
		case twice:
			return nil, errors.New("duplicate candidate")
		case !slices.Contains([]rules.Answer{rules.None, rules.Low, rules.Medium, rules.High}, v.Verdict):
			return nil, errors.New("invalid verdict: expected high, medium, low or none")
		}
		verdicts[v.Candidate] = v
	}
	return verdicts, nil
}

// choice is a candidate in the older form of an answer, listing only the candidates that
// belong to the document, so {"matches":[]} is valid: none of them. Models still use it behind
// servers that don't enforce the schema. In the requested form every asked candidate must be
// named, because a model that leaves one out may have overlooked it.
type choice struct {
	Candidate  int          `json:"candidate"`
	Confidence rules.Answer `json:"confidence"`
	Reasoning  string       `json:"reasoning"`
}

func parseChoices(choices []choice, n int) (map[int]verdict, error) {
	list := make([]verdict, len(choices))
	for i, c := range choices {
		if c.Confidence == rules.None {
			return nil, errors.New("invalid confidence: expected high, medium or low")
		}
		list[i] = verdict{c.Candidate, c.Reasoning, c.Confidence}
	}
	return eachOnce(list, n)
}
