package openai

import (
	"encoding/json"
	"strings"

	"matchbook/lambda/llm"

	"github.com/sashabaranov/go-openai"
)

// form is the way in which a question demands the form of its answer. A server
// that refuses one (refusal.refusesFormat) is asked in the next, and every later
// question begins with the one that was answered. The callers check each answer
// against their schema in any case.
type form int32

const (
	bySchema form = iota // response_format json_schema: the server writes nothing else
	byObject             // response_format json_object, and the schema in the prompt: DeepSeek
	byPrompt             // only the schema in the prompt
)

// format returns the member response_format.
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

// system returns the instructions. DeepSeek and OpenAI refuse json_object unless
// they contain the word JSON (https://api-docs.deepseek.com/guides/json_mode).
func (f form) system(q llm.Question) string {
	if f == bySchema {
		return q.System
	}
	return strings.TrimSpace(q.System + "\n\nAnswer with one JSON object and nothing else. " +
		"It follows this JSON schema:\n" + string(q.Schema))
}

// bare removes what models write around JSON where no server hinders them: their
// thoughts before it, and a fence of Markdown. Any other text is left as it is.
func bare(text string) string {
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, "<think>") {
		if _, after, ended := strings.Cut(rest, "</think>"); ended {
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
