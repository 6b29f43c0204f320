package setup_test

import (
	"maps"
	"strings"
	"testing"

	"matchbook/lambda/llm"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

// reviewEnv is a complete environment of the review function, by a model.
func reviewEnv(more map[string]string) setup.Env {
	all := map[string]string{"DATABASE_URL": "postgres://localhost/none", "OPENAI_API_KEY": "k",
		"QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/review"}
	maps.Copy(all, more)
	return env(all)
}

func TestPriceOfTheModelIsConfigured(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]llm.Price{"": {}, "0.40,1.60": {Prompt: 0.4, Completion: 1.6},
		"2, 8": {Prompt: 2, Completion: 8}, "0,0": {}} {
		c, err := setup.LoadFunction(reviewEnv(map[string]string{"MODEL_PRICE": text}), manifest.Review)
		if err != nil || c.Model.Price != want {
			t.Errorf("%q: got %+v, %v", text, c.Model, err)
		}
	}
	for _, text := range []string{"0.40", "0.40,", ",", "-1,2", "1,-2", "1,2,3", "NaN,1", "1,Inf", "1e5,1", "a,b"} {
		_, err := setup.LoadFunction(reviewEnv(map[string]string{"MODEL_PRICE": text}), manifest.Review)
		if err == nil || !strings.Contains(err.Error(), "MODEL_PRICE: not the prices") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if got := (llm.Price{Prompt: 0.4, Completion: 1.6}).Of(llm.Usage{PromptTokens: 1000, CompletionTokens: 100}); got != 560 {
		t.Errorf("1,000 and 100 tokens cost %g millionths of a USD, want 560", got)
	}
}

func TestCallsInFlightAreConfigured(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 5, "1": 1, "256": 256} {
		c, err := setup.LoadFunction(reviewEnv(map[string]string{"CALLS_IN_FLIGHT": text}), manifest.Review)
		if err != nil || c.CallsInFlight != want {
			t.Errorf("%q: got %d, %v", text, c.CallsInFlight, err)
		}
	}
	for _, text := range []string{"0", "-1", "257", "16.0", "many"} {
		_, err := setup.LoadFunction(reviewEnv(map[string]string{"CALLS_IN_FLIGHT": text}), manifest.Review)
		if err == nil || !strings.Contains(err.Error(), "CALLS_IN_FLIGHT: not a whole number") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if c, err := setup.LoadFunction(ingestEnv(map[string]string{"CALLS_IN_FLIGHT": "7"}), manifest.Ingest); err != nil || c.CallsInFlight != 0 {
		t.Errorf("ingest, which has no limit: got %d, %v", c.CallsInFlight, err)
	}
}
