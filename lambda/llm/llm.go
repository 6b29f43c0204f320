// Package llm is what the workloads know of language models: a Model answers
// one question with JSON that follows a schema, an Embedder turns texts into
// vectors, and Retry says how often and how patiently either is asked. It
// knows no provider; package openai, below it, speaks to most of them.
//
// A model's words reach us as data. An answer is raw text that nobody has
// looked into: parsing and checking it is the asker's, part of the same try,
// because the next answer to the same question may be a better one.
//
// Implementations decide the kind of a failure where it happens and return a
// *failure.Error, with the wait that the provider asked for. They never try
// twice themselves.
package llm

import (
	"context"
	"encoding/json"
)

// Question asks for one structured answer.
type Question struct {
	Name      string          // of the schema: letters, digits, _ and -, at most 64; "match_decision"
	System    string          // what the model is told to do; may be empty
	User      string          // what it is to look at
	Schema    json.RawMessage // strict JSON schema that the answer must follow
	MaxTokens int             // of the answer, without what the model thinks to itself; 0 is the provider's limit
}

// Usage is what was paid for, in the provider's tokens.
type Usage struct{ PromptTokens, CompletionTokens int }

// Answer is what a model said.
type Answer struct {
	Text  string // raw JSON, not parsed; never empty
	Usage Usage
}

// Model answers questions. It is safe for concurrent use.
type Model interface {
	// Name is what answers are filed under: the model and whatever else
	// changes its answers.
	Name() string
	// Answer asks once. Its error is a *failure.Error; the Usage beside an
	// error is what that answer cost although it is of no use.
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Vector is the embedding of a text, of length 1: the scalar product of two
// is their cosine.
type Vector []float32

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Name is what vectors are filed under; those of different names must not
	// be compared.
	Name() string
	// Dimensions is the length of every vector, in numbers.
	Dimensions() int
	// Embed returns one vector per text, in the texts' order; no text may be
	// empty. Its error is a *failure.Error; then there are no vectors, and the
	// Usage is what was paid until then.
	Embed(ctx context.Context, texts []string) ([]Vector, Usage, error)
}
