// Package openai asks models through the OpenAI API, of OpenAI itself, of
// Azure, or of one of the many servers that speak it (vLLM, Ollama, a proxy).
// It adapts github.com/sashabaranov/go-openai to the ports of package llm and
// classifies every failure in one table (failure.go).
//
// The parameters depend on the server and the model, because servers refuse
// members that they do not know, and models parameters that they do not take:
//
//	                      OpenAI, Azure   a reasoning model      other servers
//	temperature           0               -                      0
//	seed                  1               1 (OpenAI, Azure)      -
//	store (OpenAI only)   false           false                  -
//	length of the answer  max_completion_tokens                  max_tokens
//	                      (Azure, gpt-4: max_tokens)
//	form of the answer    json_schema; where the server refuses it, json_object, or
//	                      the schema in the prompt alone (form.go)
//
// Reasoning models take no temperature, and count their reasoning as part of
// the answer: they get room for it on top of Question.MaxTokens. At OpenAI and
// Azure, every model counts as a reasoning one, except the families that came
// before and will have no more members (gpt-3.5, gpt-4): a model of next year
// is asked in the form that every model accepts. Elsewhere names carry no
// information; there, the reasoning models are the ones for which go-openai
// itself refuses a temperature, and all if Config.NoTemperature is set. A server
// of one's own that runs a reasoning model needs Config.ReasoningTokens.
//
// Nothing of a request or a response gets into an error but the HTTP status and
// an error code that we know.
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

// Config describes the endpoint and its models.
type Config struct {
	// APIKey is required by OpenAI and Azure. White space around it is cut off.
	APIKey string `json:"-"`
	// Renew returns the current key when the provider has refused one, with
	// HTTP 401; it reports false when that key is still the refused one. nil: keys
	// never change.
	Renew func(ctx context.Context, refused string) (key string, changed bool) `json:"-"`
	// BaseURL is the URL of any compatible server, with its version but without
	// the method: http://localhost:11434/v1. Empty is OpenAI's. A key is sent by
	// https only, except to this machine.
	//
	// Azure has two: https://NAME.openai.azure.com/openai/v1 needs nothing
	// more; https://NAME.openai.azure.com, with deployments as models, needs
	// AzureAPIVersion.
	BaseURL string
	// AzureAPIVersion turns the older of Azure's APIs on: 2024-10-21 or later,
	// for json_schema; 2024-12-01-preview or later for reasoning models. Models
	// are the names of deployments; the name of a gpt-4's should contain gpt-4.
	AzureAPIVersion string

	Model          string // that answers questions
	EmbeddingModel string // empty turns embeddings off
	// Dimensions is the length of vectors that is asked for; 0 asks for none, and
	// takes the model's own: vLLM refuses the parameter for most models, Ollama cuts
	// vectors that were not trained to be cut. nil is 256 at OpenAI and Azure,
	// without text-embedding-ada-002, and 0 elsewhere.
	Dimensions    *int
	NoTemperature bool // Model takes no temperature, though its name does not show it
	// ReasoningEffort is sent as reasoning_effort (low, medium, high and what else
	// the model knows); empty leaves it to the model.
	ReasoningEffort string
	// ReasoningTokens is the room for reasoning on top of Question.MaxTokens, for
	// the tokens of reasoning count as the answer's; nil is 25,000 for a model that
	// reasons, and none for another.
	ReasoningTokens *int

	// Timeout is for one request, from the connection to the end of the
	// answer; 0 is 60 s. The headers need the same: they come when the answer is
	// complete.
	Timeout time.Duration
	// HTTPClient, if it is not nil, is copied and used with its own transport;
	// still no redirect is followed. Ours uses no proxy, HTTP/1.1, and a
	// connection per request.
	HTTPClient *http.Client `json:"-"`
}

// Format keeps the key out of every way to print a Config.
func (c Config) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "openai.Config of "+c.Model)
}

// Client asks one endpoint.
type Client struct {
	model    *model
	embedder *embedder // nil without an EmbeddingModel
}

