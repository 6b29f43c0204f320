// Package llm defines language models for the workloads: a Model answers one question with
// JSON, an Embedder turns texts into vectors, an Asker never pays twice for an answer, and
// Retry repeats a failed question after a wait. It is independent of providers; use package
// openai to connect to one.
//
// Treat an answer as untrusted data: it is raw text, not read yet. You must parse and check it
// within the same try, because the next answer to the same question may be better.
//
// Implementations classify a failure where it happens and return a *failure.Error, with any
// wait requested by the provider. They must not retry: that is the caller's decision.
package llm

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
)

// Question asks for one structured answer.
type Question struct {
	Name      string          // the schema's name: letters, digits, _ and -, at most 64
	Version   string          // of the prompt, for readers of the vault; not sent to the model
	System    string          // the instructions to the model; may be empty
	User      string          // the data to be examined
	Schema    json.RawMessage // strict JSON schema for the answer
	MaxTokens int             // limit of the answer, without reasoning; 0 is the provider's limit
	// Divisible keeps CutOff as the answer if it was cut off at the limit, so that you can divide
	// the question, and never buy its answer again.
	Divisible bool
	// Corrects tells the model, in a further try, why its last answer couldn't be used.
	Corrects bool
}

// again introduces the reason why the last answer couldn't be used.
const again = "\n\nYour last answer to this could not be used: "

// after returns the question for a try after an unusable answer. The reason comes last, so that
// a provider's cache still holds the rest.
func (q Question) after(why error) Question {
	if q.Corrects && why != nil {
		q.User += again + Unfenced(why.Error()) + ". Answer again, in the requested form."
	}
	return q
}

// First returns the User text of a question's first try.
func First(user string) string {
	user, _, _ = strings.Cut(user, again)
	return user
}

// CutOff stands for an answer that was cut off; see Question.Divisible.
const CutOff = `{"cut_off":true}`

// Usage counts the billed tokens, as reported by the provider.
type Usage struct{ PromptTokens, CompletionTokens int }

// Price is the price of a model, in USD per million tokens.
type Price struct{ Prompt, Completion float64 }

// Of returns the cost of the tokens in millionths of a USD.
func (p Price) Of(u Usage) float64 {
	return p.Prompt*float64(max(u.PromptTokens, 0)) + p.Completion*float64(max(u.CompletionTokens, 0))
}

// Answer is the reply of a model.
type Answer struct {
	Text   string // raw JSON, not parsed yet; never empty
	Usage  Usage
	CutOff bool // at the maximum length, as a failure
}

// Model answers questions. Implementations must be safe for concurrent use.
type Model interface {
	// Name is the name to store answers under: the model, plus everything else with an
	// influence on its answers.
	Name() string
	// Answer asks once. It returns errors as *failure.Error; Usage and CutOff may then be set
	// too, because an unusable answer still costs.
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Vector is the embedding of a text, of length 1, so that the scalar product of two vectors is
// their cosine.
type Vector []float32

// Embedder turns texts into vectors. Implementations must be safe for concurrent use.
type Embedder interface {
	// Name is the name to store vectors under. You must not compare vectors of different
	// names.
	Name() string
	// Embed returns one vector per text, in order. Texts must not be empty. It returns errors
	// as *failure.Error, without vectors; the Usage is then the cost so far.
	Embed(ctx context.Context, texts []string) ([]Vector, Usage, error)
}

// Bytes encodes the vector for storage: 4 bytes per number, little endian.
func (v Vector) Bytes() []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// VectorOf decodes the output of Bytes. It returns nil if b is invalid.
func VectorOf(b []byte) Vector {
	if len(b) == 0 || len(b)%4 != 0 {
		return nil
	}
	v := make(Vector, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
