package openai

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"

	"github.com/sashabaranov/go-openai"
)

// fault is a fault of a decoded answer, or of the question.
type fault int

const (
	sound fault = iota
	noChoice
	declined // by the model, in words
	cutOff
	filtered
	empty
	cutQuestion
	wrongCount
	wrongLength
	noDirection
	blank
)

// Error lets you use a fault as the cause of a failure.Call.
func (fault) Error() string { return "fault" }

// quotaWait is the wait for an exhausted quota: somebody has to pay, or a month to end. Since
// it is far longer than any wait in the process, the queue retries.
const quotaWait = time.Hour

// deploymentWait is Azure's advice for a new deployment.
const deploymentWait = 5 * time.Minute

// table classifies the calls without an answer; failure.Table.Classify applies it to the facts
// collected by wire.go. Row.Refused is about the key, not about a declining model. All
// adapters share the rows for a broken connection; see failure.Unanswered.
var table = failure.Table{Service: "model provider", Codes: codes, Rows: slices.Concat([]failure.Row{
	// llama.cpp used HTTP 500 first (github.com/ggml-org/llama.cpp/pull/15780) and 400 later;
	// Ollama, which runs it, uses either.
	{Name: "too long", Match: func(c *failure.Call) bool {
		return c.ClientError() && c.Code == "context_length_exceeded" || c.Code == exceededContext
	}, Kind: failure.Permanent, Sentence: "question too long for the model"},
	// DeepSeek, OpenRouter, Mistral and others use 402 where OpenAI uses 429:
	// https://api-docs.deepseek.com/quick_start/error_codes.
	{Name: "quota used up", Match: func(c *failure.Call) bool {
		return c.Status == http.StatusPaymentRequired || c.Status == http.StatusTooManyRequests &&
			slices.Contains([]string{"insufficient_quota", "billing_hard_limit_reached"}, c.Code)
	}, Kind: failure.Transient, Sentence: "model provider's quota exhausted", Wait: quotaWait, Away: true},
	{Name: "too many requests", Match: failure.Status(http.StatusTooManyRequests),
		Kind: failure.Transient, Sentence: "too many requests to the model provider", Busy: true},
	{Name: "provider failed", Match: (*failure.Call).ServerError,
		Kind: failure.Transient, Sentence: "model provider failed", Away: true},
	{Name: "try again", Match: failure.Status(http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly),
		Kind: failure.Transient, Sentence: "model provider asked for a retry"},
	// Azure responds like this for some minutes after a deployment was created
	// (github.com/OpenBMB/AgentVerse/issues/140), and forever for a wrong name.
	{Name: "no deployment yet", Match: func(c *failure.Call) bool {
		return c.Status == http.StatusNotFound && c.Code == noDeployment
	}, Kind: failure.Transient, Sentence: "unknown deployment at the model provider; a new one takes minutes", Wait: deploymentWait},
	// The same request succeeds the next time (github.com/drnic/groq-ruby/issues/12): the
	// model wrote something other than JSON.
	{Name: "JSON refused by the server", Match: func(c *failure.Call) bool {
		return c.Status == http.StatusBadRequest && c.Code == invalidJSON
	}, Kind: failure.Transient, Sentence: "model provider refused the answer: expected JSON"},
	{Name: "question blocked", Match: func(c *failure.Call) bool {
		return c.ClientError() && (c.Code == "content_filter" || slices.Contains(blocks, c.Code))
	}, Kind: failure.Permanent, Sentence: "model provider's content filter refused the question"},
	{Name: "no access", Match: keyRefused,
		Kind: failure.Permanent, Sentence: "model provider denied access", Refused: true},
	{Name: "no such model", Match: failure.Status(http.StatusNotFound),
		Kind: failure.Permanent, Sentence: "unknown model or address at the model provider"},
	{Name: "any other 4xx", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "model provider rejected the request"},
	{Name: "any other status", Match: (*failure.Call).ErrorStatus,
		Kind: failure.Transient, Sentence: "unexpected status from the model provider"},
}, failure.Unanswered("model provider"), []failure.Row{
	{Name: "question not encodable", Match: func(c *failure.Call) bool {
		var e *json.MarshalerError
		return errors.As(c.Cause, &e)
	}, Kind: failure.Permanent, Sentence: "invalid schema of the question: expected JSON"},
	{Name: "no model for questions", Match: func(c *failure.Call) bool {
		return errors.Is(c.Cause, openai.ErrChatCompletionInvalidModel)
	},
		Kind: failure.Permanent, Sentence: "model does not support chat completions"},
	{Name: "no JSON", Match: func(c *failure.Call) bool {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		return errors.As(c.Cause, &syntax) || errors.As(c.Cause, &kind) ||
			errors.Is(c.Cause, io.EOF) || errors.Is(c.Cause, io.ErrUnexpectedEOF)
	}, Kind: failure.Transient, Sentence: "invalid response from the model provider"},

	{Name: "no choice", Match: is(noChoice), Kind: failure.Transient, Sentence: "missing answer from the model provider"},
	{Name: "refusal", Match: is(declined), Kind: failure.Permanent, Sentence: "model refused to answer"},
	{Name: "cut off", Match: is(cutOff), Kind: failure.Permanent,
		Sentence: "model's answer cut off at the maximum length"},
	{Name: "filtered", Match: is(filtered), Kind: failure.Permanent,
		Sentence: "model provider's content filter withheld the answer"},
	{Name: "empty", Match: is(empty), Kind: failure.Transient, Sentence: "missing text in the model's answer"},
	{Name: "question cut", Match: is(cutQuestion), Kind: failure.Permanent,
		Sentence: "server truncated the question without an error; increase the model's context size"},
	{Name: "wrong count", Match: is(wrongCount), Kind: failure.Transient,
		Sentence: "expected one embedding for each text"},
	{Name: "wrong length", Match: is(wrongLength), Kind: failure.Permanent,
		Sentence: "unexpected length of embeddings"},
	{Name: "no direction", Match: is(noDirection), Kind: failure.Transient,
		Sentence: "invalid embedding: zero or not finite"},
	{Name: "blank text", Match: is(blank), Kind: failure.Permanent, Sentence: "missing text to embed"},
})}

func is(f fault) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return errors.Is(c.Cause, f) }
}
