package openai

import (
	"cmp"
	"context"
	"math"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"

	"github.com/sashabaranov/go-openai"
)

const (
	// usualDimensions is the length of vectors where the server is known to shorten them as
	// intended by their training.
	usualDimensions = 256
	// maxDimensions is far above the longest native vectors (4,096 numbers).
	maxDimensions = 16_384

	// Limits of a request: OpenAI takes 2,048 texts but 300,000 tokens in all, and a token is
	// at least a byte. The vectors of so many texts fit into maxBody, even long ones. A text
	// above the limit gets a separate request.
	batchTexts = 32
	batchBytes = 300_000
)

type embedder struct {
	api        *openai.Client
	id         openai.EmbeddingModel
	name       string
	dimensions int // the requested length; 0: the model's length, and the parameter isn't sent
}

// Name implements llm.Embedder.
func (e *embedder) Name() string { return e.name }

// Embed implements llm.Embedder. It may need several requests.
func (e *embedder) Embed(ctx context.Context, texts []string) ([]llm.Vector, llm.Usage, error) {
	vectors, paid, failed := e.ask(ctx, texts)
	if failed != nil {
		return nil, paid, table.Classify(failed)
	}
	return vectors, paid, nil
}

// ask is Embed, but with an unclassified failure.
func (e *embedder) ask(ctx context.Context, texts []string) (vectors []llm.Vector, paid llm.Usage,
	failed *failure.Call) {
	for _, text := range texts {
		if text == "" {
			return nil, paid, &failure.Call{Cause: blank}
		}
	}
	for len(texts) > 0 {
		n := batch(texts)
		response, err := e.api.CreateEmbeddings(ctx, openai.EmbeddingRequest{
			Input: texts[:n], Model: e.id, Dimensions: e.dimensions,
		})
		if err != nil {
			return nil, paid, asCall(err)
		}
		u := usage(response.Usage)
		paid.PromptTokens += u.PromptTokens
		paid.CompletionTokens += u.CompletionTokens
		unit, f := e.unpack(response.Data, n)
		if f != sound {
			return nil, paid, &failure.Call{Cause: f}
		}
		vectors, texts = append(vectors, unit...), texts[n:]
	}
	return vectors, paid, nil
}

// batch returns how many of the texts fit into a request; at least one.
func batch(texts []string) int {
	size := 0
	for i, text := range texts {
		size += len(text)
		if i == batchTexts || i > 0 && size > batchBytes {
			return i
		}
	}
	return len(texts)
}

// unpack puts the vectors of n texts in order, since the server may not have. They must all
// have the requested length, or else the model's.
func (e *embedder) unpack(data []openai.Embedding, n int) ([]llm.Vector, fault) {
	if len(data) != n {
		return nil, wrongCount
	}
	length := cmp.Or(e.dimensions, min(len(data[0].Embedding), maxDimensions))
	vectors := make([]llm.Vector, n)
	for _, d := range data {
		if d.Index < 0 || d.Index >= n || vectors[d.Index] != nil {
			return nil, wrongCount
		}
		if len(d.Embedding) != length {
			return nil, wrongLength
		}
		if vectors[d.Index] = normalise(d.Embedding); vectors[d.Index] == nil {
			return nil, noDirection
		}
	}
	return vectors, sound
}

// normalise scales a vector to length 1. It returns nil if that is impossible, because all
// numbers are 0 or one isn't finite.
func normalise(v []float32) llm.Vector {
	square := 0.0 // of float32s, so far from overflow
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	length := math.Sqrt(square)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil
	}
	unit := make(llm.Vector, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / length)
	}
	return unit
}
