package breaker

import (
	"context"

	"matchbook/lambda/llm"
)

// Model returns m with its calls guarded by b.
func Model(m llm.Model, b *Breaker) llm.Model { return model{m, b} }

type model struct {
	llm.Model
	breaker *Breaker
}

// Answer implements llm.Model.
func (m model) Answer(ctx context.Context, q llm.Question) (answer llm.Answer, err error) {
	err = m.breaker.Do(ctx, func(ctx context.Context) error {
		answer, err = m.Model.Answer(ctx, q)
		return err
	})
	return answer, err
}

// Embedder returns e with its calls guarded by b.
func Embedder(e llm.Embedder, b *Breaker) llm.Embedder { return embedder{e, b} }

type embedder struct {
	llm.Embedder
	breaker *Breaker
}

// Embed implements llm.Embedder.
func (e embedder) Embed(ctx context.Context, texts []string) (vectors []llm.Vector, usage llm.Usage, err error) {
	err = e.breaker.Do(ctx, func(ctx context.Context) error {
		vectors, usage, err = e.Embedder.Embed(ctx, texts)
		return err
	})
	return vectors, usage, err
}