// New checks the configuration, without a request; the error lists all its
// faults, and none of its values.
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

// Model answers questions with Config.Model.
func (c *Client) Model() llm.Model { return c.model }

// Embedder embeds with Config.EmbeddingModel; it is nil if that is empty.
func (c *Client) Embedder() llm.Embedder {
	if c.embedder == nil {
		return nil
	}
	return c.embedder
}

// endpoint is the server that is asked.
type endpoint struct {
	url    *url.URL
	openAI bool
	azure  bool
}

func parse(c Config) (endpoint, error) {
	var problems []error
	wrong := func(problem string) { problems = append(problems, errors.New(problem)) }
	if c.Model == "" {
		wrong("no model is named")
	}
	if c.ReasoningTokens != nil && *c.ReasoningTokens < 0 {
		wrong("the room for reasoning is negative")
	}
	if n := c.Dimensions; n != nil && (*n < 0 || *n > maxDimensions) {
		wrong("the length of embeddings is not between 0 and 16384")
	}
	if c.Timeout < 0 {
		wrong("the timeout is negative")
	}
	if !sendable(c.APIKey) {
		wrong("the API key holds characters that no header can carry")
	}
	u, err := url.Parse(cmp.Or(c.BaseURL, openAIURL))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		wrong("the base URL is not an http or https URL") // without err, which quotes it
		return endpoint{}, errors.Join(problems...)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		wrong("the base URL holds a user, a query or a fragment")
	}
	e := endpoint{url: u, openAI: isHost(u, "api.openai.com"), azure: c.AzureAPIVersion != ""}
	for _, domain := range []string{"openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"} {
		e.azure = e.azure || isHost(u, domain)
	}
	switch known := e.openAI || e.azure; {
	case known && c.APIKey == "":
		wrong("there is no API key, which OpenAI and Azure want")
	case (known || c.APIKey != "") && u.Scheme != "https" && !isLoopback(u):
		wrong("the base URL is not https: the API key would be readable on its way")
	}
	return e, errors.Join(problems...)
}

// isLoopback reports whether the URL is of this machine.
func isLoopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// isHost reports whether the URL is of the domain or of one below it (OpenAI's
// regions, Azure's resources).
func isHost(u *url.URL, domain string) bool {
	host := strings.ToLower(u.Hostname())
	return host == domain || strings.HasSuffix(host, "."+domain)
}

func (e endpoint) config(c Config, w *wire) openai.ClientConfig {
	config := openai.DefaultConfig("")
	if c.AzureAPIVersion != "" {
		config = openai.DefaultAzureConfig("", "")
		config.APIVersion = c.AzureAPIVersion
		config.AzureModelMapperFunc = url.PathEscape // the library's own drops characters
	}
	config.BaseURL = strings.TrimRight(e.url.String(), "/")
	config.HTTPClient = w
	return config
}

// qualify names a model together with the server, where that is not OpenAI:
// there the same name may stand for anything.
func (e endpoint) qualify(model string) string {
	if e.openAI {
		return model
	}
	return model + "@" + e.url.Host
}

// dimensions returns the length of vectors that is asked for.
func (e endpoint) dimensions(c Config) int {
	switch {
	case c.Dimensions != nil:
		return *c.Dimensions
	case (e.openAI || e.azure) && !strings.Contains(c.EmbeddingModel, "ada-002"):
		return usualDimensions
	}
	return 0
}

// lengthSuffix names the length of vectors that is not the model's own.
func lengthSuffix(dimensions int) string {
	if dimensions == 0 {
		return ""
	}
	return fmt.Sprintf(" dimensions=%d", dimensions)
}

// dialect returns the parameters that the endpoint and the model accept.
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

// older is a model of a family that takes a temperature. The list is complete:
// no family is added to it, see the package comment.
func older(model string) bool {
	model = strings.TrimPrefix(model, "ft:")
	for _, family := range []string{"gpt-3.5", "gpt-35", "gpt-4", "chatgpt-4o"} {
		if strings.HasPrefix(model, family) {
			return true
		}
	}
	return false
}
