package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"

	"github.com/sashabaranov/go-openai"
)

const (
	// seed is a fixed number, so that the same question gets the same answer more often.
	seed = 1

	// usualThoughts is the room for a model's reasoning before its answer, in tokens. OpenAI
	// advises to start with 25,000 (https://platform.openai.com/docs/guides/reasoning). If a
	// model uses it up, you get no answer and still pay for its tokens.
	usualThoughts = 25_000
)

// dialect describes the parameters accepted by a model; see the package documentation.
type dialect struct {
	reasons             bool // a reasoning model, without temperature
	seed                bool
	private             bool   // supports store
	maxCompletionTokens bool   // use it, not max_tokens
	thoughts            int    // room for reasoning, in tokens, on top of Question.MaxTokens
	effort              string // reasoning_effort; empty: the model's default
}

// add returns the members that go-openai can't send, because it omits zeros and false. Its
// users send the smallest float as a temperature of 0, but vLLM takes that for 0.01 and so
// samples again.
func (d dialect) add() string {
	add := ""
	if !d.reasons {
		add += `"temperature":0,`
	}
	if d.private {
		add += `"store":false,` // otherwise OpenAI stores the answers of new accounts
	}
	return add
}

// suffix names the above parameters with an influence on answers.
func (d dialect) suffix() string {
	s := ""
	if !d.reasons {
		s += " temperature=0"
	}
	if d.seed {
		s += " seed=1"
	}
	if d.effort != "" {
		s += " effort=" + d.effort
	}
	return s
}

type model struct {
	api      *openai.Client
	id, name string
	dialect  dialect
	forms    sync.Map    // by Question.Name: the form last accepted
	newer    atomic.Bool // the server refused max_tokens, so it gets the successor
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

// ask is Answer, but with an unclassified failure. A question refused for its form wasn't
// asked yet, so the next form is still the same try. Gemini doesn't explain that a schema is too
// large for it (github.com/vercel/ai/issues/21192), so the next form is also tried if nothing
// explains a refusal, but then not for the next question.
func (m *model) ask(ctx context.Context, q llm.Question) (llm.Answer, *failure.Call) {
	known, _ := m.forms.LoadOrStore(q.Name, bySchema)
	explained := true
	for f := known.(form); ; f++ {
		older := !m.dialect.maxCompletionTokens && !m.newer.Load()
		answer, failed := m.askIn(ctx, q, f)
		if failed != nil && failed.Code == noLength && older {
			m.newer.Store(true)
			answer, failed = m.askIn(ctx, q, f)
		}
		if failed == nil && explained {
			m.forms.Store(q.Name, f)
		}
		if failed == nil || f == byPrompt || failed.Code != noFormat && !unexplained(failed) {
			return answer, failed
		}
		explained = explained && failed.Code == noFormat
	}
}

func unexplained(c *failure.Call) bool { return c.Status == http.StatusBadRequest && c.Code == "" }

// askIn asks for an answer in this form.
func (m *model) askIn(ctx context.Context, q llm.Question, f form) (llm.Answer, *failure.Call) {
	request := m.request(q, f)
	response, err := m.api.CreateChatCompletion(ctx, request)
	if err != nil {
		return llm.Answer{}, asCall(err)
	}
	answer := llm.Answer{Usage: usage(response.Usage)}
	if f := inspect(response.Choices); f != sound {
		answer.CutOff = f == cutOff
		c := &failure.Call{Cause: f}
		if f == filtered {
			c.Code = blockOf(string(response.Choices[0].FinishReason))
		}
		return answer, c
	}
	if wasCut(request.Messages, response.Usage) {
		return answer, &failure.Call{Cause: cutQuestion}
	}
	answer.Text = bare(response.Choices[0].Message.Content)
	return answer, nil
}

// wasCut reports whether the server dropped a part of the question, instructions first, and
// answered the rest with status 200. Ollama does: it keeps half a context of a question beyond
// its context, 4,096 tokens by default (github.com/ollama/ollama/issues/17427, 8531). No
// default is small enough to cut a short question, so a usage far below half a context counts
// as unknown: proxies report 0, or leave out the tokens read from a cache.
func wasCut(messages []openai.ChatCompletionMessage, u openai.Usage) bool {
	const short, doubt, unknown = 1_000, 0.9, 500
	used := u.PromptTokens
	if u.PromptTokensDetails != nil {
		used += u.PromptTokensDetails.CachedTokens
	}
	least := 0
	for _, m := range messages {
		least += llm.LeastTokens(m.Content)
	}
	return least > short && used > unknown && float64(used) < doubt*float64(least)
}

func (m *model) request(q llm.Question, f form) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: m.id, ResponseFormat: f.format(q), ReasoningEffort: m.dialect.effort}
	if system := f.system(q); system != "" {
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem,
			Content: system})
	}
	r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: q.User})
	length := q.MaxTokens
	if length > 0 {
		length += m.dialect.thoughts
	}
	if m.dialect.maxCompletionTokens || m.newer.Load() {
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

// inspect checks the answer after a successful HTTP exchange. It reads the first choice only,
// because one was requested.
func inspect(choices []openai.ChatCompletionChoice) fault {
	if len(choices) == 0 {
		return noChoice
	}
	message := choices[0].Message
	switch reason := choices[0].FinishReason; {
	case message.Refusal != "":
		return declined
	case reason == openai.FinishReasonLength, reason == "MAX_TOKENS": // before empty: thoughts may have used it all
		return cutOff
	case reason == openai.FinishReasonContentFilter, blockOf(string(reason)) != "":
		return filtered
	case strings.TrimSpace(message.Content) == "":
		return empty
	}
	return sound
}

func usage(u openai.Usage) llm.Usage {
	return llm.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens}
}

// asCall returns the library's error as a Call: the one from the wire, or the library's error
// from before or after it.
func asCall(err error) *failure.Call {
	var c *failure.Call
	if errors.As(err, &c) {
		return c
	}
	return &failure.Call{Cause: err}
}
