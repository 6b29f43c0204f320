package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/manifest/metric"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/telemetry/emf"

	"github.com/google/uuid"
)

var question = llm.Question{Name: "q", User: "u", Schema: json.RawMessage(`{"type":"object"}`)}

// answers is a model and an embedder that answer, or fail, at a price; and a
// vault that has an answer or not.
type answers struct {
	llm.Vault
	found bool
	usage llm.Usage
	err   error
}

func (a answers) Name() string { return "fake" }

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

func TestModelUsage(t *testing.T) {
	t.Parallel()
	set := emf.New("test", "match")
	paid, failed := answers{usage: llm.Usage{PromptTokens: 100, CompletionTokens: 7}},
		answers{err: errors.New("x"), usage: llm.Usage{PromptTokens: -1}}
	once := llm.Retry{Tries: 1}
	ask := func(m answers, v answers) error {
		asker := &llm.Asker{Model: countedModel{m, set}, Vault: countedVault{v, set}, Retry: once}
		return asker.Ask(t.Context(), uuid.Nil, uuid.Nil, question, func(string) error { return nil })
	}
	must.OK(t, errors.Join(ask(paid, answers{}), ask(paid, answers{found: true})))
	if ask(failed, answers{}) == nil {
		t.Error("the failure was lost")
	}
	if _, _, err := (countedEmbedder{paid, set}).Embed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	must.OK(t, set.Flush(&out, time.Now()))
	for _, want := range []string{`"ModelCalls":3`, `"ModelPromptTokens":200`, `"ModelCompletionTokens":14`,
		`"ModelReplays":1`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in %s", want, out.String())
		}
	}
}

// A call that is repeated, and a wait for the provider's rate limit, are no
// delivery that is repeated.
func TestModelRetries(t *testing.T) {
	t.Parallel()
	set := emf.New("test", "review")
	repeats := CountRepeats(set)
	repeats(2*time.Second, 0)
	repeats(30*time.Second, 30*time.Second)
	CountPause(set)(1500 * time.Millisecond)
	got := flushed(t, set)
	for _, want := range []string{`"ModelRetries":2`, `"ModelPaused":[30000,1500]`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if strings.Contains(got, "Retried") {
		t.Errorf("deliveries were counted: %s", got)
	}
}

// flushed returns the collected metrics of a set.
func flushed(t *testing.T, set *emf.Set) string {
	t.Helper()
	var out bytes.Buffer
	must.OK(t, set.Flush(&out, time.Now()))
	return out.String()
}

// A refused key or webhook is counted, whichever call meets the refusal; other
// failures are not.
// refusing is a receiver of match offers.
type refusing struct{ err error }

func (r refusing) Send(context.Context, outbox.Parcel) error { return r.err }

// A refused signature is a refused set, too; a receiver that is down refuses nothing.
func TestRefusedSets(t *testing.T) {
	t.Parallel()
	set := emf.New("test", "offer")
	for _, err := range []error{nil, &failure.Error{Sentence: "down"}, &failure.Error{Kind: failure.Permanent},
		&failure.Error{Kind: failure.Permanent, Refused: true}} {
		if got := CountReceiver(refusing{err}, set, metric.RefusedSets).Send(t.Context(), outbox.Parcel{}); got != err {
			t.Errorf("got %v, want %v", got, err)
		}
	}
	if got := flushed(t, set); !strings.Contains(got, `"RefusedSets":2`) || !strings.Contains(got, `"Refused":1`) {
		t.Errorf("want 2 sets and 1 signature, got %s", got)
	}
}

func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	set := emf.New("test", "match")
	denied, busy := &failure.Error{Kind: failure.Permanent, Sentence: "denied", Refused: true},
		&failure.Error{Sentence: "busy"}
	for _, err := range []error{denied, busy, nil} {
		asker := &llm.Asker{Model: countedModel{answers{err: err}, set}, Vault: answers{}, Retry: llm.Retry{Tries: 1}}
		_ = asker.Ask(t.Context(), uuid.Nil, uuid.Nil, question, func(string) error { return nil })
		_, _, _ = countedEmbedder{answers{err: err}, set}.Embed(t.Context(), nil)
		_ = countedSender{&notify.Recorder{Answer: func(notify.Message) (bool, error) { return false, err }},
			set}.Send(t.Context(), notify.Message{})
	}
	if got := flushed(t, set); !strings.Contains(got, `"Refused":3`) {
		t.Errorf("want 3 refusals, got %s", got)
	}
}
