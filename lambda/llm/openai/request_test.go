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
	var got sent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = sent{"https://" + r.Host + r.RequestURI, string(body), r.Header}
		reply := answer(`"message":{"content":"{}"},"finish_reason":"stop"`)
		if strings.Contains(r.URL.Path, "/embeddings") {
			reply = vectors(vector(1, 256, "3"), vector(0, 256, "-0.5"))
		}
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(server.Close)
	c.HTTPClient = &http.Client{Transport: redirected(func(r *http.Request) (*http.Response, error) {
		host := r.URL.Host
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host = "http", strings.TrimPrefix(server.URL, "http://"), host
		return transport().RoundTrip(r)
	})}
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := ask(client); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRequestsEqualTheGoldenFiles(t *testing.T) {
	t.Parallel()
	ask := func(c *Client) error {
		_, err := c.Model().Answer(t.Context(), question())
		return err
	}
	embed := func(c *Client) error {
		_, _, err := c.Embedder().Embed(t.Context(), []string{"invoice <1> & co", "Söhne"})
		return err
	}
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
		"embedding_openai": {Config{APIKey: "k", Model: "m", EmbeddingModel: "text-embedding-3-small"}, embed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := json.Indent(&got, []byte(capture(t, tc.config, tc.ask).body), "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			file := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
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
		"a key for a server": {Config{APIKey: "k", BaseURL: "http://vllm/v1", Model: "m"},
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
func TestAnUnknownModelIsAskedAsAReasoningOne(t *testing.T) {
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
		{"http://vllm/v1", "qwen3", false},
		{"http://vllm/v1", "gpt-oss-120b", false},
		{"http://proxy/v1", "gpt-5", true}, // go-openai refuses a temperature
		{"http://proxy/v1", "gpt-6-sol", true},
	} {
		client, err := New(Config{APIKey: "k", BaseURL: tc.base, Model: tc.model})
		if err != nil {
			t.Fatal(err)
		}
		if got := client.model.dialect.reasons; got != tc.want {
			t.Errorf("%s at %q: got %v", tc.model, tc.base, got)
		}
	}
}

func TestWrongConfigurationsAreRefused(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Config{
		"no model is named": {APIKey: "k"},
		"there is no API key, which OpenAI and Azure want": {Model: "m"},
		"the timeout is negative": {APIKey: "k",
			Model: "m", Timeout: -1},
		"the base URL is not an http or https URL": {Model: "m",
			BaseURL: "ftp://" + secretKey},
		"the base URL holds a user, a query or a fragment": {Model: "m",
			BaseURL: "http://u:p@vllm/v1"},
		"the base URL is not https: the API key would be readable on its way": {APIKey: "k",
			Model: "m", BaseURL: "http://api.openai.com/v1"},
		"the API key holds characters that no header can carry": {APIKey: secretKey +
			"\x00", Model: "m"},
		"no model is named\nthere is no API key, which OpenAI and Azure want": {AzureAPIVersion: "v",
			BaseURL: "https://proxy"},
		"no model is named\nthe base URL is not an http or https URL": {BaseURL: "vllm:8000"},
		"no model is named\nthe timeout is negative\nthe base URL is not an http or https URL": {BaseURL: "::" +
			secretKey, Timeout: -1},
	} {
		_, err := New(c)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestOurTransportUsesNoProxyAndKeepsNoConnection(t *testing.T) {
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
