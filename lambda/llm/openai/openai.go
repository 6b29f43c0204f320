// Package openai asks models through the OpenAI API: of OpenAI, of Azure, or of one of the
// many compatible servers (vLLM, Ollama, a proxy). It adapts github.com/sashabaranov/go-openai
// to package llm, and classifies every failure in one table (see failure.go). Use New to make
// a Client.
//
// The parameters depend on the server and the model, because servers refuse unknown members,
// and models refuse unsupported parameters:
//
//	                      OpenAI, Azure   a reasoning model      other servers
//	temperature           0               -                      0
//	seed                  1               1 (OpenAI, Azure)      -
//	store (OpenAI only)   false           false                  -
//	length of the answer  max_completion_tokens                  max_tokens
//	                      (Azure, gpt-4: max_tokens)            (where the server refuses it,
//	                                                            max_completion_tokens)
//	form of the answer    json_schema; where the server refuses it, json_object, or
//	                      the schema in the prompt alone (form.go)
//
// Reasoning models take no temperature, and count their reasoning as part of the answer, so
// they get room for it on top of Question.MaxTokens. At OpenAI and Azure, every model counts
// as a reasoning model, except two older families without future members (gpt-3.5, gpt-4), so
// that next year's model is asked in the form accepted by every model. Elsewhere names mean
// little: reasoning models are the ones refused a temperature by go-openai, and all models if
// you set Config.NoTemperature. If your own server runs a reasoning model, you must set
// Config.ReasoningTokens.
//
// Errors contain nothing of a request or a response except the HTTP status and a known error
// code.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"matchbook/lambda/llm"

	"github.com/sashabaranov/go-openai"
)

const (
	openAIURL      = "https://api.openai.com/v1"
	defaultTimeout = 60 * time.Second
)

// Config describes the endpoint and its models. Only Model is required everywhere.
type Config struct {
	// APIKey is required by OpenAI and Azure. Surrounding white space is removed.
	APIKey string `json:"-"`
	// Renew returns the current key after the provider refused one with HTTP 401. It must
	// return false if the key is still the refused one. It may be nil if keys never change.
	Renew func(ctx context.Context, refused string) (key string, changed bool) `json:"-"`
	// BaseURL is the URL of any compatible server, with the version but without the method:
	// http://localhost:11434/v1. Empty means OpenAI. It must be https if there's a key, except
	// on this machine.
	//
	// Azure has two kinds. https://NAME.openai.azure.com/openai/v1 needs nothing else. For
	// https://NAME.openai.azure.com, with deployments as models, you must set AzureAPIVersion.
	BaseURL string
	// AzureAPIVersion selects the older of Azure's APIs. Use 2024-10-21 or later for
	// json_schema, and 2024-12-01-preview or later for reasoning models. Models are then names
	// of deployments; the name of a gpt-4 deployment should contain gpt-4.
	AzureAPIVersion string

	Model          string // for questions
	EmbeddingModel string // empty turns embeddings off
	// Dimensions is the requested length of vectors. 0 requests none and takes the model's,
	// because vLLM refuses the parameter for most models, and Ollama shortens vectors not
	// trained for it. nil is 256 at OpenAI and Azure, except for text-embedding-ada-002, and 0
	// elsewhere.
	Dimensions    *int
	NoTemperature bool // Model takes no temperature, although its name doesn't show it
	// ReasoningEffort is sent as reasoning_effort (low, medium, high or another value known to
	// the model); empty leaves it to the model.
	ReasoningEffort string
	// ReasoningTokens is the room for reasoning on top of Question.MaxTokens, because the
	// reasoning counts as part of the answer. nil is 25,000 for a reasoning model, and none
	// for another.
	ReasoningTokens *int

	// Timeout limits one request, from the connection to the end of the answer; 0 is 60 s. The
	// headers take as long, since they come with the complete answer.
	Timeout time.Duration
	// HTTPClient is copied and used with its transport if it isn't nil; redirects still aren't
	// followed. The default uses HTTP/1.1 and one connection per request, and no proxy.
	HTTPClient *http.Client `json:"-"`
}

// Format hides the key, however you print a Config.
func (c Config) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "openai.Config of "+c.Model)
}

// Client asks one endpoint. It is safe for concurrent use.
type Client struct {
	model    *model
	embedder *embedder // nil without an EmbeddingModel
}

// New checks the configuration, without a request. The error lists all problems at once, and
// never quotes a value.
func New(c Config) (*Client, error) {
	c.APIKey = strings.TrimSpace(c.APIKey)
	e, err := parse(c)
	if err != nil {
		return nil, err
	}
	client, key := httpClient(c), newKey(c)
	d := e.dialect(c)
	m := &model{
		api:     openai.NewClientWithConfig(e.config(c, &wire{client: client, key: key, add: d.add()})),
		id:      c.Model,
		name:    e.qualify(c.Model) + d.suffix(),
		dialect: d,
	}
	if c.EmbeddingModel == "" {
		return &Client{model: m}, nil
	}
	n := e.dimensions(c)
	return &Client{model: m, embedder: &embedder{
		api:  openai.NewClientWithConfig(e.config(c, &wire{client: client, key: key})),
		id:   openai.EmbeddingModel(c.EmbeddingModel),
		name: e.qualify(c.EmbeddingModel) + lengthSuffix(n), dimensions: n,
	}}, nil
}

