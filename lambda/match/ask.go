package match

import (
	"context"
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

// ask asks the model the pending question.
func (a *attempt) ask(ctx context.Context) error {
	x, candidates := a.Exchange, a.Seen.Candidates
	byID := make(map[uuid.UUID]score.Raw, len(candidates))
	for _, c := range candidates {
		byID[c.ID] = c
	}
	list := make([]score.Raw, len(x.Pending))
	for i, d := range x.Pending {
		list[i] = byID[d.Pair.Other(x.Document)]
	}
	if a.calls >= maxCalls {
		return &failure.Error{Kind: failure.Transient,
			Sentence: fmt.Sprintf("asked the model %d times, and the question has changed again", a.calls)}
	}
	asker := *a.Model
	asker.Model, asker.Retry.Tries = counting{a.Model.Model, &a.calls}, maxCalls-a.calls
	q, order, err := QuestionOf(a.raw, list, x.Pending)
	if err != nil {
		return failure.Permanently("%s", err)
	}
	numbers := asked(order, x.Pending)
	return asker.Ask(ctx, a.raw.TenantID, a.raw.ID, q, func(text string) error {
		verdicts, err := parseAnswer(text, len(list), numbers)
		if err != nil {
			return err
		}
		answers := make(map[uuid.UUID]rules.Asked, len(list))
		for _, number := range numbers {
			one := rules.Asked{Answer: rules.None}
			if v, ok := verdicts[number]; ok && v.Verdict != rules.None {
				one.Answer, one.Reasoning = v.Verdict, line(v.Evidence, maxReasoning)
			}
			answers[list[order[number-1]].ID] = one
		}
		x.Answer(answers)
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
