package openai

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// provider is a server that insists on the requests of a provider, as it is known.
type provider struct {
	host, path, query string
	header, key       string // of the request, "Authorization" or Azure's
	members           []string
	refuses           map[string]string // the response to a member, HTTP 400
	before            string            // of the answer
}

// providers has what each accepts, with the sources.
var providers = map[string]struct {
	config Config
	provider
	asked int // requests for two questions
}{
	// docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html; the refusal is of
	// github.com/CherryHQ/cherry-studio/issues/9655, the reasoning of github.com/promptfoo/promptfoo/pull/9587.
	"Bedrock": {Config{APIKey: "bedrock-api-key-x", BaseURL: "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1",
		Model: "openai.gpt-oss-120b-1:0"}, provider{
		host: "bedrock-runtime.eu-central-1.amazonaws.com", path: "/openai/v1/chat/completions",
		header: "Authorization", key: "Bearer bedrock-api-key-x",
		members: []string{"model", "messages", "stream", "temperature", "response_format", "max_completion_tokens"},
		refuses: map[string]string{"max_tokens": `{"error":{"message":"The 'max_tokens' parameter is not supported, use 'max_completion_tokens' ` +
			`instead","type":"invalid_request_error","param":null,"code":"unsupported_parameter"}}`},
		before: "<reasoning>They belong together.</reasoning>"}, 3},
	// learn.microsoft.com/azure/foundry/openai/api-version-lifecycle: no version in the address.
	"Azure, the v1 API": {Config{APIKey: "k", BaseURL: "https://x.openai.azure.com/openai/v1", Model: "prod"}, provider{
		host: "x.openai.azure.com", path: "/openai/v1/chat/completions", header: "Authorization", key: "Bearer k",
		members: []string{"model", "messages", "stream", "seed", "response_format", "max_completion_tokens"}}, 2},
	// learn.microsoft.com/azure/ai-services/openai/reference: the deployment is in the address.
	"Azure, the older API": {Config{APIKey: "k", BaseURL: "https://x.openai.azure.com", AzureAPIVersion: "2024-10-21", Model: "gpt-4.1-mini"},
		provider{host: "x.openai.azure.com", path: "/openai/deployments/gpt-4.1-mini/chat/completions", query: "api-version=2024-10-21",
			header: "Api-Key", key: "k", members: []string{"model", "messages", "stream", "temperature", "seed", "response_format", "max_tokens"}}, 2},
}

func TestProviderForms(t *testing.T) {
	t.Parallel()
	for name, tc := range providers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				tc.serve(w, r)
			}))
			t.Cleanup(server.Close)
			config := tc.config
			config.HTTPClient = &http.Client{Transport: redirected(func(r *http.Request) (*http.Response, error) {
				r = r.Clone(r.Context())
				r.Host, r.URL.Scheme, r.URL.Host = r.URL.Host, "http", strings.TrimPrefix(server.URL, "http://")
				return transport().RoundTrip(r)
			})}
			client := must.Get(New(config))(t)
			for range 2 {
				got, err := client.Model().Answer(t.Context(), question())
				if err != nil || got.Text != `{"matches":[]}` {
					t.Errorf("got %+v, %v", got, err)
				}
			}
			if asked != tc.asked {
				t.Errorf("asked %d times, want %d", asked, tc.asked)
			}
		})
	}
}

// serve answers a request in the provider's form, and refuses any other.
func (p provider) serve(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	refuse := func(status int, code string) { says(status, failing(code))(w, r) }
	switch {
	case r.Host != p.host || r.URL.Path != p.path || r.URL.RawQuery != p.query:
		refuse(404, "not_found")
		return
	case r.Header.Get(p.header) != p.key || len(r.Header["Authorization"])+len(r.Header["Api-Key"]) != 1:
		refuse(401, "invalid_api_key")
		return
	case json.NewDecoder(r.Body).Decode(&body) != nil:
		refuse(400, "invalid_json")
		return
	}
	for member := range body {
		if said := p.refuses[member]; said != "" {
			says(400, said)(w, r)
			return
		}
		if !slices.Contains(p.members, member) {
			refuse(400, "unsupported_parameter")
			return
		}
	}
	says(200, answer(`"message":{"content":`+quoted(p.before+`{"matches":[]}`)+`},"finish_reason":"stop"`))(w, r)
}

// Two questions at once may both be refused; each is asked again.
func TestLengthRefusedAtOnce(t *testing.T) {
	t.Parallel()
	first, other := make(chan struct{}), make(chan error)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		if _, old := body["max_tokens"]; !old {
			says(200, answer(`"message":{"content":"{}"},"finish_reason":"stop"`))(w, r)
			return
		}
		select { // both arrive before either is refused
		case first <- struct{}{}:
		case <-first:
		}
		says(400, providers["Bedrock"].refuses["max_tokens"])(w, r)
	}))
	t.Cleanup(server.Close)
	client := must.Get(New(Config{BaseURL: server.URL, Model: "m"}))(t)
	ask := func() error { _, err := client.Model().Answer(t.Context(), question()); return err }
	go func() { other <- ask() }()
	must.OK(t, ask())
	must.OK(t, <-other)
}
