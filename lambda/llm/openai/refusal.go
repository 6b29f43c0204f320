package openai

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// refusal is the error object in the body of a failed call; nil without one. Servers nest it
// differently:
//
//	{"error":{"message","type","param","code"}}        OpenAI, Azure, Groq, llama.cpp
//	[{"error":{"code":400,"status","details":[]}}]     Gemini (github.com/liliMozi/openhanako/issues/394)
//	{"object":"error","message","type","code":400}     vLLM before 0.10 (github.com/vllm-project/vllm/issues/15465)
//	{"error":"Unauthorized"}                           vLLM's check of the key, LM Studio
//	                                                   (github.com/lmstudio-ai/lmstudio-bug-tracker/issues/307)
type refusal map[string]any

func parseRefusal(body []byte) refusal {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return nil
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	outer, _ := v.(map[string]any)
	if inner, ok := outer["error"].(map[string]any); ok {
		return inner
	}
	return outer
}

// text returns a text member.
func (r refusal) text(name string) string {
	s, _ := r[name].(string)
	return s
}

// details returns this member of each of Google's details; see
// https://cloud.google.com/apis/design/errors.
func (r refusal) details(name string) (found []string) {
	list, _ := r["details"].([]any)
	for _, v := range list {
		detail, _ := v.(map[string]any)
		if s, ok := detail[name].(string); ok {
			found = append(found, s)
		}
	}
	return found
}

// wait returns the delay of google.rpc.RetryInfo, "37s".
func (r refusal) wait() time.Duration {
	for _, delay := range r.details("retryDelay") {
		return reset(delay)
	}
	return 0
}

// codes are the error codes safe to use in a sentence; any other may contain anything. Each
// server uses a different member for its code.
var codes = slices.Concat([]string{
	"insufficient_quota", "billing_hard_limit_reached", "rate_limit_exceeded",
	"invalid_api_key", badGoogleKey, "context_length_exceeded", exceededContext, "content_filter",
	"model_not_found", noDeployment, "unsupported_parameter", "unsupported_value",
	invalidJSON, noFormat, noLength,
}, blocks)

// blocks are Gemini's reasons to withhold an answer; it uses them as finish_reason, too
// (github.com/HKUDS/Vibe-Trading/pull/308).
var blocks = []string{"PROHIBITED_CONTENT", "SAFETY", "RECITATION", "BLOCKLIST", "SPII"}

// blockOf returns the reason of blocks in a text, as a word, or "".
func blockOf(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') }) {
		if slices.Contains(blocks, word) {
			return word
		}
	}
	return ""
}

const (
	badGoogleKey    = "API_KEY_INVALID"
	exceededContext = "exceed_context_size_error" // llama.cpp's
	noDeployment    = "DeploymentNotFound"        // Azure's
	invalidJSON     = "json_validate_failed"      // Groq's
	noFormat        = "response_format"           // set by refusesFormat: the server doesn't support the form of the answer
	noLength        = "max_tokens"                // set by refusesLength: the server only knows its successor
)

// code returns a known code in the error, or "".
func (r refusal) code(status int) string {
	found := ""
	for _, said := range append([]string{r.text("code"), r.text("type")}, r.details("reason")...) {
		if found == "" && slices.Contains(codes, said) {
			found = said
		}
	}
	if found == "" {
		found = blockOf(r.text("status") + " " + r.text("message"))
	}
	if found != "" && !strings.HasPrefix(found, "unsupported_") {
		return found
	}
	switch {
	case r.refusesLength(status):
		return noLength
	case r.refusesFormat(status):
		return noFormat
	}
	return found
}

// refusesLength reports whether the server refused max_tokens and asks for its successor:
//
//	Bedrock  The 'max_tokens' parameter is not supported, use 'max_completion_tokens' instead
//	         (github.com/CherryHQ/cherry-studio/issues/9655)
//	OpenAI   Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.
//
// Messages about a length that is too large may name both, too.
func (r refusal) refusesLength(status int) bool {
	words := strings.ToLower(r.text("message") + " " + r.text("error"))
	return isBadRequest(status) && strings.Contains(words, "max_completion_tokens") &&
		(strings.Contains(words, "not supported") || strings.Contains(words, "unsupported"))
}

func isBadRequest(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}

// refusesFormat reports whether the server doesn't support the requested form of the answer.
// Servers have no code for it, so it looks for the member's name in the message:
//
//	OpenAI    Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model
//	          (github.com/langchain-ai/langchain/issues/31490)
//	DeepSeek  This response_format type is unavailable now (github.com/llm-exe/llm-exe/issues/662), as HTTP 422
//	          response_format.type `json_schema` is unavailable now (github.com/dzhng/deep-research/issues/22)
//	Groq      'response_format' : one of the following must be satisfied (github.com/vercel/ai/issues/7802)
//	LM Studio 'response_format.type' must be 'json_schema' or 'text'
//	          (github.com/willmiao/ComfyUI-Lora-Manager/issues/1033)
//	Gemini    The specified schema produces a constraint that has too many states for serving
//	          (github.com/googleapis/python-genai/issues/660)
//	Volcano   param response_format.type, supported values are: `json_object` and `text`
//	          (github.com/agno-agi/agno/issues/2553)
func (r refusal) refusesFormat(status int) bool {
	if !isBadRequest(status) {
		return false
	}
	words := strings.ToLower(r.text("param") + " " + r.text("message") + " " + r.text("error"))
	return slices.ContainsFunc([]string{"response_format", "response format", "schema", "json_object"},
		func(name string) bool { return strings.Contains(words, name) })
}
