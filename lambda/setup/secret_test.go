package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/setup/secret"
	"matchbook/lambda/setup/secret/secrettest"
)

// source is the Source of production, with a clock that the test moves.
func source(clock *atomic.Int64) secret.Source {
	return secret.Manager(ownConfig, func() time.Time { return time.Unix(0, clock.Load()) })
}

// fetchEvery is the time for which package secret uses a secret as it was read.
const fetchEvery = 5 * time.Minute

func envOf(values map[string]string) Env { return func(name string) string { return values[name] } }

func TestSecretsByARN(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	m.Set("database", `{"engine":"postgres","host":"db.internal","port":5433,"username":"match book","password":"a/b@c:d?","dbname":"docs"}`)
	m.Set("openai", "sk-one\n")
	m.Set("slack", `{"SLACK_WEBHOOK_URL":"https://hooks.slack.com/services/x"}`)
	values := map[string]string{"QUEUE_URL": "q",
		"DATABASE_URL_SECRET_ARN": secrettest.ARN("database"), "OPENAI_API_KEY_SECRET_ARN": secrettest.ARN("openai"),
		"SLACK_WEBHOOK_URL_SECRET_ARN": secrettest.ARN("slack")}
	c, err := LoadFunction(envOf(values), manifest.Match)
	must.OK(t, err)
	want := []string{"postgres://match%20book:a%2Fb%40c%3Ad%3F@db.internal:5433/docs?sslmode=require", "sk-one",
		"https://hooks.slack.com/services/x"}
	if got := []string{c.DatabaseURL, c.Model.OpenAI.APIKey, c.Notify.Values["SLACK_WEBHOOK_URL"]}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	values["DATABASE_URL"], values["MATCH_MODE"] = "postgres://plain", "rules"
	if c, err = LoadFunction(envOf(values), manifest.Match); err != nil || c.DatabaseURL != "postgres://plain" ||
		c.secrets[variable.DatabaseURL] != nil {
		t.Errorf("a plain value does not win: got %q, %v", c.DatabaseURL, err)
	}
	if got := []int{m.Count("database"), m.Count("openai"), m.Count("slack")}; !slices.Equal(got, []int{1, 1, 2}) {
		t.Errorf("fetched %v times: what is not needed is not read", got)
	}
}

// Everything that is wrong is said at once: with the names of variable and
// secret, and with nothing of a value or of what AWS said.
func TestUnreadableSecrets(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	m.Set("database", `{"username":"PLANTED","password":"PLANTED"}`)
	m.Set("slack", `{"url":"PLANTED"}`)
	_, err := LoadFunction(envOf(map[string]string{"DATABASE_URL_SECRET_ARN": secrettest.ARN("database"),
		"OPENAI_API_KEY_SECRET_ARN":    secrettest.ARN("prod/openai"),
		"SLACK_WEBHOOK_URL_SECRET_ARN": secrettest.ARN("slack")}), manifest.Match)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`DATABASE_URL_SECRET_ARN: secret database-AbCdEf: missing member "DATABASE_URL", or instead host`,
		"OPENAI_API_KEY_SECRET_ARN: secret prod/openai-AbCdEf does not exist, or has no value yet",
		`SLACK_WEBHOOK_URL_SECRET_ARN: secret slack-AbCdEf: missing text member "SLACK_WEBHOOK_URL"`,
		"QUEUE_URL is not set",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	for _, unwanted := range []string{"PLANTED", "OPENAI_API_KEY is not set", "DATABASE_URL is not set"} {
		if strings.Contains(err.Error(), unwanted) {
			t.Errorf("%q is in:\n%v", unwanted, err)
		}
	}
	for code, want := range map[string]string{"AccessDeniedException": "allow secretsmanager:GetSecretValue",
		"DecryptionFailure":    "kms:Decrypt",
		"InternalServiceError": "AWS error (InternalServiceError)"} {
		m.Refuse(code)
		if _, err := LoadMigrate(envOf(map[string]string{"DATABASE_URL_SECRET_ARN": secrettest.ARN("database")})); err == nil ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("%s: got %v", code, err)
		}
	}
	t.Setenv(secrettest.URLVariable, "http://127.0.0.1:1")
	if _, err := LoadMigrate(envOf(map[string]string{"DATABASE_URL_SECRET_ARN": secrettest.ARN("database")})); err == nil ||
		!strings.Contains(err.Error(), "is there a way to Secrets Manager from here?") {
		t.Errorf("no way: got %v", err)
	}
}

// A provider that takes only the new key is asked with it in the same try.
func TestKeyRotation(t *testing.T) {
	m := secrettest.New(t)
	t.Setenv(secrettest.URLVariable, m.URL)
	m.Set("openai", "sk-old")
	var taken atomic.Value
	taken.Store("sk-old")
	var asked atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if body, _ := io.ReadAll(r.Body); !json.Valid(body) {
			t.Errorf("asked %q", body)
		}
		if r.Header.Get("Authorization") != fmt.Sprint("Bearer ", taken.Load()) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}]}`)
	}))
	defer provider.Close()
	var clock atomic.Int64
	c := must.Get(loadFunction(envOf(map[string]string{"DATABASE_URL": "x", "QUEUE_URL": "q",
		"OPENAI_BASE_URL":           provider.URL,
		"OPENAI_API_KEY_SECRET_ARN": secrettest.ARN("openai")}), manifest.Match, source(&clock)))(t)
	ask := asking(t, c)
	clock.Add(int64(fetchEvery))
	for _, step := range []struct {
		name     string
		do       func()
		want     string
		requests int64
	}{
		{"at first", func() {}, "", 1},
		{"rotated", func() { m.Set("openai", "sk-new"); taken.Store("sk-new") }, "", 2},
		{"from then on", func() {}, "", 1},
		{"refused for good", func() { taken.Store("sk-other") }, "model provider denied access (HTTP 401)", 1},
		{"and read in vain", func() { clock.Add(int64(fetchEvery)) }, "model provider denied access (HTTP 401)", 1},
	} {
		step.do()
		before := asked.Load()
		got := ask(t.Context())
		if got != step.want || asked.Load()-before != step.requests {
			t.Errorf("%s: got %q after %d requests, want %q after %d",
				step.name, got, asked.Load()-before, step.want, step.requests)
		}
	}
	if n := m.Count("openai"); n != 3 {
		t.Errorf("the secret was read %d times, want 3", n)
	}
}

// asking asks the configured model one question and returns what went wrong.
func asking(t *testing.T, c Config) func(context.Context) string {
	t.Helper()
	db, err := postgres.Open(t.Context(), "postgres://127.0.0.1:1/none", 1) // the breaker's; calls go on without it
	must.OK(t, err)
	t.Cleanup(db.Close)
	asker, _, err := newAsker(c.Model, db, nil, slog.New(slog.DiscardHandler))
	must.OK(t, err)
	return func(ctx context.Context) string {
		if _, err := asker.Model.Answer(ctx, question); err != nil {
			return err.Error()
		}
		return ""
	}
}
