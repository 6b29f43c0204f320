package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
)

// No error and no log may contain these. Each has characters that the ways of
// escaping treat differently.
const (
	secretKey      = "sk-proj-Hidden/Key+0815=~"
	secretDocument = "Geheime Rechnung <RE-4711> & \"Söhne\"\n"
	secretHeader   = "req_Hidden/Header+4242=~"
	secretResponse = "Hidden response <body> & \"naïve\"\n"
)

// logged holds everything that the tests of the package log, net/http included.
var logged safeBuffer

type safeBuffer struct {
	sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.Write(p)
}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	log.SetOutput(&logged)
	status := m.Run()
	if found := failuretest.Leaks(secrets, logged.String()); len(found) > 0 {
		fmt.Fprintf(os.Stderr, "secrets were logged: %q\n%s\n", found, logged.String())
		status = 1
	}
	os.Exit(status)
}

// exchange is a case: a server that does something, a question, and the
// outcome.
type exchange struct {
	name   string
	serve  http.HandlerFunc
	config func(*Config)
	within func(context.Context) (context.Context, context.CancelFunc)
	ask    func(context.Context, *Client) *failure.Call // nil is the question
}

// happen asks a server of its own.
func (x exchange) happen(t *testing.T) *failure.Call {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the client leaves
		w.Header().Set("X-Request-Id", secretHeader)
		x.serve(w, r)
	}))
	t.Cleanup(server.Close)
	config := Config{APIKey: secretKey, BaseURL: server.URL + "/v1/", Model: "test-model",
		EmbeddingModel: "test-embedding"}
	if x.config != nil {
		x.config(&config)
	}
	client := must.Get(New(config))(t)
	ctx := failuretest.Context(t, x.within)
	if x.ask == nil {
		_, m := client.model.ask(ctx, question())
		return m
	}
	return x.ask(ctx, client)
}

func question() llm.Question {
	return llm.Question{
		Name:      "match_decision",
		System:    "Decide which documents belong together.",
		User:      secretDocument,
		Schema:    json.RawMessage(`{"type":"object","properties":{"matches":{"type":"array","items":{"type":"string"}}},"required":["matches"],"additionalProperties":false}`),
		MaxTokens: 800,
	}
}

func embedding(texts ...string) func(context.Context, *Client) *failure.Call {
	return func(ctx context.Context, c *Client) *failure.Call {
		_, _, m := c.embedder.ask(ctx, texts)
		return m
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// answer is a chat completion with the rest of its choice.
func answer(choice string) string {
	return `{"id":"x","object":"chat.completion","choices":[{"index":0,` + choice +
		`}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`
}

// vectors is an embeddings response: an index and the numbers each.
func vectors(data ...string) string {
	return `{"object":"list","data":[` + strings.Join(data, ",") + `],"usage":{"prompt_tokens":5,"total_tokens":5}}`
}

func vector(index, length int, number string) string {
	return fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%s]}`,
		index, strings.TrimSuffix(strings.Repeat(number+",", length), ","))
}

func failing(code string) string {
	return fmt.Sprintf(`{"error":{"message":%s,"type":"some_error","param":null,"code":%s}}`,
		quoted(secretResponse), quoted(code))
}

// says responds in JSON with the status, the headers, as name, value ..., and the
// body.
func says(status int, body string, headers ...string) http.HandlerFunc {
	return failuretest.Says(status, body, append([]string{"Content-Type", "application/json"}, headers...)...)
}
