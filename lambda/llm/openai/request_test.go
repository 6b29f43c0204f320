package openai

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
)

var update = flag.Bool("update", false, "write the golden files")

// sent is a request as a server received it.
type sent struct {
	uri, body string
	header    http.Header
}

type redirected func(*http.Request) (*http.Response, error)

func (f redirected) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// capture asks once, with any configuration, and returns the request that
// arrived.
func capture(t *testing.T, c Config, ask func(*Client) error) sent {
	t.Helper()
	return captureReply(t, c, answer(`"message":{"content":"{}"},"finish_reason":"stop"`), ask)
}

// captureReply is capture with another answer.
func captureReply(t *testing.T, c Config, reply string, ask func(*Client) error) sent {
	t.Helper()
	var got sent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = sent{"https://" + r.Host + r.RequestURI, string(body), r.Header}
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(server.Close)
	c.HTTPClient = &http.Client{Transport: redirected(func(r *http.Request) (*http.Response, error) {
		host := r.URL.Host
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host = "http", strings.TrimPrefix(server.URL, "http://"), host
		return transport().RoundTrip(r)
	})}
	client := must.Get(New(c))(t)
	must.OK(t, ask(client))
	return got
}

func TestGoldenRequests(t *testing.T) {
	t.Parallel()
	ask := func(c *Client) error {
		_, err := c.Model().Answer(t.Context(), question())
		return err
	}
	embed := func(c *Client) error {
		_, _, err := c.Embedder().Embed(t.Context(), []string{"invoice <1> & co", "Söhne"})
		return err
	}
	ten := 10
	for name, tc := range map[string]struct {
		config Config
		ask    func(*Client) error
	}{
		"chat_openai":     {Config{APIKey: "k", Model: "gpt-4.1-mini"}, ask},
		"chat_reasoning":  {Config{APIKey: "k", Model: "gpt-5-mini"}, ask},
		"chat_compatible": {Config{BaseURL: "http://vllm:8000/v1", Model: "qwen3"}, ask},
		"chat_proxy":      {Config{BaseURL: "http://proxy/v1", Model: "qwen3", NoTemperature: true}, ask},
		"chat_azure": {Config{APIKey: "k", BaseURL: "https://x.openai.azure.com", AzureAPIVersion: "2024-10-21",
			Model: "gpt-4o"}, ask},
		"chat_effort": {Config{BaseURL: "http://vllm/v1", Model: "qwen3", ReasoningEffort: "low",
			ReasoningTokens: &ten}, ask},
		"embedding_openai": {Config{APIKey: "k", Model: "m", EmbeddingModel: "text-embedding-3-small"}, embed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			reply := answer(`"message":{"content":"{}"},"finish_reason":"stop"`)
			if tc.config.EmbeddingModel != "" {
				reply = vectors(vector(1, 256, "3"), vector(0, 256, "-0.5"))
			}
			request := captureReply(t, tc.config, reply, tc.ask).body
			must.OK(t, json.Indent(&got, []byte(request), "", "  "))
			got.WriteByte('\n')
			file := filepath.Join("testdata", name+".json")
			if *update {
				must.OK(t, os.WriteFile(file, got.Bytes(), 0o644))
			}
			want := must.Get(os.ReadFile(file))(t)
			if got.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

func TestEndpointsAndKeys(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config    Config
		uri       string
		bearer    string
		azure     string
		modelName string
	}{
		"OpenAI": {Config{APIKey: " k\n", Model: "gpt-4.1"}, "https://api.openai.com/v1/chat/completions",
			"Bearer k", "", "gpt-4.1 temperature=0 seed=1"},
		"OpenAI in Europe": {Config{APIKey: "k", BaseURL: "https://eu.api.openai.com/v1/", Model: "o4-mini"},
			"https://eu.api.openai.com/v1/chat/completions", "Bearer k", "", "o4-mini seed=1"},
		"no slash": {Config{BaseURL: "http://ollama:11434/v1", Model: "llama3.1"},
			"https://ollama:11434/v1/chat/completions", "", "", "llama3.1@ollama:11434 temperature=0"},
		"a slash": {Config{BaseURL: "http://ollama:11434/v1/", Model: "llama3.1"},
			"https://ollama:11434/v1/chat/completions", "", "", "llama3.1@ollama:11434 temperature=0"},
		"an effort": {Config{BaseURL: "http://vllm/v1", Model: "m", ReasoningEffort: "low"},
			"https://vllm/v1/chat/completions", "", "", "m@vllm temperature=0 effort=low"},
		"this machine": {Config{APIKey: "k", BaseURL: "http://localhost:11434/v1", Model: "m"},
			"https://localhost:11434/v1/chat/completions", "Bearer k", "", "m@localhost:11434 temperature=0"},
		"this machine as Azure": {Config{APIKey: "k", BaseURL: "http://127.0.0.1:4010", AzureAPIVersion: "2024-10-21",
			Model: "gpt-4o"}, "https://127.0.0.1:4010/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
			"", "k", "gpt-4o@127.0.0.1:4010 temperature=0 seed=1"},
		"a key for a server": {Config{APIKey: "k", BaseURL: "https://vllm/v1", Model: "m"},
			"https://vllm/v1/chat/completions", "Bearer k", "", "m@vllm temperature=0"},
		"Azure": {Config{APIKey: "k", BaseURL: "https://x.openai.azure.com/openai/v1/", Model: "prod"},
			"https://x.openai.azure.com/openai/v1/chat/completions", "Bearer k", "", "prod@x.openai.azure.com seed=1"},
		"Azure with deployments": {Config{APIKey: "k", BaseURL: "https://x.openai.azure.com/",
			AzureAPIVersion: "2024-10-21", Model: "gpt-4.1:a b"},
			"https://x.openai.azure.com/openai/deployments/gpt-4.1:a%20b/chat/completions?api-version=2024-10-21", "",
			"k", "gpt-4.1:a b@x.openai.azure.com temperature=0 seed=1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var modelName string
			got := capture(t, tc.config, func(c *Client) error {
				modelName = c.Model().Name()
				_, err := c.Model().Answer(t.Context(), question())
				return err
			})
			if got.uri != tc.uri || modelName != tc.modelName {
				t.Errorf("got  %s, %q\nwant %s, %q", got.uri, modelName, tc.uri, tc.modelName)
			}
			if bearer, azure := got.header.Get("Authorization"), got.header.Get("Api-Key"); bearer != tc.bearer ||
				azure != tc.azure {
				t.Errorf("got Authorization %q, api-key %q; want %q, %q", bearer, azure, tc.bearer, tc.azure)
			}
		})
	}
}

// The families that take a temperature are a list; all others take none.
func TestUnknownModelReasons(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		base, model string
		want        bool
	}{
		{"", "gpt-4.1-mini", false},
		{"", "gpt-4o-2024-08-06", false},
		{"", "ft:gpt-4o-mini:acme::1", false},
		{"", "gpt-3.5-turbo", false},
		{"", "o1", true},
		{"", "o3-mini", true},
		{"", "gpt-5-mini", true},
		{"", "gpt-6-sol-2026-10-01", true},
		{"", "gpt-9", true},
		{"", "ft:o4-mini:acme::1", true},
		{"https://x.openai.azure.com/openai/v1", "gpt-4o", false},
		{"https://x.openai.azure.com/openai/v1", "prod", true},
		{"https://vllm/v1", "qwen3", false},
		{"https://vllm/v1", "gpt-oss-120b", false},
		{"https://proxy/v1", "gpt-5", true}, // go-openai refuses a temperature
		{"https://proxy/v1", "gpt-6-sol", true},
	} {
		client := must.Get(New(Config{APIKey: "k", BaseURL: tc.base, Model: tc.model}))(t)
		d, room := client.model.dialect, 0
		if tc.want {
			room = 25_000
		}
		if d.reasons != tc.want || d.thoughts != room {
			t.Errorf("%s at %q: got %+v", tc.model, tc.base, d)
		}
	}
}