// Model returns the model for questions, Config.Model.
func (c *Client) Model() llm.Model { return c.model }

// Embedder returns the embedder for Config.EmbeddingModel; nil if that is empty.
func (c *Client) Embedder() llm.Embedder {
	if c.embedder == nil {
		return nil
	}
	return c.embedder
}

type endpoint struct {
	url    *url.URL
	openAI bool
	azure  bool
}

func parse(c Config) (endpoint, error) {
	var problems []error
	wrong := func(problem string) { problems = append(problems, errors.New(problem)) }
	if c.Model == "" {
		wrong("missing model name")
	}
	if c.ReasoningTokens != nil && *c.ReasoningTokens < 0 {
		wrong("reasoning tokens must not be negative")
	}
	if n := c.Dimensions; n != nil && (*n < 0 || *n > maxDimensions) {
		wrong("embedding dimensions must be between 0 and 16384")
	}
	if c.Timeout < 0 {
		wrong("timeout must not be negative")
	}
	if !sendable(c.APIKey) {
		wrong("invalid API key: unsupported characters in a header")
	}
	u, err := url.Parse(cmp.Or(c.BaseURL, openAIURL))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		wrong("invalid base URL: expected http or https") // without err, since it quotes the URL
		return endpoint{}, errors.Join(problems...)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		wrong("base URL must not have a user, query or fragment")
	}
	e := endpoint{url: u, openAI: isHost(u, "api.openai.com"), azure: c.AzureAPIVersion != ""}
	for _, domain := range []string{"openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"} {
		e.azure = e.azure || isHost(u, domain)
	}
	switch known := e.openAI || e.azure; {
	case known && c.APIKey == "":
		wrong("missing API key, required by OpenAI and Azure")
	case (known || c.APIKey != "") && u.Scheme != "https" && !isLoopback(u):
		wrong("base URL must be https, because the API key would be readable in transit")
	}
	return e, errors.Join(problems...)
}

func isLoopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// isHost reports whether the URL is in the domain or a subdomain (OpenAI's regions, Azure's
// resources).
func isHost(u *url.URL, domain string) bool {
	host := strings.ToLower(u.Hostname())
	return host == domain || strings.HasSuffix(host, "."+domain)
}

func (e endpoint) config(c Config, w *wire) openai.ClientConfig {
	config := openai.DefaultConfig("")
	if c.AzureAPIVersion != "" {
		config = openai.DefaultAzureConfig("", "")
		config.APIVersion = c.AzureAPIVersion
		config.AzureModelMapperFunc = url.PathEscape // the library's mapper drops characters
	}
	config.BaseURL = strings.TrimRight(e.url.String(), "/")
	config.HTTPClient = w
	return config
}

// qualify adds the server to a model's name unless it is OpenAI, because elsewhere the same
// name may mean anything.
func (e endpoint) qualify(model string) string {
	if e.openAI {
		return model
	}
	return model + "@" + e.url.Host
}

func (e endpoint) dimensions(c Config) int {
	switch {
	case c.Dimensions != nil:
		return *c.Dimensions
	case (e.openAI || e.azure) && !strings.Contains(c.EmbeddingModel, "ada-002"):
		return usualDimensions
	}
	return 0
}

func lengthSuffix(dimensions int) string {
	if dimensions == 0 {
		return ""
	}
	return fmt.Sprintf(" dimensions=%d", dimensions)
}

func (e endpoint) dialect(c Config) dialect {
	known := e.openAI || e.azure
	reasons := c.NoTemperature || openai.NewReasoningValidator().Validate(
		openai.ChatCompletionRequest{Model: c.Model, MaxTokens: 1, Temperature: 0.5}) != nil
	if known && !older(c.Model) {
		reasons = true
	}
	d := dialect{reasons: reasons, seed: known, private: e.openAI, maxCompletionTokens: e.openAI || reasons,
		effort: c.ReasoningEffort}
	switch {
	case c.ReasoningTokens != nil:
		d.thoughts = *c.ReasoningTokens
	case reasons:
		d.thoughts = usualThoughts
	}
	return d
}

// older reports whether the model belongs to a family with a temperature. The list is
// complete, because these families get no new members; see the package documentation.
func older(model string) bool {
	model = strings.TrimPrefix(model, "ft:")
	for _, family := range []string{"gpt-3.5", "gpt-35", "gpt-4", "chatgpt-4o"} {
		if strings.HasPrefix(model, family) {
			return true
		}
	}
	return false
}
