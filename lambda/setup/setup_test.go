package setup_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

func env(values map[string]string) setup.Env { return func(name string) string { return values[name] } }

// wantError wants an error with the texts, and without the value that was planted.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), "PLANTED") {
		t.Errorf("got %v, want an error without the value", err)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is missing in:\n%v", text, err)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

func TestAllProblemsReported(t *testing.T) {
	t.Parallel()
	_, err := setup.LoadFunction(env(map[string]string{"MATCH_MODE": "PLANTED", "RETRY_SCHEDULE": "PLANTED"}), manifest.Match)
	wantError(t, err, "DATABASE_URL is not set", "QUEUE_URL is not set", "MATCH_MODE: expected rules or model",
		"RETRY_SCHEDULE: number of entries must be 2")
}

func TestModelModeNeedsKey(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "model"} {
		if _, err := setup.LoadFunction(env(map[string]string{"DATABASE_URL": "x", "QUEUE_URL": "x",
			"MATCH_MODE": mode}), manifest.Match); err == nil {
			t.Errorf("MATCH_MODE=%q was accepted", mode)
		}
	}
}

func TestModelTimes(t *testing.T) {
	t.Parallel()
	values := map[string]string{"OPENAI_API_KEY": "k", "LLM_TIMEOUT": "7s", "LLM_RETRY_BASE": "3s"}
	if m, err := setup.LoadModel(env(values)); err != nil || m.OpenAI.Timeout != 7*time.Second ||
		m.RetryBase != 3*time.Second {
		t.Errorf("got %v, %v", m, err)
	}
	for _, wrong := range []string{"PLANTED", "0s", "-1s"} {
		values["LLM_TIMEOUT"] = wrong
		wantError(t, errorOf(setup.LoadModel(env(values))), "LLM_TIMEOUT: expected a duration")
	}
}

func TestReasoningSettings(t *testing.T) {
	t.Parallel()
	values := map[string]string{"OPENAI_API_KEY": "k"}
	if m, err := setup.LoadModel(env(values)); err != nil || m.OpenAI.ReasoningEffort != "" ||
		m.OpenAI.ReasoningTokens != nil || m.OpenAI.Dimensions != nil {
		t.Errorf("got %+v, %v", m, err)
	}
	maps.Copy(values, map[string]string{"OPENAI_REASONING_EFFORT": "low", "OPENAI_REASONING_TOKENS": "8000",
		"OPENAI_EMBEDDING_DIMENSIONS": "0"})
	if m, err := setup.LoadModel(env(values)); err != nil || m.OpenAI.ReasoningEffort != "low" ||
		*m.OpenAI.ReasoningTokens != 8000 || *m.OpenAI.Dimensions != 0 {
		t.Errorf("got %+v, %v", m, err)
	}
	for name := range values {
		wrong := maps.Clone(values)
		wrong[name] = "PLANTED -1"
		if name != "OPENAI_API_KEY" {
			wantError(t, errorOf(setup.LoadModel(env(wrong))), name+": expected a")
		}
	}
}