func TestInvalidConfig(t *testing.T) {
	t.Parallel()
	below := -1
	for want, c := range map[string]Config{
		"missing model name":                            {APIKey: "k"},
		"missing API key, required by OpenAI and Azure": {Model: "m"},
		"timeout must not be negative": {APIKey: "k",
			Model: "m", Timeout: -1},
		"invalid base URL: expected http or https": {Model: "m",
			BaseURL: "ftp://" + secretKey},
		"base URL must not have a user, query or fragment": {Model: "m",
			BaseURL: "http://u:p@vllm/v1"},
		"base URL must be https, because the API key would be readable in transit": {APIKey: "k",
			Model: "m", BaseURL: "http://api.openai.com/v1"},
		"reasoning tokens must not be negative": {Model: "m", BaseURL: "http://vllm/v1",
			ReasoningTokens: &below},
		"embedding dimensions must be between 0 and 16384": {Model: "m", BaseURL: "http://vllm/v1",
			Dimensions: &below},
		"invalid API key: unsupported characters in a header": {APIKey: secretKey +
			"\x00", Model: "m"},
		"missing model name\nmissing API key, required by OpenAI and Azure": {AzureAPIVersion: "v",
			BaseURL: "https://proxy"},
		"missing model name\ninvalid base URL: expected http or https": {BaseURL: "vllm:8000"},
		"missing model name\ntimeout must not be negative\ninvalid base URL: expected http or https": {BaseURL: "::" +
			secretKey, Timeout: -1},
	} {
		_, err := New(c)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A key is sent without encryption to this machine only.
func TestKeyNeedsHTTPS(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"http://127.0.0.1:8000/v1": true, "http://[::1]:8000/v1": true, "http://LOCALHOST/v1": true,
		"https://vllm/v1": true, "http://vllm/v1": false, "http://10.0.0.7/v1": false,
		"http://localhost.example.com/v1": false, "http://127.0.0.1.example.com/v1": false,
	} {
		_, err := New(Config{APIKey: "k", BaseURL: base, Model: "m"})
		_, without := New(Config{BaseURL: base, Model: "m"})
		if (err == nil) != want || without != nil {
			t.Errorf("%s: got %v with a key, %v without", base, err, without)
		}
	}
}

func TestTransport(t *testing.T) {
	t.Parallel()
	client := httpClient(Config{})
	ours := client.Transport.(*http.Transport)
	if ours.Proxy != nil || !ours.DisableKeepAlives || ours.ForceAttemptHTTP2 || client.Timeout != defaultTimeout {
		t.Errorf("got %+v", ours)
	}
}

func TestAnswersAndUsage(t *testing.T) {
	t.Parallel()
	var got llm.Answer
	capture(t, Config{BaseURL: "http://vllm/v1", Model: "m"}, func(c *Client) (err error) {
		if c.Embedder() != nil {
			t.Error("got an embedder without a model")
		}
		got, err = c.Model().Answer(t.Context(), question())
		return err
	})
	if want := (llm.Answer{Text: "{}", Usage: llm.Usage{PromptTokens: 11, CompletionTokens: 7}}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
