package scripted

import (
	"encoding/json"
	"errors"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

// The client that Matchbook uses accepts the answers.

func (r *rig) openai() *openai.Client {
	config := openai.DefaultConfig("sk-test")
	config.BaseURL = r.URL()
	config.HTTPClient = r.client
	return openai.NewClientWithConfig(config)
}

func chatRequest(user string) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{
		Model: "gpt-4o-mini",
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: systemText},
			{Role: openai.ChatMessageRoleUser, Content: user},
		},
		MaxCompletionTokens: 1000,
		ResponseFormat: &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: "matches", Strict: true, Schema: json.RawMessage(matchSchema)},
		},
	}
}

func TestGoOpenAIChats(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Key: "sk-test", Mind: script(scriptLine{Answers: []string{goodAnswer}}),
		Faults: Ordered(Order{Contains: "refuse", Faults: []Fault{Refusal}})})
	got, err := r.openai().CreateChatCompletion(t.Context(), chatRequest("x"))
	if err != nil || len(got.Choices) != 1 || got.Choices[0].Message.Content != goodAnswer || got.Choices[0].FinishReason != openai.FinishReasonStop {
		t.Errorf("%+v, %v", got, err)
	}
	if want := r.Usage(); want.TotalTokens == 0 || got.Usage.TotalTokens != want.TotalTokens {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
	got, err = r.openai().CreateChatCompletion(t.Context(), chatRequest("refuse"))
	if err != nil || got.Choices[0].Message.Refusal == "" || got.Choices[0].Message.Content != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestGoOpenAIErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Faults: Ordered(Order{Faults: []Fault{RateLimitSeconds, badGateway, errorEmptyObject, ContextLength}})})
	got, err := r.openai().CreateChatCompletion(t.Context(), chatRequest("x"))
	var api *openai.APIError
	if !errors.As(err, &api) || api.HTTPStatusCode != 429 || api.Code != "rate_limit_exceeded" || got.Header().Get("Retry-After") != "2" {
		t.Errorf("%v, %v", err, got.Header())
	}
	for _, status := range []int{502, 500} {
		var request *openai.RequestError
		if _, err = r.openai().CreateChatCompletion(t.Context(), chatRequest("x")); !errors.As(err, &request) || request.HTTPStatusCode != status {
			t.Errorf("%v, want %d", err, status)
		}
	}
	if _, err = r.openai().CreateChatCompletion(t.Context(), chatRequest("x")); !errors.As(err, &api) || api.Code != "context_length_exceeded" {
		t.Errorf("%v", err)
	}
}

func TestGoOpenAIEmbeds(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	got, err := r.openai().CreateEmbeddings(t.Context(), openai.EmbeddingRequestStrings{
		Input: []string{"a lamp", "chairs"}, Model: openai.SmallEmbedding3, Dimensions: 256})
	if err != nil || len(got.Data) != 2 || got.Usage.PromptTokens != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	for d, want := range vector("chairs", 256) {
		if got.Data[1].Embedding[d] != want {
			t.Fatalf("dimension %d is %g, want %g", d, got.Data[1].Embedding[d], want)
		}
	}
}
