package openai

import (
	"encoding/json"
	"strings"

	"matchbook/lambda/llm"

	"github.com/sashabaranov/go-openai"
)

// form is the way to request JSON. If a server refuses one (see refusal.refusesFormat), the
// next is used, and later questions start with the last one accepted. Callers must check each
// answer against their schema in any case.
type form int32

const (
	bySchema form = iota // response_format json_schema: the server enforces the schema
	byObject             // response_format json_object, with the schema in the prompt: DeepSeek
	byPrompt             // only the schema in the prompt
)

func (f form) format(q llm.Question) *openai.ChatCompletionResponseFormat {
	switch f {
	case bySchema:
		return &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: q.Name, Schema: q.Schema, Strict: true},
		}
	case byObject:
		return &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return nil
}

// system returns the instructions. DeepSeek and OpenAI refuse json_object unless they contain
// the word JSON (https://api-docs.deepseek.com/guides/json_mode).
func (f form) system(q llm.Question) string {
	if f == bySchema {
		return q.System
	}
	return strings.TrimSpace(q.System + "\n\nAnswer with one JSON object and nothing else. " +
		"It follows this JSON schema:\n" + string(q.Schema))
}

// bare removes text around JSON written by models on servers without enforcement: thoughts
// before it, as <think> or, at Bedrock, <reasoning>, and a Markdown fence. It leaves any other
// text as it is.
func bare(text string) string {
	rest := strings.TrimSpace(text)
	for _, tag := range []string{"think>", "reasoning>"} {
		thoughts, begun := strings.CutPrefix(rest, "<"+tag)
		if _, after, ended := strings.Cut(thoughts, "</"+tag); begun && ended {
			rest = strings.TrimSpace(after)
		}
	}
	if inner, fenced := strings.CutPrefix(rest, "```"); fenced {
		if inner, closed := strings.CutSuffix(inner, "```"); closed {
			rest = strings.TrimSpace(strings.TrimPrefix(inner, "json"))
		}
	}
	if !strings.HasPrefix(rest, "{") || !json.Valid([]byte(rest)) {
		return text
	}
	return rest
}