func TestLoadFunction(t *testing.T) {
	t.Parallel()
	values := map[string]string{"DATABASE_URL": "db", "QUEUE_URL": "q", "MATCH_MODE": "rules"}
	c, err := setup.LoadFunction(env(values), manifest.Match)
	if err != nil || c.DatabaseURL != "db" || c.QueueURL != "q" ||
		!slices.Equal(c.Backoff, job.Backoff{5 * time.Minute, 30 * time.Minute}) {
		t.Errorf("got %+v, %v", c, err)
	}
	values["RETRY_SCHEDULE"] = "1s,2s"
	values["MATCH_QUEUE_URL"] = "m"
	if c, err = setup.LoadPublisher(env(values), manifest.Match); err != nil || c.QueueURL != "m" ||
		!slices.Equal(c.Backoff, job.Backoff{time.Second, 2 * time.Second}) {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestInvalidStage(t *testing.T) {
	t.Parallel()
	for stage, ok := range map[string]bool{"": true, "prod": true, "pr-17": true, "a b": false, "1": false,
		strings.Repeat("x", 33): false} {
		_, err := setup.LoadMigrate(env(map[string]string{"DATABASE_URL": "x", "STAGE": stage}))
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "STAGE") {
			t.Errorf("%q: got %v", stage, err)
		}
	}
}

func TestLoadSweepQueues(t *testing.T) {
	t.Parallel()
	functions := []manifest.Function{manifest.Match, manifest.Ingest, manifest.Inbox}
	values := map[string]string{"DATABASE_URL": "x", "MATCH_QUEUE_URL": "m", "INGEST_QUEUE_URL": "i"}
	c, err := setup.LoadSweep(env(values), functions)
	if err != nil || c.QueueURL != "m" || !maps.Equal(c.Queues, map[string]string{"match": "m", "ingest": "i"}) {
		t.Errorf("got %q, %v, %v", c.QueueURL, c.Queues, err)
	}
	delete(values, "INGEST_QUEUE_URL") // a deployment of match alone
	if c, err = setup.LoadSweep(env(values), functions); err != nil || !maps.Equal(c.Queues, map[string]string{"match": "m"}) {
		t.Errorf("got %v, %v", c.Queues, err)
	}
	delete(values, "MATCH_QUEUE_URL")
	wantError(t, errorOf(setup.LoadSweep(env(values), functions)),
		"MATCH_QUEUE_URL is not set: the queue that feeds the match function")
}

func TestNoModelNeedsNoKey(t *testing.T) {
	t.Parallel()
	f := manifest.Function{Name: "ingest", Retries: []time.Duration{time.Minute}}
	c, err := setup.LoadFunction(env(map[string]string{"DATABASE_URL": "x", "QUEUE_URL": "q"}), f)
	if err != nil || c.Model != nil || !slices.Equal(c.Backoff, job.Backoff{time.Minute}) {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := setup.LoadFunction(env(map[string]string{"DATABASE_URL": "x", "QUEUE_URL": "q",
		"RETRY_SCHEDULE": "1m,2m"}), f); err == nil {
		t.Error("two entries are read for one retry")
	}
}

// A function needs the settings that its row calls for, and no others.
func TestRowSelectsSettings(t *testing.T) {
	t.Parallel()
	own := map[string]string{"DATABASE_URL": "x", "QUEUE_URL": "q", "MATCH_MODE": "rules"}
	for _, tc := range []struct {
		row  manifest.Function
		more map[string]string
	}{
		{manifest.Match, nil},
		{manifest.Ingest, map[string]string{"BLOB_URL": "file:///files", "MATCH_QUEUE_URL": "m"}},
		{manifest.Inbox, map[string]string{"BLOB_URL": "file:///files", "INGEST_QUEUE_URL": "i"}},
	} {
		_, err := setup.LoadFunction(env(own), tc.row)
		if (err == nil) != (tc.more == nil) {
			t.Errorf("%s: got %v", tc.row.Name, err)
		}
		all := maps.Clone(own)
		for name, value := range tc.more {
			if all[name] = value; err == nil || !strings.Contains(err.Error(), name+" is not set") {
				t.Errorf("%s does not need %s: got %v", tc.row.Name, name, err)
			}
		}
		c, err := setup.LoadFunction(env(all), tc.row)
		if err != nil || c.Blobs != tc.more["BLOB_URL"] ||
			c.Queues["match"] != tc.more["MATCH_QUEUE_URL"] || c.Queues["ingest"] != tc.more["INGEST_QUEUE_URL"] {
			t.Errorf("%s: got %+v, %v", tc.row.Name, c, err)
		}
	}
}

func TestLoadWeb(t *testing.T) {
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
	wantError(t, err, "DATABASE_URL is not set", "REVIEW_QUEUE_URL is not set", "REVIEW_TOKEN_SECRET is not set",
		"MATCH_MODE: expected rules or model")
	if secret, err := setup.LoadKey(env(values), "REVIEW_TOKEN_SECRET"); secret != "s" || err != nil {
		t.Errorf("got %q, %v", secret, err)
	}
	wantError(t, errorOf(setup.LoadKey(env(nil), "REVIEW_TOKEN_SECRET")))
}

func TestLoadConsole(t *testing.T) {
	t.Parallel()
	values := map[string]string{"DATABASE_URL": "postgres://x", "MATCH_QUEUE_URL": "https://q", "OIDC_ISSUER": "https://issuer.example/realm", "OIDC_CLIENT_ID": "c",
		"OIDC_CLIENT_SECRET": "s", "ADMIN_BASE_URL": "https://console.example/"}
	want := setup.LoginConfig{Issuer: "https://issuer.example/realm", Client: "c", Secret: "s", Claim: "cognito:groups",
		Base: "https://console.example", Scopes: []string{"email", "profile"}}
	c, err := setup.LoadConsole(env(values))
	if err != nil || c.DatabaseURL != "postgres://x" || c.QueueURL != "https://q" || fmt.Sprint(c.Login) != fmt.Sprint(want) {
		t.Errorf("got %+v, %v", c.Login, err)
	}
	if secret, err := setup.LoadKey(env(values), "OIDC_CLIENT_SECRET"); secret != "s" || err != nil {
		t.Errorf("got %q, %v", secret, err)
	}
	delete(values, "OIDC_CLIENT_SECRET") // of a public client
	values["OIDC_GROUPS_CLAIM"], values["OIDC_SCOPES"] = "groups", "groups email"
	c, err = setup.LoadConsole(env(values))
	if err != nil || c.Login.Secret != "" || c.Login.Claim != "groups" || fmt.Sprint(c.Login.Scopes) != "[groups email]" {
		t.Errorf("got %+v, %v", c.Login, err)
	}
}

func TestConsoleAddresses(t *testing.T) {
	t.Parallel()
	_, err := setup.LoadConsole(env(nil))
	wantError(t, err, "DATABASE_URL is not set", "MATCH_QUEUE_URL is not set", "OIDC_ISSUER is not set", "OIDC_CLIENT_ID is not set",
		"ADMIN_BASE_URL is not set")
	for _, tc := range []struct{ name, value string }{
		{"OIDC_ISSUER", "http://PLANTED"}, {"OIDC_ISSUER", "PLANTED"}, {"OIDC_ISSUER", "https://PLANTED@issuer.example"},
		{"ADMIN_BASE_URL", "http://PLANTED"}, {"ADMIN_BASE_URL", "https://PLANTED/console"},
	} {
		values := map[string]string{"DATABASE_URL": "postgres://x", "MATCH_QUEUE_URL": "https://q", "OIDC_ISSUER": "https://issuer.example", "OIDC_CLIENT_ID": "c",
			"ADMIN_BASE_URL": "https://console.example"}
		values[tc.name] = tc.value
		wantError(t, errorOf(setup.LoadConsole(env(values))), tc.name+": expected an address like https://host")
	}
}

// A function without a table would be opened on a table without a name. Alarms and
// notifications name its rows by the same word.
func TestTables(t *testing.T) {
	t.Parallel()
	for _, w := range setup.Workloads() {
		if w.Table.Name == "" {
			t.Errorf("%s has none in postgres.Tables", w.Name)
		}
		if w.Function.Subject != w.Table.Subject {
			t.Errorf("%s: alarms call a row %q, notifications call it %q", w.Name, w.Function.Subject, w.Table.Subject)
		}
	}
}
