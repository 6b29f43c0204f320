package setup

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/llm"
	"matchbook/lambda/metric"

	"github.com/google/uuid"
)

// answers is a model and an embedder that answer, or fail, at a price; and a
// vault that has an answer or not.
type answers struct {
	llm.Vault
	found bool
	usage llm.Usage
	err   error
}

func (a answers) Name() string    { return "fake" }
func (a answers) Dimensions() int { return 1 }

func (a answers) Answer(context.Context, llm.Question) (llm.Answer, error) {
	return llm.Answer{Text: "{}", Usage: a.usage}, a.err
}

func (a answers) Embed(context.Context, []string) ([]llm.Vector, llm.Usage, error) {
	return nil, a.usage, a.err
}

func (a answers) FindAnswer(context.Context, llm.Key) (int64, string, bool, error) {
	return 1, "{}", a.found, nil
}

func (a answers) KeepAnswer(context.Context, llm.Key, uuid.UUID, llm.Answer, string) (int64, error) {
	return 1, nil
}

func TestModelCallsTokensAndReplaysAreCounted(t *testing.T) {
	t.Parallel()
	set := metric.New("test", "match")
	paid, failed := answers{usage: llm.Usage{PromptTokens: 100, CompletionTokens: 7}}, answers{err: errors.New("x"), usage: llm.Usage{PromptTokens: -1}}
	once := llm.Retry{Tries: 1}
	ask := func(m answers, v answers) error {
		asker := &llm.Asker{Model: countedModel{m, set}, Vault: countedVault{v, set}, Retry: once}
		return asker.Ask(t.Context(), uuid.Nil, uuid.Nil, question, func(string) error { return nil })
	}
	if err := errors.Join(ask(paid, answers{}), ask(paid, answers{found: true})); err != nil {
		t.Fatal(err)
	}
	if ask(failed, answers{}) == nil {
		t.Error("the failure was lost")
	}
	if _, _, err := (countedEmbedder{paid, set}).Embed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := set.Flush(&out, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"ModelCalls":3`, `"ModelPromptTokens":200`, `"ModelCompletionTokens":14`, `"ModelReplays":1`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in %s", want, out.String())
		}
	}
}
