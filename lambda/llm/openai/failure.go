package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"

	"github.com/sashabaranov/go-openai"
)

// mishap is what went wrong with a request. It never leaves this package: its
// errors may hold anything, and are only looked at.
type mishap struct {
	status  int           // of the response; 0 if there was none
	code    string        // the provider's, one of codes
	wait    time.Duration // what the provider asks for
	ended   error         // of the context, if that is why
	network error         // of the connection, before the headers (status 0) or in the body
	library error         // of the library, before the request or after the response
	fault   fault         // of an answer that came
}

// Error is for the library, through which a mishap is passed.
func (*mishap) Error() string { return "mishap" }

// fault is what is wrong with an answer that came and could be decoded, or
// with what was to be asked.
type fault int

const (
	sound fault = iota
	noChoice
	refused
	cutOff
	filtered
	empty
	wrongCount
	wrongLength
	noDirection
	blank
)

// quotaWait is for a quota that is used up: somebody has to pay, or a month
// to end. It is far beyond what is waited for in process, and as a
// transient failure it is looked at again.
const quotaWait = time.Hour

// row is a line of the table.
type row struct {
	name     string
	match    func(*mishap) bool
	kind     failure.Kind
	sentence string
	refused  bool          // our credentials, or what they are allowed
	wait     time.Duration // at least; of transient ones
}

// table says what each mishap means; the first row that fits decides. What is
// in none is transient.
var table = []row{
	{name: "quota used up", match: func(m *mishap) bool {
		return m.status == http.StatusTooManyRequests && slices.Contains([]string{"insufficient_quota", "billing_hard_limit_reached"}, m.code)
	}, kind: failure.Transient, sentence: "the model provider's quota is used up", wait: quotaWait},
	{name: "too many requests", match: status(http.StatusTooManyRequests),
		kind: failure.Transient, sentence: "the model provider has too many requests"},
	{name: "provider failed", match: func(m *mishap) bool { return m.status/100 == 5 },
		kind: failure.Transient, sentence: "the model provider failed"},
	{name: "try again", match: status(http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly),
		kind: failure.Transient, sentence: "the model provider wants to be asked again"},
	{name: "no access", match: status(http.StatusUnauthorized, http.StatusForbidden),
		kind: failure.Permanent, sentence: "the model provider denied access", refused: true},
	{name: "no such model", match: status(http.StatusNotFound),
		kind: failure.Permanent, sentence: "the model provider knows no such model or address"},
	{name: "too long", match: func(m *mishap) bool { return m.status/100 == 4 && m.code == "context_length_exceeded" },
		kind: failure.Permanent, sentence: "the question is too long for the model"},
	{name: "any other 4xx", match: func(m *mishap) bool { return m.status/100 == 4 },
		kind: failure.Permanent, sentence: "the model provider refused the request"},
	{name: "redirect, or no status for an answer", match: func(m *mishap) bool { return m.status != 0 && m.status/100 != 2 },
		kind: failure.Transient, sentence: "the model provider neither answered nor failed"},

	{name: "stopped", match: func(m *mishap) bool { return errors.Is(m.ended, context.Canceled) },
		kind: failure.Transient, sentence: "stopped before it was done"},
	{name: "out of time", match: func(m *mishap) bool { return errors.Is(m.ended, context.DeadlineExceeded) },
		kind: failure.Transient, sentence: "out of time"},
	{name: "too slow", match: func(m *mishap) bool {
		var n net.Error
		return errors.As(m.network, &n) && n.Timeout()
	}, kind: failure.Transient, sentence: "the model provider took too long"},
	{name: "too large", match: func(m *mishap) bool { return errors.Is(m.network, errTooLarge) },
		kind: failure.Transient, sentence: "the model provider's answer is too large"},
	{name: "broke off", match: func(m *mishap) bool { return m.network != nil && m.status != 0 },
		kind: failure.Transient, sentence: "the model provider's answer broke off"},
	{name: "no connection", match: func(m *mishap) bool { return m.network != nil },
		kind: failure.Transient, sentence: "the connection to the model provider failed"},

	{name: "question not encodable", match: func(m *mishap) bool {
		var e *json.MarshalerError
		return errors.As(m.library, &e)
	}, kind: failure.Permanent, sentence: "the schema of the question is no JSON"},
	{name: "no model for questions", match: func(m *mishap) bool { return errors.Is(m.library, openai.ErrChatCompletionInvalidModel) },
		kind: failure.Permanent, sentence: "the model is of a kind that answers no questions"},
	{name: "no JSON", match: func(m *mishap) bool {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		return errors.As(m.library, &syntax) || errors.As(m.library, &kind) ||
			errors.Is(m.library, io.EOF) || errors.Is(m.library, io.ErrUnexpectedEOF)
	}, kind: failure.Transient, sentence: "the model provider's answer cannot be decoded"},

	{name: "no choice", match: is(noChoice), kind: failure.Transient, sentence: "the model provider sent no answer"},
	{name: "refusal", match: is(refused), kind: failure.Permanent, sentence: "the model refused to answer"},
	{name: "cut off", match: is(cutOff), kind: failure.Permanent, sentence: "the model's answer was cut off at its greatest length"},
	{name: "filtered", match: is(filtered), kind: failure.Permanent, sentence: "the model provider's content filter withheld the answer"},
	{name: "empty", match: is(empty), kind: failure.Transient, sentence: "the model's answer is empty"},
	{name: "wrong count", match: is(wrongCount), kind: failure.Transient, sentence: "the embeddings are not one for each text"},
	{name: "wrong length", match: is(wrongLength), kind: failure.Permanent, sentence: fmt.Sprintf("the embedding model does not answer in %d dimensions", dimensions)},
	{name: "no direction", match: is(noDirection), kind: failure.Transient, sentence: "an embedding is zero or not finite"},
	{name: "blank text", match: is(blank), kind: failure.Permanent, sentence: "a text to be embedded is empty"},
}

func status(these ...int) func(*mishap) bool {
	return func(m *mishap) bool { return slices.Contains(these, m.status) }
}

func is(f fault) func(*mishap) bool {
	return func(m *mishap) bool { return m.fault == f }
}

// classify decides about a mishap. No error of it is wrapped.
func classify(table []row, m *mishap) *failure.Error {
	for _, r := range table {
		if !r.match(m) {
			continue
		}
		e := &failure.Error{Kind: r.kind, Sentence: r.sentence + m.detail(), Refused: r.refused}
		if r.kind == failure.Transient {
			e.RetryAfter = max(m.wait, r.wait)
		}
		return e
	}
	err := m.library
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return &failure.Error{Kind: failure.Transient, Sentence: fmt.Sprintf("unexpected error of the model provider (%T)", err) + m.detail()}
}

// detail is all that is told of a response that failed.
func (m *mishap) detail() string {
	switch {
	case m.status == 0 || m.status/100 == 2:
		return ""
	case m.code == "":
		return fmt.Sprintf(" (HTTP %d)", m.status)
	}
	return fmt.Sprintf(" (HTTP %d, %s)", m.status, m.code)
}
