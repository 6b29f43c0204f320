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

// fault is a fault of an answer that came and could be decoded, or of the
// question itself.
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

// Error lets a fault be the cause of a failure.Call.
func (fault) Error() string { return "fault" }

// quotaWait is the wait for a quota that is used up: someone has to pay, or a
// month to end. It is far longer than any wait in process, and as a transient
// failure it is tried again.
const quotaWait = time.Hour

// deploymentWait is Azure's own advice for a deployment that is new.
const deploymentWait = 5 * time.Minute

// table classifies the calls that brought no answer; failure.Table.Classify
// applies it, to the facts that wire.go collects. Row.Refused is about the key,
// not about a model that declines. The rows for a broken connection are shared by
// all adapters: failure.Unanswered, in failure/unanswered.go.
var table = failure.Table{Service: "the model provider", Codes: codes, Rows: slices.Concat([]failure.Row{
	// llama.cpp answered HTTP 500 at first (github.com/ggml-org/llama.cpp/pull/15780),
	// 400 later, and Ollama, which runs it, either.
	{Name: "too long", Match: func(c *failure.Call) bool {
		return c.ClientError() && c.Code == "context_length_exceeded" || c.Code == exceededContext
	}, Kind: failure.Permanent, Sentence: "the question is too long for the model"},
	// DeepSeek, OpenRouter, Mistral and others answer 402 where OpenAI answers 429:
	// https://api-docs.deepseek.com/quick_start/error_codes.
	{Name: "quota used up", Match: func(c *failure.Call) bool {
		return c.Status == http.StatusPaymentRequired || c.Status == http.StatusTooManyRequests &&
			slices.Contains([]string{"insufficient_quota", "billing_hard_limit_reached"}, c.Code)
	}, Kind: failure.Transient, Sentence: "the model provider's quota is used up", Wait: quotaWait},
	{Name: "too many requests", Match: failure.Status(http.StatusTooManyRequests),
		Kind: failure.Transient, Sentence: "the model provider has too many requests"},
	{Name: "provider failed", Match: (*failure.Call).ServerError,
		Kind: failure.Transient, Sentence: "the model provider failed"},
	{Name: "try again", Match: failure.Status(http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly),
		Kind: failure.Transient, Sentence: "the model provider asks for a repeat"},
	// Azure answers so for some minutes after a deployment was created
	// (github.com/OpenBMB/AgentVerse/issues/140), and for ever with a wrong name.
	{Name: "no deployment yet", Match: func(c *failure.Call) bool {
		return c.Status == http.StatusNotFound && c.Code == noDeployment
	}, Kind: failure.Transient, Sentence: "the model provider knows no such deployment yet", Wait: deploymentWait},
	// The same request is answered the next time
	// (github.com/drnic/groq-ruby/issues/12): the model wrote something else than JSON.
	{Name: "JSON refused by the server", Match: func(c *failure.Call) bool {
		return c.Status == http.StatusBadRequest && c.Code == invalidJSON
	}, Kind: failure.Transient, Sentence: "the model provider found no JSON in the model's answer"},
	{Name: "no access", Match: keyRefused,
		Kind: failure.Permanent, Sentence: "the model provider denied access", Refused: true},
	{Name: "no such model", Match: failure.Status(http.StatusNotFound),
		Kind: failure.Permanent, Sentence: "the model provider knows no such model or address"},
	{Name: "any other 4xx", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "the model provider refused the request"},
	{Name: "any other status", Match: (*failure.Call).ErrorStatus,
		Kind: failure.Transient, Sentence: "the model provider neither answered nor failed"},
}, failure.Unanswered("the model provider"), []failure.Row{
	{Name: "question not encodable", Match: func(c *failure.Call) bool {
		var e *json.MarshalerError
		return errors.As(c.Cause, &e)
	}, Kind: failure.Permanent, Sentence: "the schema of the question is not JSON"},
	{Name: "no model for questions", Match: func(c *failure.Call) bool {
		return errors.Is(c.Cause, openai.ErrChatCompletionInvalidModel)
	},
		Kind: failure.Permanent, Sentence: "the model is of a kind that cannot answer questions"},
	{Name: "no JSON", Match: func(c *failure.Call) bool {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		return errors.As(c.Cause, &syntax) || errors.As(c.Cause, &kind) ||
			errors.Is(c.Cause, io.EOF) || errors.Is(c.Cause, io.ErrUnexpectedEOF)
	}, Kind: failure.Transient, Sentence: "the model provider's answer cannot be decoded"},

	{Name: "no choice", Match: is(noChoice), Kind: failure.Transient, Sentence: "the model provider sent no answer"},
	{Name: "refusal", Match: is(declined), Kind: failure.Permanent, Sentence: "the model refused to answer"},
	{Name: "cut off", Match: is(cutOff), Kind: failure.Permanent,
		Sentence: "the model's answer was cut off at its greatest length"},
	{Name: "filtered", Match: is(filtered), Kind: failure.Permanent,
		Sentence: "the model provider's content filter withheld the answer"},
	{Name: "empty", Match: is(empty), Kind: failure.Transient, Sentence: "the model's answer is empty"},
	{Name: "question cut", Match: is(cutQuestion), Kind: failure.Permanent,
		Sentence: "the server cut the question without an error, so the answer is of no use: its context is too small"},
	{Name: "wrong count", Match: is(wrongCount), Kind: failure.Transient,
		Sentence: "the embeddings are not one for each text"},
	{Name: "wrong length", Match: is(wrongLength), Kind: failure.Permanent,
		Sentence: "the embeddings are not of the requested length"},
	{Name: "no direction", Match: is(noDirection), Kind: failure.Transient,
		Sentence: "an embedding is zero or not finite"},
	{Name: "blank text", Match: is(blank), Kind: failure.Permanent, Sentence: "a text to be embedded is empty"},
})}

func is(f fault) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return errors.Is(c.Cause, f) }
}
