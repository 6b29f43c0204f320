package openai

import (
	"context"
	"errors"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"

	"github.com/sashabaranov/go-openai"
)

const (
	// seed is any fixed number: with a fixed one, the same question gets the
	// same answer more often.
	seed = 1

	// thoughts is the room, in tokens, for the reasoning of a model before it
	// answers; OpenAI advises to begin with 25,000. A model that uses it up
	// returns no answer, and its tokens are paid for all the same.
	thoughts = 25_000
)

// dialect describes the parameters that a model accepts; see the package
// comment.
type dialect struct {
	reasons             bool // no temperature, and room for thoughts
	seed                bool
	private             bool // knows store
	maxCompletionTokens bool // not max_tokens
}

// add returns the members that go-openai cannot send: it leaves out zeros and
// false. Its users send the smallest float instead of a temperature of 0, which
// vLLM treats as 0.01 and so samples again.
func (d dialect) add() string {
	add := ""
	if !d.reasons {
		add += `"temperature":0,`
	}
	if d.private {
		add += `"store":false,` // OpenAI keeps the answers of new accounts otherwise
	}
	return add
}

// suffix names the parameters above that change answers.
func (d dialect) suffix() string {
	s := ""
	if !d.reasons {
		s += " temperature=0"
	}
	if d.seed {
		s += " seed=1"
	}
	return s
}

type model struct {
	api      *openai.Client
	id, name string
	dialect  dialect
}

// Name implements llm.Model.
func (m *model) Name() string { return m.name }

// Answer implements llm.Model.
func (m *model) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	answer, failed := m.ask(ctx, q)
	if failed != nil {
		return answer, table.Classify(failed)
	}
	return answer, nil
}

// ask is Answer before the failure is classified.
func (m *model) ask(ctx context.Context, q llm.Question) (llm.Answer, *failure.Call) {
	response, err := m.api.CreateChatCompletion(ctx, m.request(q))
	if err != nil {
		return llm.Answer{}, asCall(err)
	}
	answer := llm.Answer{Usage: usage(response.Usage)}
	if f := inspect(response.Choices); f != sound {
		return answer, &failure.Call{Cause: f}
	}
	answer.Text = response.Choices[0].Message.Content
	return answer, nil
}

func (m *model) request(q llm.Question) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{
		Model: m.id,
		ResponseFormat: &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: q.Name, Schema: q.Schema, Strict: true},
		},
	}
	if q.System != "" {
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem,
			Content: q.System})
	}
	r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: q.User})
	length := q.MaxTokens
	if m.dialect.reasons && length > 0 {
		length += thoughts
	}
	if m.dialect.maxCompletionTokens {
		r.MaxCompletionTokens = length
	} else {
		r.MaxTokens = length //nolint:staticcheck // the successor is unknown to most servers but OpenAI's
	}
	if m.dialect.seed {
		fixed := seed
		r.Seed = &fixed
	}
	return r
}

// inspect checks the answer of a model whose HTTP exchange succeeded. One
// choice was asked for; of more, the first is read.
func inspect(choices []openai.ChatCompletionChoice) fault {
	if len(choices) == 0 {
		return noChoice
	}
	message := choices[0].Message
	switch reason := choices[0].FinishReason; {
	case message.Refusal != "":
		return declined
	case reason == openai.FinishReasonLength: // before empty: thoughts may have used it all
		return cutOff
	case reason == openai.FinishReasonContentFilter:
		return filtered
	case strings.TrimSpace(message.Content) == "":
		return empty
	}
	return sound
}

func usage(u openai.Usage) llm.Usage {
	return llm.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens}
}

// asCall returns the error of the library as a Call: ours, from the wire, or the
// library's own, from before or after it.
func asCall(err error) *failure.Call {
	var c *failure.Call
	if errors.As(err, &c) {
		return c
	}
	return &failure.Call{Cause: err}
}
