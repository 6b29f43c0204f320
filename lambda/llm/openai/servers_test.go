package openai

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// limited is a 429 with the headers of the two limits, as "name value ...".
func limited(name, body string, wait time.Duration, headers ...string) failureCase {
	for i := 0; i < len(headers); i += 2 {
		headers[i] = "x-ratelimit-" + headers[i]
	}
	return simple(name, says(429, body, headers...), transient,
		"too many requests to the model provider (HTTP 429, rate_limit_exceeded)", wait)
}

// ofServers are failures in the words of the servers that are known for them.
// Where a server's message could be anything, it is a secret.
func ofServers() []failureCase {
	message := `"message":` + quoted(secretResponse)
	typed := func(limit string) string {
		return `{"error":{` + message + `,"type":"` + limit + `","param":null,"code":"rate_limit_exceeded"}}`
	}
	unnamed := failing("rate_limit_exceeded")
	gemini := func(code, status, details string) string {
		return `[{"error":{"code":` + code + `,` + message + `,"status":"` + status + `","details":[` + details + `]}}]`
	}
	badKey := gemini("400", "INVALID_ARGUMENT",
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"},`+
			`{"@type":"type.googleapis.com/google.rpc.LocalizedMessage",`+message+`}`)
	later := gemini("429", "RESOURCE_EXHAUSTED",
		`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]},`+
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}`)
	const (
		quota   = "model provider's quota exhausted"
		denied  = "model provider denied access"
		refused = "model provider rejected the request"
		long    = "question too long for the model"
	)
	return []failureCase{
		// Requests a day and tokens a minute, side by side: https://console.groq.com/docs/rate-limits.
		limited("Groq: no tokens left", unnamed, 820*time.Millisecond, "remaining-requests", "43",
			"reset-requests", "11h30m0s", "remaining-tokens", "0", "reset-tokens", "820ms"),
		limited("Groq: too few tokens left", unnamed, 820*time.Millisecond, "remaining-requests", "43",
			"reset-requests", "11h30m0s", "remaining-tokens", "211", "reset-tokens", "820ms"),
		limited("Groq: no requests left", unnamed, 2*time.Minute+59560*time.Millisecond, "remaining-requests", "0",
			"reset-requests", "2m59.56s", "remaining-tokens", "17993", "reset-tokens", "7.66s"),
		limited("Groq: neither left", unnamed, 3*time.Minute, "remaining-requests", "0", "reset-requests", "3m",
			"remaining-tokens", "0", "reset-tokens", "1s"),
		// The type names the limit: github.com/openai/codex/issues/88.
		limited("OpenAI: tokens, in words", typed("tokens"), 2*time.Second, "reset-requests", "6m0s", "reset-tokens", "2s"),
		limited("OpenAI: requests, in words", typed("requests"), 6*time.Minute,
			"reset-requests", "6m0s", "reset-tokens", "2s"),
		limited("resets without a word which", unnamed, 8640*time.Millisecond,
			"reset-requests", "8.64s", "reset-tokens", "6m0s"),
		limited("Azure: seconds", unnamed, 30*time.Second, "reset-requests", "30", "reset-tokens", "0"),
		limited("only the tokens", unnamed, time.Second, "reset-tokens", "1s"),
		limited("no tokens left, requests not named", unnamed, 9*time.Second, "remaining-tokens", "0",
			"reset-requests", "1s", "reset-tokens", "9s"),
		simple("Gemini: the wait is in the body", says(429, later), transient,
			"too many requests to the model provider (HTTP 429)", 37*time.Second),
		simple("Gemini: Retry-After before the body", says(429, later, "Retry-After", "3"), transient,
			"too many requests to the model provider (HTTP 429)", 3*time.Second),

		// Nothing left to pay with: https://api-docs.deepseek.com/quick_start/error_codes,
		// https://openrouter.ai/docs/api-reference/errors.
		simple("DeepSeek: 402", says(402, `{"error":{`+message+`,"type":"unknown_error","param":null,`+
			`"code":"invalid_request_error"}}`), transient, quota+" (HTTP 402)", time.Hour),
		simple("OpenRouter: 402", says(402, `{"error":{"code":402,`+message+`}}`), transient,
			quota+" (HTTP 402)", time.Hour),

		// Groq's check of the answer, which passes the next time: github.com/langchain-ai/langchain/issues/31459,
		// github.com/drnic/groq-ruby/issues/12.
		simple("Groq: no JSON", says(400, `{"error":{`+message+`,"type":"invalid_request_error",`+
			`"code":"json_validate_failed","failed_generation":`+quoted(secretResponse)+`}}`), transient,
			"model provider refused the answer: expected JSON (HTTP 400, json_validate_failed)", 0),

		// Gemini's errors are a list of one: github.com/liliMozi/openhanako/issues/394; its bad key is a 400:
		// github.com/continuedev/continue/issues/10290.
		simple("Gemini: a bad key", says(400, badKey), permanent, denied+" (HTTP 400, API_KEY_INVALID)", 0),
		simple("Gemini: an unknown member", says(400, gemini("400", "INVALID_ARGUMENT",
			`{"@type":"type.googleapis.com/google.rpc.BadRequest"}`)), permanent, refused+" (HTTP 400)", 0),

		simple("Gemini: a blocked question", says(400, `[{"error":{"code":400,"message":"The prompt was blocked: PROHIBITED_CONTENT",`+
			`"status":"INVALID_ARGUMENT"}}]`), permanent,
			"model provider's content filter refused the question (HTTP 400, PROHIBITED_CONTENT)", 0),
		simple("Azure: a blocked question", says(400, `{"error":{`+message+`,"code":"content_filter"}}`), permanent,
			"model provider's content filter refused the question (HTTP 400, content_filter)", 0),

		// vLLM before 0.10, at the top level: github.com/vllm-project/vllm/issues/15465; its check of the key is a text.
		simple("vLLM: a bad request", says(400, `{"object":"error",`+message+`,"type":"BadRequestError",`+
			`"param":null,"code":400}`), permanent, refused+" (HTTP 400)", 0),
		simple("vLLM: too long", says(400, `{"object":"error",`+message+`,"type":"BadRequestError",`+
			`"code":"context_length_exceeded"}`), permanent, long+" (HTTP 400, context_length_exceeded)", 0),
		simple("vLLM: a bad key", says(401, `{"error":"Unauthorized"}`), permanent, denied+" (HTTP 401)", 0),

		// github.com/ggml-org/llama.cpp/pull/15780 (500), github.com/melagiri/code-insights/issues/271 (400).
		simple("llama.cpp: too long", says(400, `{"error":{"code":400,`+message+`,"type":"exceed_context_size_error",`+
			`"n_prompt_tokens":1407,"n_ctx":256}}`), permanent, long+" (HTTP 400, exceed_context_size_error)", 0),
		simple("llama.cpp: too long, in 2025", says(500, `{"error":{"code":500,`+message+`,`+
			`"type":"exceed_context_size_error"}}`), permanent, long+" (HTTP 500, exceed_context_size_error)", 0),

		// github.com/OpenBMB/AgentVerse/issues/140: "created within the last 5 minutes".
		simple("Azure: a fresh deployment", says(404, `{"error":{"code":"DeploymentNotFound",`+message+`}}`), transient,
			"unknown deployment at the model provider; a new one takes minutes (HTTP 404, DeploymentNotFound)", 5*time.Minute),

		simple("an empty list", says(400, `[]`), permanent, refused+" (HTTP 400)", 0),
		simple("a list of texts", says(400, `[`+quoted(secretResponse)+`]`), permanent, refused+" (HTTP 400)", 0),
	}
}

// A key that was replaced is refused with another status by some servers; the
// question is sent again with the new one, and counts as one try.
func TestKeyRenewal(t *testing.T) {
	t.Parallel()
	bad := `[{"error":{"code":400,"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`
	for name, refuse := range map[string]http.HandlerFunc{
		"401": says(401, failing("invalid_api_key")), "403": says(403, failing("x")), "Gemini's 400": says(400, bad),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			x := exchange{config: func(c *Config) { c.Renew = renewedTo("new") },
				serve: func(w http.ResponseWriter, r *http.Request) {
					asked++
					if r.Header.Get("Authorization") != "Bearer new" {
						refuse(w, r)
						return
					}
					says(200, answer(`"message":{"content":"{}"},"finish_reason":"stop"`))(w, r)
				}}
			if failed := x.happen(t); failed != nil || asked != 2 {
				t.Errorf("asked %d times, got %+v", asked, failed)
			}
		})
	}
}

// renewedTo is a Config.Renew.
func renewedTo(key string) func(context.Context, string) (string, bool) {
	return func(_ context.Context, refused string) (string, bool) { return key, refused != key }
}
