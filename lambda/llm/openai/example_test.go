package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{\"matches\":[]}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":80,"completion_tokens":4}}`)
	}))
	defer server.Close()

	client, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", Model: "qwen3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := client.Model().Answer(context.Background(), llm.Question{
		Name:      "match_decision",
		System:    "Which of the candidates belong to the invoice?",
		User:      "...",
		Schema:    json.RawMessage(`{"type":"object","properties":{"matches":{"type":"array","items":{"type":"integer"}}},"required":["matches"],"additionalProperties":false}`),
		MaxTokens: 500,
	})
	if err != nil {
		fmt.Println(failure.Of(err).Kind, err)
		return
	}
	fmt.Println(answer.Text, answer.Usage.PromptTokens, "+", answer.Usage.CompletionTokens, "tokens")
	// Output: {"matches":[]} 80 + 4 tokens
}
