package setup_test

import (
	"strings"
	"testing"

	"matchbook/lambda/llm"
	"matchbook/lambda/setup"
)

func TestWebReadsItsEnvironment(t *testing.T) {
	t.Parallel()
	values := map[string]string{"DATABASE_URL": "postgres://x", "REVIEW_QUEUE_URL": "https://q", "REVIEW_TOKEN_SECRET": "s",
		"BLOB_URL": "file:///files", "OPENAI_MODEL": "m", "MODEL_PRICE": "0.40,1.60"}
	c, err := setup.LoadWeb(env(values))
	if err != nil || c.DatabaseURL != "postgres://x" || c.QueueURL != "https://q" || c.TokenSecret != "s" ||
		c.Blobs != "file:///files" ||
		c.Model.OpenAI.Model != "m" || c.Model.Price != (llm.Price{Prompt: 0.4, Completion: 1.6}) {
		t.Errorf("got %+v, %v", c, err)
	}
	values["MATCH_MODE"] = "rules"
	if c, err = setup.LoadWeb(env(values)); err != nil || c.Model != nil {
		t.Errorf("by rules: got %+v, %v", c.Model, err)
	}
	_, err = setup.LoadWeb(env(map[string]string{"MATCH_MODE": "PLANTED", "MODEL_PRICE": "PLANTED"}))
	for _, want := range []string{"DATABASE_URL is not set", "REVIEW_QUEUE_URL is not set", "REVIEW_TOKEN_SECRET is not set",
		"MATCH_MODE: not rules or model"} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if secret, err := setup.LoadTokenSecret(env(values)); secret != "s" || err != nil {
		t.Errorf("got %q, %v", secret, err)
	}
	if _, err := setup.LoadTokenSecret(env(nil)); err == nil {
		t.Error("no secret is no error")
	}
}
