package openai_test

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
)

// aimock is a server for OpenAI's API that others wrote: npm's package of this
// name and version. .ci/run fetches it before the tests.
const aimock = "@copilotkit/aimock@1.43.0"

// startAimock starts the server with the answers of testdata/aimock.json and
// returns its URL. npx takes the package from its cache, and fetches it once.
func startAimock(t *testing.T) string {
	t.Helper()
	npx := testenv.Program(t, "npx", "apt-get install nodejs npm")
	program, err := exec.CommandContext(t.Context(), npx, "--offline", "--yes", "--package="+aimock, "--",
		"sh", "-c", `readlink -f "$(command -v llmock)"`).Output()
	if err != nil {
		testenv.Missing(t, aimock+" is not in npm's cache: npx --yes --package="+aimock+" -- node --version")
	}
	cmd := exec.CommandContext(t.Context(), "node", strings.TrimSpace(string(program)), // npx would not end with us
		"--port", "0", "--strict", "--validate-on-load", "--fixtures", "testdata/aimock.json")
	out := must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // the context of the test has ended by then
	listens := regexp.MustCompile(`listening on (http://[0-9.:]+)`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := listens.FindStringSubmatch(lines.Text()); found != nil {
			return found[1]
		}
	}
	t.Fatal("the server ended before it listened")
	return ""
}

// The adapter understands a server that it was not written with.
func TestAimock(t *testing.T) {
	t.Parallel()
	url := startAimock(t)
	client := func(c openai.Config) *openai.Client {
		c.APIKey, c.Model = "k", "gpt-4o-mini"
		client := must.Get(openai.New(c))(t)
		return client
	}
	v1, azure := client(openai.Config{BaseURL: url + "/v1", EmbeddingModel: "bge-m3"}),
		client(openai.Config{BaseURL: url, AzureAPIVersion: "2024-10-21"})
	long := " " + strings.Repeat("20 pieces of item B-2047 were ordered for the site, ", 300)
	const busy = "too many requests to the model provider (HTTP 429, rate_limit_exceeded)"
	for _, tc := range []struct {
		asked, text, failure string
		kind                 failure.Kind
		wait                 time.Duration
	}{
		{"case answer", `{"matches":["a"]}`, "", 0, 0},
		{"case form", `{"matches":[]}`, "", 0, 0},
		{"case busy", "", busy, failure.Transient, time.Second},
		{"case busy", `{"matches":[]}`, "", 0, 0}, // the second time
		{"case unpaid", "", "model provider's quota exhausted (HTTP 402)", failure.Transient, time.Hour},
		{"case key", "", "model provider denied access (HTTP 401, invalid_api_key)", failure.Permanent, 0},
		{"case long", "", "question too long for the model (HTTP 400, context_length_exceeded)", failure.Permanent, 0},
		{"case check", "", "model provider refused the answer: expected JSON (HTTP 400, json_validate_failed)",
			failure.Transient, 0},
		{"case length", "", "model's answer cut off at the maximum length", failure.Permanent, 0},
		{"case filter", "", "model provider's content filter withheld the answer", failure.Permanent, 0},
		{"case cut" + long, "", "server truncated the question without an error; " +
			"increase the model's context size", failure.Permanent, 0},
		{"case unknown", "", "model provider failed (HTTP 503)", failure.Transient, 0},
	} {
		got, err := v1.Model().Answer(t.Context(), invented(tc.asked))
		if err == nil {
			if got.Text != tc.text || got.Usage.PromptTokens == 0 {
				t.Errorf("%.12s: got %+v, want %q", tc.asked, got, tc.text)
			}
			continue
		}
		if f := failure.Of(err); f.Text != tc.failure || f.Kind != tc.kind || f.RetryAfter != tc.wait {
			t.Errorf("%.12s: got %+v, want %q", tc.asked, f, tc.failure)
		}
	}
	got, err := azure.Model().Answer(t.Context(), invented("case answer"))
	if err != nil || got.Text != `{"matches":["a"]}` {
		t.Errorf("as Azure: got %+v, %v", got, err)
	}
	vectors, _, err := v1.Embedder().Embed(t.Context(), []string{"case vector"})
	if err != nil || len(vectors) != 1 || vectors[0][0] != 0.6 || vectors[0][2] != -0.8 {
		t.Errorf("got %v, %v", vectors, err)
	}
}

func invented(user string) llm.Question {
	return llm.Question{Name: "q", System: "Answer.", User: user, MaxTokens: 100, Schema: json.RawMessage(
		`{"type":"object","properties":{"matches":{"type":"array","items":{"type":"string"}}},` +
			`"required":["matches"],"additionalProperties":false}`)}
}
