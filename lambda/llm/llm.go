// Package llm is the workloads' view of language models: a Model answers one
// question with JSON that follows a schema, an Embedder turns texts into
// vectors, and Retry repeats a failed question, with waits. It knows no
// provider; package openai, below it, speaks to most of them.
//
// A model's words reach us as data. An answer is raw text that has not been
// read yet: the caller parses and checks it, as part of the same try, because
// the next answer to the same question may be a better one.
//
// Implementations decide the kind of a failure where it happens and return a
// *failure.Error, with the wait that the provider asked for. They never try
// twice themselves.
package llm

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
)

// Question asks for one structured answer.
type Question struct {
	Name      string          // of the schema: letters, digits, _ and -, at most 64
	Version   string          // of the prompt, for people who read the vault; no model sees it
	System    string          // the instructions to the model; may be empty
	User      string          // the data to be examined
	Schema    json.RawMessage // strict JSON schema that the answer must follow
	MaxTokens int             // of the answer, without the model's reasoning; 0 is the provider's limit
}

// Usage counts the tokens that were paid for, as the provider counts them.
type Usage struct{ PromptTokens, CompletionTokens int }

// Price is the price of a model, in USD per million tokens.
type Price struct{ Prompt, Completion float64 }

// Of returns the cost of the tokens in millionths of a USD.
func (p Price) Of(u Usage) float64 {
	return p.Prompt*float64(max(u.PromptTokens, 0)) + p.Completion*float64(max(u.CompletionTokens, 0))
}

// Answer is the reply of a model.
type Answer struct {
	Text  string // raw JSON, not parsed; never empty
	Usage Usage
}

// Model answers questions. It is safe for concurrent use.
type Model interface {
	// Name is the name under which answers are stored: the model and everything
	// else that changes its answers.
	Name() string
	// Answer asks once. Its error is a *failure.Error; the Usage beside an
	// error is the cost of that answer, although it cannot be used.
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Vector is the embedding of a text, of length 1: the scalar product of two
// is their cosine.
type Vector []float32

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Name is the name under which vectors are stored; vectors of different
	// names must not be compared.
	Name() string
	// Embed returns one vector per text, in the texts' order; no text may be
	// empty. Its error is a *failure.Error, without vectors; then the Usage is the
	// cost until then.
	Embed(ctx context.Context, texts []string) ([]Vector, Usage, error)
}

// Bytes encodes the vector for storage: 4 bytes a number, little endian.
func (v Vector) Bytes() []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// VectorOf decodes the output of Bytes; nil if b cannot be one.
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
